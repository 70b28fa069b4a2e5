package datatype

import (
	"strconv"
	"strings"
)

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
func (v Value) Equal(other Value) bool { return v.key == other.key }

// Type returns the type of the value. For a value of a union it is the member type that
// the value belongs to.
func (v Value) Type() *Type { return v.t }

// Items returns the items of a list.
func (v Value) Items() []Value { return v.items }

// IDs calls visit for each identifier in the value: of type ID, or of type IDREF if ref
// is set.
func (v Value) IDs(visit func(id string, ref bool)) {
	for _, item := range v.items {
		item.IDs(visit)
	}
	if v.t != nil && (v.t.role == idRole || v.t.role == idrefRole) {
		visit(v.key[1:], v.t.role == idrefRole)
	}
}

// keyOfList returns the key of a list. The lengths of the keys of the items are in it.
func keyOfList(items []Value) string {
	var b strings.Builder
	b.WriteByte(listKey)
	for _, item := range items {
		b.WriteString(strconv.Itoa(len(item.key)))
		b.WriteByte(':')
		b.WriteString(item.key)
	}
	return b.String()
}

// listKey starts the keys of lists. Those of atomic values start with a letter for their
// primitive type.
const listKey = '['

// key returns the key of a value of an atomic type. text is normalized.
func (t *Type) key(text string, ctx Context) string {
	key := make([]byte, 1, len(text)+16)
	key[0] = 'a' + byte(t.kind)
	switch t.kind {
	case noKind:
		key[0] = 'a' + byte(stringKind)
		key = append(key, text...)
	case stringKind, anyURIKind:
		key = append(key, text...)
	case booleanKind:
		key = strconv.AppendBool(key, text == "true" || text == "1")
	case decimalKind:
		key = t.kind.parse(text).decimal.append(key)
	case floatKind, doubleKind:
		key = strconv.AppendFloat(key, t.kind.parse(text).float, 'g', -1, 64)
	case durationKind:
		key = t.kind.parse(text).duration.append(key)
	case hexBinaryKind:
		key = appendHex(key, text)
	case base64BinaryKind:
		key = appendBase64(key, text)
	case qNameKind, notationKind:
		name, _ := resolve(text, ctx)
		key = append(append(append(key, name.Space...), ' '), name.Local...)
	default:
		key = t.kind.parse(text).moment.append(key)
	}
	return string(key)
}
