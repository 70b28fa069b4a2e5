// Package types describes the types of a program as its debug information has
// them: kinds, members, enumerators, template arguments, Rust's variants, Go's
// kinds, and how each language spells them.
//
// A [Set] is the types of one file. A [Type] is made when something refers to it,
// and its members are read when they are first needed, so that types may contain
// pointers to themselves.
//
//	t := set.Named("app::Box<double>")
//	for _, f := range t.Fields() {
//		fmt.Println(f.Name, f.Type(), f.Offset)
//	}
//
// How values are read is no matter of this package, see package values.
//
// # Where things are
//
// Spelling of names is in spelling.go, and cpp_name.go for the C++ library's;
// members and variants are read in load.go; kinds of Go's types are in go_kind.go.
//
// # Concurrency
//
// Sets and types may be used from several goroutines. They take the lock of
// [dwarfread.Info], so no method may be called within its Do unless its name ends
// in Locked.
package types
