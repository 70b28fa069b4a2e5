// Package schema makes a JSON Schema and a decoder from a Go struct, so that
// the arguments of a tool are described once.
//
//	type recordArgs struct {
//		Day  int      `json:"day" doc:"Day number" min:"1" max:"25"`
//		Tags *[]string `json:"tags" doc:"New tags"`
//	}
//	s, err := schema.For[recordArgs]()
//	err = s.Decode(raw, &args) // *schema.Error with every violation
//
// Fields come in their order. A field is required unless it is a pointer or
// its json tag has omitzero or omitempty; absence and emptiness differ only
// through a pointer. The tag doc is the description, title the title; min and
// max bound numbers, the characters of strings and the items of slices; enum
// lists the strings allowed, separated by |; default is taken when the field is
// absent; header names the HTTP header that mirrors the argument; extension:"true"
// marks a field beyond a tool's documented arguments. All of these
// are published and enforced. A field of the struct itself with listed:"false" is accepted
// and in [Schema.Complete] only: programs that read the documents use it, and models need not
// read it. With bounds:"enforced", min and max are enforced
// only: a model that never comes near them need not read them. A method
// Validate() error on the struct is enforced only, too.
//
// # Concurrency
//
// A Schema is made once and may then be used from any goroutine.
package schema
