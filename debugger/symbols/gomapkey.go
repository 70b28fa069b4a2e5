package symbols

import (
	"errors"
	"fmt"
	"strconv"
)

// A Key is a key of a map: a text, a truth value or a whole number.
type Key struct {
	class keyClass
	text  string
	bits  uint64
}

type keyClass uint8

const (
	noKey keyClass = iota
	textKey
	boolKey
	wholeKey
)

// TextKey is a key of a map of texts.
func TextKey(text string) Key { return Key{class: textKey, text: text} }

// BoolKey is a key of a map of truth values.
func BoolKey(b bool) Key {
	if b {
		return Key{class: boolKey, bits: 1}
	}
	return Key{class: boolKey}
}

// WholeKey is a key of a map of whole numbers, extended to 64 bits by its sign.
func WholeKey(bits uint64) Key { return Key{class: wholeKey, bits: bits} }

// String is the key as Go writes it.
func (k Key) String() string {
	switch k.class {
	case textKey:
		return strconv.Quote(k.text)
	case boolKey:
		return strconv.FormatBool(k.bits != 0)
	}
	return strconv.FormatInt(int64(k.bits), 10)
}

// keyClasses are what keys of a kind of type are written as.
var keyClasses = map[Kind]keyClass{
	KindBool: boolKey, KindInt: wholeKey, KindUint: wholeKey, KindChar: wholeKey,
}

// keyClass is what keys of a type are written as; noKey when they cannot be.
func (t *Type) keyClass() keyClass {
	if t.isText() {
		return textKey
	}
	return keyClasses[t.Strip().Kind]
}

// IsMap reports whether the object is a map of Go's, whose elements have keys.
func (o Object) IsMap() bool { return o.Type.Lang == Go && o.Type.goType().goKind == goMap }

// ErrNoKey means that a map has no such key.
var ErrNoKey = errors.New("no such key")

// maxSearched bounds how many elements of a map are looked at for a key.
const maxSearched = 1 << 20

// Element returns the element of a map that has a key, or [ErrNoKey]. It looks
// at one after another, since the hash is the program's secret.
func (o Object) Element(key Key) (Object, error) {
	if !o.IsMap() {
		return Object{}, fmt.Errorf("%s is no map", o.Type)
	}
	t := o.Type.goType()
	keys := t.d.typeAt(t.goKey)
	switch class := keys.keyClass(); class {
	case noKey:
		return Object{}, fmt.Errorf("keys of type %s cannot be looked up; strings, whole numbers and bools can", keys)
	case key.class:
	default:
		return Object{}, fmt.Errorf("the keys are of type %s, which %s is not", keys, key)
	}
	m, used, err := o.goMap()
	if err != nil {
		return Object{}, err
	}
	w := mapSearch{key: key}
	walk := mapWalk{left: min(used, maxSearched), visit: w.visit}
	if used > 0 {
		err = walk.walk(m)
	}
	switch {
	case errors.Is(err, errFound):
		return w.elem, nil
	case err != nil:
		return Object{}, err
	case used > maxSearched:
		return Object{}, fmt.Errorf("%s is not among the first %d elements of %d", key, maxSearched, used)
	}
	return Object{}, fmt.Errorf("%w: %s", ErrNoKey, key)
}

// errFound ends a walk.
var errFound = errors.New("found")

// A mapSearch looks for a key.
type mapSearch struct {
	key  Key
	elem Object
}

func (s *mapSearch) visit(slot Object) error {
	key, err := slot.Member("key")
	if err != nil {
		return err
	}
	if same, err := s.key.is(key); err != nil || !same {
		return err
	}
	if s.elem, err = slot.Member("elem"); err != nil {
		return err
	}
	s.elem.Name = ""
	return errFound
}

// is compares a key with one in memory.
func (k Key) is(o Object) (bool, error) {
	if k.class == textKey {
		return k.isText(o)
	}
	bits, err := o.Uint()
	if o.Type.Strip().Kind == KindInt {
		var n int64
		n, err = o.Int()
		bits = uint64(n)
	}
	return bits == k.bits, err
}

func (k Key) isText(o Object) (bool, error) {
	s, ok, err := o.span()
	if err != nil || !ok || s.length != uint64(len(k.text)) {
		return false, err
	}
	text, err := o.Text(len(k.text))
	return text == k.text, err
}
