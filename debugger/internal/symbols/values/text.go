package values

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/symbols/lang"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols/types"
)

// A span is the characters of a string in memory.
type span struct{ addr, length uint64 }

// IsText reports whether the object is a string type of its language: string,
// str, String, std::string or std::string_view. Pointers to characters and
// arrays of them do not count, since they may be something else.
func (o Object) IsText() bool { return isText(o.Type.Referred()) }

// Text reads at most limit bytes of a string, or of the characters up to a
// zero byte that a pointer points to or an array has.
func (o Object) Text(limit int) (string, error) {
	o, err := o.referred()
	if err != nil {
		return "", err
	}
	if s, ok, err := o.span(); ok || err != nil {
		if err != nil {
			return "", err
		}
		return o.View.text(s, limit)
	}
	switch t := o.Type.Strip(); {
	case t.Kind == types.KindArray && t.Elem().IsCharacter():
		return o.arrayText(t, limit)
	case t.Kind == types.KindPointer && t.Elem().IsCharacter():
		addr, err := o.Uint()
		if err != nil {
			return "", err
		}
		return o.At(t.Elem(), addr).ZeroEnded(limit)
	}
	return "", fmt.Errorf("a %s is no text", o.Type)
}

// text reads at most limit bytes of a span. The address of an empty one need
// not be valid.
func (w *View) text(s span, limit int) (string, error) {
	text := make([]byte, min(s.length, uint64(max(limit, 0))))
	if len(text) == 0 {
		return "", nil
	}
	err := w.Memory.ReadMemory(s.addr, text)
	return string(text), err
}

// arrayText reads an array up to the first zero byte, or whole.
func (o Object) arrayText(t *types.Type, limit int) (string, error) {
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

// ZeroEnded reads at most limit bytes from the object's address up to a zero
// byte.
func (o Object) ZeroEnded(limit int) (string, error) {
	addr, ok := o.Address()
	if !ok {
		return "", errors.New("only what is in memory has a text")
	}
	var text []byte
	for len(text) < limit {
		// Chunks end at multiples of their size, so that none crosses into a
		// page beyond the text.
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

// span returns the characters of a string; false for other types.
func (o Object) span() (s span, ok bool, err error) {
	if !isText(o.Type) {
		return span{}, false, nil
	}
	switch o.Type.Lang {
	case lang.Go:
		s, err = o.spanOf("str", "len")
	case lang.Rust:
		s, err = o.rustSpan()
	case lang.CPlusPlus:
		s, err = o.cppSpan()
	}
	return s, true, err
}

// spanOf reads a span from two members.
func (o Object) spanOf(start, length string) (span, error) {
	addr, err := o.number(start)
	n, err2 := o.number(length)
	if err := errors.Join(err, err2); err != nil {
		return span{}, err
	}
	if n > 1<<48 {
		return span{}, errors.New("string is not valid")
	}
	return span{addr, n}, nil
}

func (o Object) cppSpan() (span, error) {
	if strings.HasPrefix(o.Type.Strip().Name(), llvmPrefix) {
		return o.llvmSpan()
	}
	if data, err := o.Member("_M_dataplus"); err == nil {
		addr, err := data.number("_M_p")
		if err != nil {
			return span{}, err
		}
		s, err := o.spanOf("_M_string_length", "_M_string_length")
		return span{addr, s.length}, err
	}
	return o.spanOf("_M_str", "_M_len")
}

// sharedHead is the size of the two counts before the characters of an Rc or
// Arc.
const sharedHead = 16

func (o Object) rustSpan() (span, error) {
	if vec, err := o.Member("vec"); err == nil {
		s, ok, err := vec.rustSequence()
		if err == nil && !ok {
			err = errors.New("string is not valid")
		}
		return span{s.start, uint64(s.length)}, err
	}
	if shared, err := o.descend("ptr", "pointer"); err == nil {
		s, err := shared.spanOf("data_ptr", "length")
		s.addr += sharedHead
		return s, err
	}
	return o.spanOf("data_ptr", "length")
}

// texts are the starts of the names of string types. Those without a comma at
// the end are whole names.
var texts = map[lang.Lang][]string{
	lang.CPlusPlus: {
		"std::basic_string<char,", "std::basic_string_view<char,",
		llvmPrefix + "basic_string<char,", llvmPrefix + "basic_string_view<char,",
	},
	lang.Rust: {
		"&str", "&mut str", "alloc::string::String",
		"alloc::boxed::Box<str,", "alloc::rc::Rc<str,", "alloc::sync::Arc<str,",
	},
}

func isText(t *types.Type) bool {
	if t.Lang == lang.Go {
		return t.GoType().GoKind == types.GoString
	}
	name := t.LibraryName()
	if s := t.Strip(); t.Lang == lang.Rust && s.Kind == types.KindStruct {
		name = s.Name()
	}
	for _, prefix := range texts[t.Lang] {
		if strings.HasPrefix(name, prefix) && (name == prefix || strings.HasSuffix(prefix, ",")) {
			return true
		}
	}
	return false
}

// referred returns the object that references refer to, the object itself if
// it is none.
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
