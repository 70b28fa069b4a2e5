package values

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/symbols/types"
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
var keyClasses = map[types.Kind]keyClass{
	types.KindBool: boolKey, types.KindInt: wholeKey, types.KindUint: wholeKey, types.KindChar: wholeKey, types.KindEnum: wholeKey, types.KindPointer: wholeKey,
}

// keyClassOf is what keys of a type are written as; noKey when they cannot be.
func keyClassOf(t *types.Type) keyClass {
	if isText(t) {
		return textKey
	}
	return keyClasses[t.Strip().Kind]
}

// IsMap reports whether the object is a map whose elements have keys: one of
// Go's, or a map or unordered_map of libstdc++.
func (o Object) IsMap() bool {
	t := o.Type.Referred()
	return t.IsGoMap() || cppMapOf(t) != nil
}

// ErrNoKey means that a map has no such key.
var ErrNoKey = errors.New("no such key")

// maxSearched bounds how many elements of a map are looked at for a key.
const maxSearched = 1 << 20

// Element returns the element of a map that has a key, or [ErrNoKey]. Where the
// program decides by a hash where an element is, it looks at one after another.
func (o Object) Element(key Key) (Object, error) {
	o, err := o.referred()
	if err != nil {
		return Object{}, err
	}
	find, keys := cppMapOf(o.Type), o.Type.TemplateArg(0)
	if o.Type.IsGoMap() {
		find = searchGoMap
		keys, _ = o.Type.GoType().MapTypes()
	}
	if find == nil || keys == nil {
		return Object{}, fmt.Errorf("%s is no map", o.Type)
	}
	if err := key.fits(keys); err != nil {
		return Object{}, err
	}
	s := mapSearch{key: key}
	switch err := find(o, &s); {
	case errors.Is(err, errFound):
		return s.elem, nil
	case err != nil:
		return Object{}, err
	}
	return Object{}, fmt.Errorf("%w: %s", ErrNoKey, key)
}

// fits says why no key of a type can be this one; nil when one may be.
func (k Key) fits(keys *types.Type) error {
	s := keys.Strip()
	switch class := keyClassOf(keys); {
	case k.class == textKey && s.Kind == types.KindPointer && s.Elem().IsCharacter():
	case class == noKey:
		return fmt.Errorf("keys of type %s cannot be looked up; strings, whole numbers, bools and pointers can", keys)
	case class != k.class:
		return fmt.Errorf("the keys are of type %s, which %s is not", keys, k)
	}
	return nil
}

func searchGoMap(o Object, s *mapSearch) error {
	m, used, err := o.goMap()
	if err != nil || used == 0 {
		return err
	}
	walk := mapWalk{left: min(used, maxSearched), visit: s.visit}
	if err := walk.walk(o.Type.GoType(), m); err != nil {
		return err
	}
	if used > maxSearched {
		return s.tooMany(used)
	}
	return nil
}

// tooMany says that not all elements were looked at.
func (s *mapSearch) tooMany(n uint64) error {
	return fmt.Errorf("%s is not among the first %d elements of %d", s.key, maxSearched, n)
}

// errFound ends a walk.
var errFound = errors.New("found")

// A mapSearch looks for a key.
type mapSearch struct {
	key  Key
	elem Object
}

// visit returns errFound at the key that is looked for.
func (s *mapSearch) visit(key, elem Object) error {
	if same, err := s.key.is(key); err != nil || !same {
		return err
	}
	s.elem = elem
	s.elem.Name = ""
	return errFound
}

// is compares a key with one in memory.
func (k Key) is(o Object) (bool, error) {
	if k.class == textKey { // most are of another length
		if s, ok, err := o.span(); ok && (err != nil || s.length != uint64(len(k.text))) {
			return false, err
		}
	}
	order, err := k.order(o)
	return order == 0, err
}

// order says whether a key is less than one in memory, -1, the same, or more.
func (k Key) order(o Object) (int, error) {
	if k.class == textKey {
		text, err := o.Text(len(k.text) + 1) // one more shows that it is longer
		return strings.Compare(k.text, text), err
	}
	if o.Type.Signed() {
		n, err := o.Int()
		return cmp.Compare(int64(k.bits), n), err
	}
	n, err := o.Uint()
	return cmp.Compare(k.bits, n), err
}
