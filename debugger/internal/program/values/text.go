package values

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
)

// Quoted returns the text from the object's address up to a zero byte, as strings are
// shown.
func (o Object) Quoted(l Limits) (string, error) {
	addr, ok := o.Address()
	if !ok {
		return "", errNoText
	}
	return newRenderer(l).cstring(o.displayed().View.Memory, addr)
}

// errNoText is returned for characters that are not in memory.
var errNoText = errors.New("only what is in memory has a text")

// IsText reports whether the object's type is a string type of its language:
// string, str, String, std::string or std::string_view. Pointers to characters
// and arrays of them are not, since they need not hold text.
func (o Object) IsText() bool { return isText(o.Type.Referred()) }

// Text reads at most limit bytes of a string, or of the zero-terminated
// characters in an array or behind a pointer.
func (o Object) Text(limit int) (string, error) {
	o, err := o.referred()
	if err != nil {
		return "", err
	}
	if s, ok, err := textOf(o); ok || err != nil {
		if err != nil {
			return "", err
		}
		return o.View.text(s, limit)
	}
	switch t := o.Type.Strip(); {
	case t.Kind == types.KindArray && t.Elem().IsCharacter():
		return arrayText(o, t, limit)
	case t.Kind == types.KindPointer && t.Elem().IsCharacter():
		addr, err := o.Uint()
		if err != nil {
			return "", err
		}
		return o.At(t.Elem(), addr).ZeroEnded(limit)
	}
	return "", fmt.Errorf("a %s is no text", o.Type)
}

// text reads at most limit bytes of a string. The address of an empty string need
// not be valid.
func (w *View) text(s sequence, limit int) (string, error) {
	text := make([]byte, min(s.length, int64(max(limit, 0))))
	if len(text) == 0 {
		return "", nil
	}
	err := w.Memory.ReadMemory(s.start, text)
	return string(text), err
}

// arrayText reads an array up to its first zero byte, or all of it.
func arrayText(o Object, t *types.Type, limit int) (string, error) {
	dims := o.dimensions(t)
	if len(dims) != 1 || dims[0] < 0 {
		return "", fmt.Errorf("a %s is no text", o.Type)
	}
	text := make([]byte, min(dims[0], int64(max(limit, 0))))
	if err := o.read(0, text); err != nil {
		return "", err
	}
	text, _, _ = bytes.Cut(text, []byte{0})
	return string(text), nil
}

// ZeroEnded reads at most limit bytes from the object's address, up to a zero
// byte.
func (o Object) ZeroEnded(limit int) (string, error) {
	addr, ok := o.Address()
	if !ok {
		return "", errNoText
	}
	var text []byte
	for len(text) < limit {
		// Chunks end at multiples of their size, so that none extends
		// into the page after the text.
		chunk := make([]byte, 64-addr%64)
		if err := o.View.Memory.ReadMemory(addr, chunk); err != nil {
			return "", err
		}
		part, _, ends := bytes.Cut(chunk, []byte{0})
		if text = append(text, part...); ends {
			break
		}
		addr += uint64(len(chunk))
	}
	return string(text[:min(len(text), limit)]), nil
}

func isText(t *types.Type) bool { return layoutOf(t, textLayouts) != nil }

// referred follows a reference. It returns other objects unchanged.
func (o Object) referred() (Object, error) {
	for i := 0; i < types.MaxReferences && o.Type.IsReference(); i++ {
		to, err := o.Deref()
		if err != nil {
			return Object{}, err
		}
		o = to
	}
	return o, nil
}
