package values

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
)

// A Key is a key of a map: text, a boolean or an integer.
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

// TextKey returns a key of text.
func TextKey(text string) Key { return Key{class: textKey, text: text} }

// BoolKey returns a boolean key.
func BoolKey(b bool) Key {
	if b {
		return Key{class: boolKey, bits: 1}
	}
	return Key{class: boolKey}
}

// WholeKey returns an integer key, sign-extended to 64 bits.
func WholeKey(bits uint64) Key { return Key{class: wholeKey, bits: bits} }

// String returns the key as Go writes it.
func (k Key) String() string {
	switch k.class {
	case textKey:
		return strconv.Quote(k.text)
	case boolKey:
		return strconv.FormatBool(k.bits != 0)
	}
	return strconv.FormatInt(int64(k.bits), 10)
}

// keyClasses maps kinds of types to the class of their keys.
var keyClasses = map[types.Kind]keyClass{
	types.KindBool: boolKey, types.KindInt: wholeKey, types.KindUint: wholeKey, types.KindChar: wholeKey, types.KindEnum: wholeKey, types.KindPointer: wholeKey,
}

// keyClassOf returns the class of keys of a type, or noKey if such keys cannot be
// looked up.
func keyClassOf(t *types.Type) keyClass {
	if isText(t) {
		return textKey
	}
	return keyClasses[t.Strip().Kind]
}

// IsMap reports whether the object is a map of Go, or a map or unordered_map
// of libstdc++.
func (o Object) IsMap() bool {
	t := o.Type.Referred()
	return t.IsGoMap() || cppMapOf(t) != nil
}

// ErrNoKey is returned when a map does not have a key.
var ErrNoKey = errors.New("no such key")

// maxSearched limits the number of elements that are compared with a key.
const maxSearched = 1 << 20

// Element returns the element with a key, or [ErrNoKey]. It compares the elements
// of a hash table one by one, since the hash function is part of the program.
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

// fits returns an error if keys of the given type cannot equal k.
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
	m, used, err := goMapOf(o)
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

// tooMany returns the error for a map that was searched only in part.
func (s *mapSearch) tooMany(n uint64) error {
	return fmt.Errorf("%s is not among the first %d elements of %d", s.key, maxSearched, n)
}

// errFound ends a walk when the key is found.
var errFound = errors.New("found")

// A mapSearch searches a map for a key.
type mapSearch struct {
	key  Key
	elem Object
}

// visit compares an entry with the key and returns errFound if they are equal.
func (s *mapSearch) visit(key, elem Object) error {
	if same, err := s.key.is(key); err != nil || !same {
		return err
	}
	s.elem = elem
	s.elem.Name = ""
	return errFound
}

// is reports whether the key equals one in memory.
func (k Key) is(o Object) (bool, error) {
	if k.class == textKey { // most strings differ in length
		if s, ok, err := textOf(o); ok && (err != nil || s.length != int64(len(k.text))) {
			return false, err
		}
	}
	order, err := k.order(o)
	return order == 0, err
}

// order compares a key with one in memory: -1, 0 or 1.
func (k Key) order(o Object) (int, error) {
	if k.class == textKey {
		text, err := o.Text(len(k.text) + 1) // one byte more, to detect longer strings
		return strings.Compare(k.text, text), err
	}
	if o.Type.Signed() {
		n, err := o.Int()
		return cmp.Compare(int64(k.bits), n), err
	}
	n, err := o.Uint()
	return cmp.Compare(k.bits, n), err
}
