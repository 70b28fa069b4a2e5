package datatype

// A Value is a value of a simple type. The zero Value equals only itself.
type Value struct {
	t     *Type // that is atomic, or a list; of a union the member that it belongs to
	key   string
	items []Value
}

// Key returns a string that identifies the value: values are equal exactly if their keys
// are, whatever their types. Values of different primitive types differ.
func (v Value) Key() string { return v.key }

// Equal reports whether the values are the same.
func (v Value) Equal(other Value) bool { return v.Key() == other.Key() }

// Type returns the type of the value. For a value of a union it is the member type that
// the value belongs to.
func (v Value) Type() *Type { return v.t }

// Items returns the items of a list.
func (v Value) Items() []Value { return v.items }

// IDs calls visit for each identifier in the value: of type ID, or of type IDREF if ref
// is set.
func (v Value) IDs(visit func(id string, ref bool)) {}
