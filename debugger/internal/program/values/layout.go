package values

import (
	"errors"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
)

// A layout locates the contiguous elements of a library type by a pointer to the
// first element and their number or end. Paths are names of nested members,
// separated by dots.
type layout struct {
	prefix string // the start of the type's name if it ends in an opening bracket or a comma, else the whole name
	start  string // path of the pointer
	count  string // path of the number of elements
	end    string // path of the pointer past the last element, if there is no number
	nested bool   // the pointer is the first pointer found within start
	arg    int    // number of the template argument that is the type of elements, from 1; 0: the target type of the pointer
	skip   uint64 // offset of the first element from the pointer's target

	read func(Object) (sequence, error) // reads layouts that paths cannot express; usually nil
}

// sequenceLayouts lists the types with contiguous elements.
var sequenceLayouts = map[lang.Lang][]layout{
	lang.CPlusPlus: {
		{prefix: "std::vector<", start: "_M_impl._M_start", end: "_M_impl._M_finish"},
		{prefix: llvmPrefix + "vector<", start: "__begin_", end: "__end_"},
	},
	lang.Rust: {
		{prefix: "&[", start: "data_ptr", count: "length"},
		{prefix: "&mut [", start: "data_ptr", count: "length"},
		{prefix: boxPrefix + "[", start: "data_ptr", count: "length"},
		{prefix: "alloc::vec::Vec<", start: "buf", nested: true, count: "len", arg: 1},
	},
	lang.Go: {{prefix: goSliceName, start: "array", count: "len"}},
}

// textLayouts lists the string types.
var textLayouts = map[lang.Lang][]layout{
	lang.CPlusPlus: {
		{prefix: "std::basic_string<char,", start: "_M_dataplus._M_p", count: "_M_string_length"},
		{prefix: "std::basic_string_view<char,", start: "_M_str", count: "_M_len"},
		{prefix: llvmPrefix + "basic_string<char,", read: libcxxString},
		{prefix: llvmPrefix + "basic_string_view<char,", read: libcxxView},
	},
	lang.Rust: {
		{prefix: "&str", start: "data_ptr", count: "length"},
		{prefix: "&mut str", start: "data_ptr", count: "length"},
		{prefix: "alloc::boxed::Box<str,", start: "data_ptr", count: "length"},
		{prefix: "alloc::string::String", start: "vec.buf", nested: true, count: "vec.len"},
		{prefix: "alloc::rc::Rc<str,", start: "ptr.pointer.data_ptr", count: "ptr.pointer.length", skip: countedHead},
		{prefix: "alloc::sync::Arc<str,", start: "ptr.pointer.data_ptr", count: "ptr.pointer.length", skip: countedHead},
	},
	lang.Go: {{prefix: goStringName, start: "str", count: "len"}},
}

// Keys in the tables for Go types without a name of their own.
const (
	goSliceName  = "slice"
	goStringName = "string"
)

// tableName returns the key of a type in the tables of layouts, or "".
func tableName(t *types.Type) string {
	if t.Lang != lang.Go {
		return libraryName(t)
	}
	switch t.GoType().GoKind {
	case types.GoSlice:
		return goSliceName
	case types.GoString:
		return goStringName
	}
	return ""
}

// layoutOf returns the layout of a type in a table, or nil.
func layoutOf(t *types.Type, table map[lang.Lang][]layout) *layout {
	name, rows := tableName(t), table[t.Lang]
	for i := range rows {
		prefix := rows[i].prefix
		if name == prefix || strings.HasPrefix(name, prefix) && strings.ContainsAny(prefix[len(prefix)-1:], "<[,") {
			return &rows[i]
		}
	}
	return nil
}

// sequenceOf returns the elements of a vector, slice or string, and false for
// other types.
func sequenceOf(o Object) (sequence, bool, error) {
	l := layoutOf(o.Type, sequenceLayouts)
	if l == nil && o.Type.Lang == lang.CPlusPlus {
		return textOf(o)
	}
	if l == nil {
		return sequence{}, false, nil
	}
	s, err := l.sequence(o)
	return s, err == nil, err
}

// textOf returns the bytes of a string, and false for other types.
func textOf(o Object) (sequence, bool, error) {
	l := layoutOf(o.Type, textLayouts)
	if l == nil {
		return sequence{}, false, nil
	}
	s, err := l.sequence(o)
	return s, true, err
}

var errNotValid = errors.New("container is not valid")

// sequence reads the elements of an object of the layout.
func (l *layout) sequence(o Object) (sequence, error) {
	if l.read != nil {
		return l.read(o)
	}
	p, err := o.down(l.start)
	if err != nil {
		return sequence{}, err
	}
	if l.nested {
		var ok bool
		if p, ok = p.find(8, isPointer); !ok {
			return sequence{}, errNotValid
		}
	}
	start, err := p.Uint()
	if err != nil {
		return sequence{}, err
	}
	s := sequence{start: start + l.skip, elem: p.Type.Strip().Elem(), owner: o}
	if l.arg > 0 {
		s.elem = o.Type.TemplateArg(l.arg - 1)
	}
	if s.elem == nil {
		return sequence{}, errNotValid
	}
	s.length, err = l.length(o, start, s.elem)
	return s, err
}

// maxLength exceeds the number of elements that fit in memory.
const maxLength = 1 << 48

// length reads the number of elements, or computes it from their end.
func (l *layout) length(o Object, start uint64, elem *types.Type) (int64, error) {
	path := l.count
	if l.end != "" {
		path = l.end
	}
	m, err := o.down(path)
	if err != nil {
		return 0, err
	}
	n, err := m.Uint()
	if l.end != "" && err == nil {
		if n < start || elem.ByteSize() <= 0 {
			return 0, errNotValid
		}
		n = (n - start) / uint64(elem.ByteSize())
	}
	if err == nil && n > maxLength {
		err = errNotValid
	}
	return int64(n), err
}
