package expr

import (
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
)

// A class is a group of types with the same operations.
type class uint8

const (
	aggregate class = iota // a struct and the like: nothing can be computed
	boolean
	signed
	unsigned
	floating
	pointer
)

// A typ is the type of a value: one of the program, a basic one, or a pointer
// to a type.
type typ struct {
	class class
	size  int64
	quad  bool        // a floating-point number of 16 bytes that is no long double
	name  string      // of a basic type
	sym   *types.Type // of the program, else nil
	to    *typ        // the element of a pointer that is not of the program; nil is void
}

// untypedData is the type of data without debug information. A cast tells how
// to read it.
var untypedData = &typ{name: "data without debug information"}

// basics are the basic types of C, Go and Rust by name. Words of C's names are
// sorted, and int is omitted where another word suffices.
var basics = map[string]typ{
	"void": {}, "bool": {class: boolean, size: 1}, "_Bool": {class: boolean, size: 1},
	"char": {class: signed, size: 1}, "char signed": {class: signed, size: 1}, "char unsigned": {class: unsigned, size: 1},
	"short": {class: signed, size: 2}, "short unsigned": {class: unsigned, size: 2},
	"int": {class: signed, size: 4}, "unsigned": {class: unsigned, size: 4}, "signed": {class: signed, size: 4},
	"long": {class: signed, size: 8}, "long unsigned": {class: unsigned, size: 8},
	"long long": {class: signed, size: 8}, "long long unsigned": {class: unsigned, size: 8},
	"float": {class: floating, size: 4}, "double": {class: floating, size: 8},
	"double long": {class: floating, size: 16}, "_Float128": {class: floating, size: 16, quad: true},
	"__float128": {class: floating, size: 16, quad: true},

	"int8": {class: signed, size: 1}, "int16": {class: signed, size: 2}, "int32": {class: signed, size: 4}, "int64": {class: signed, size: 8},
	"uint": {class: unsigned, size: 8}, "uint8": {class: unsigned, size: 1}, "uint16": {class: unsigned, size: 2},
	"uint32": {class: unsigned, size: 4}, "uint64": {class: unsigned, size: 8}, "uintptr": {class: unsigned, size: 8},
	"byte": {class: unsigned, size: 1}, "rune": {class: signed, size: 4},
	"float32": {class: floating, size: 4}, "float64": {class: floating, size: 8},

	"i8": {class: signed, size: 1}, "i16": {class: signed, size: 2}, "i32": {class: signed, size: 4}, "i64": {class: signed, size: 8},
	"isize": {class: signed, size: 8}, "usize": {class: unsigned, size: 8},
	"u8": {class: unsigned, size: 1}, "u16": {class: unsigned, size: 2}, "u32": {class: unsigned, size: 4}, "u64": {class: unsigned, size: 8},
	"f32": {class: floating, size: 4}, "f64": {class: floating, size: 8},

	"int8_t": {class: signed, size: 1}, "int16_t": {class: signed, size: 2}, "int32_t": {class: signed, size: 4}, "int64_t": {class: signed, size: 8},
	"uint8_t": {class: unsigned, size: 1}, "uint16_t": {class: unsigned, size: 2}, "uint32_t": {class: unsigned, size: 4},
	"uint64_t": {class: unsigned, size: 8}, "size_t": {class: unsigned, size: 8}, "ssize_t": {class: signed, size: 8},
	"intptr_t": {class: signed, size: 8}, "uintptr_t": {class: unsigned, size: 8},
}

// cWords are the words of C's basic types.
var cWords = []string{"char", "short", "int", "long", "unsigned", "signed", "float", "double"}

// isBasicWord reports whether a word may follow another one in a type.
func isBasicWord(word string) bool { return slices.Contains(cWords, word) }

// isBasicName reports whether a name is that of a basic type.
func isBasicName(name string) bool {
	_, ok := basics[sorted(name)]
	return ok
}

// sorted normalizes the words of a C type to those of the table.
func sorted(name string) string {
	words := strings.Fields(name)
	if len(words) < 2 {
		return name
	}
	slices.Sort(words)
	for _, spare := range []string{"int", "signed"} {
		if i := slices.Index(words, spare); i >= 0 && len(words) > 1 && !(spare == "signed" && slices.Contains(words, "char")) {
			words = slices.Delete(words, i, i+1)
		}
	}
	return strings.Join(words, " ")
}

// basic returns a basic type by its name.
func basic(name string, language lang.Lang) (*typ, bool) {
	t, ok := basics[sorted(name)]
	t.name = name
	if name == "int" && language == lang.Go {
		t.size = 8
	}
	return &t, ok
}

// String returns the type as the language writes it.
func (t *typ) String() string {
	switch {
	case t == nil:
		return "void"
	case t.sym != nil:
		return t.sym.String()
	case t.class == pointer:
		if inner := t.to.String(); strings.HasSuffix(inner, "*") {
			return inner + "*"
		}
		return t.to.String() + " *"
	}
	return t.name
}

// kindClasses are the classes of the program's types. Characters and
// enumerations may also be signed.
var kindClasses = map[types.Kind]class{
	types.KindBool: boolean, types.KindInt: signed, types.KindUint: unsigned, types.KindChar: unsigned,
	types.KindFloat: floating, types.KindPointer: pointer, types.KindEnum: unsigned,
}

// typeOf returns the typ of a type of the program. References become what they
// refer to, see load.
func typeOf(sym *types.Type) *typ {
	t := &typ{sym: sym}
	plain := sym.Strip()
	t.class, t.size = kindClasses[plain.Kind], plain.Size
	if t.class == unsigned && plain.Signed() {
		t.class = signed
	}
	t.quad = t.class == floating && t.size == 16 && values.LongPrecision(sym) > longPrecision
	if t.size > 8 && t.class != floating || t.size > 16 {
		t.class = aggregate
	}
	return t
}

// elem returns the type a pointer points to. For a type of the program it is
// made on demand, as a pointer may point to its own type.
func (t *typ) elem() *typ {
	if t.sym != nil && t.sym.Strip().Kind == types.KindPointer {
		return typeOf(t.sym.Strip().Elem())
	}
	return t.to
}

// pointerTo returns a pointer type.
func pointerTo(to *typ) *typ { return &typ{class: pointer, size: 8, to: to} }

// width returns the size of an element in pointer arithmetic; void counts as
// one byte.
func (t *typ) width() int64 {
	if t == nil || t.size <= 0 {
		return 1
	}
	return t.size
}

func (t *typ) isWhole() bool {
	return t.class == signed || t.class == unsigned || t.class == boolean
}

func (t *typ) isNumber() bool { return t.isWhole() || t.class == floating }

// names are the names of computed types by class and size.
var names = map[lang.Lang]map[class]map[int64]string{
	lang.Go: {
		signed:   {1: "int8", 2: "int16", 4: "int32", 8: "int"},
		unsigned: {1: "uint8", 2: "uint16", 4: "uint32", 8: "uint64"},
		floating: {4: "float32", 8: "float64"}, boolean: {1: "bool"},
	},
	lang.Rust: {
		signed:   {1: "i8", 2: "i16", 4: "i32", 8: "i64"},
		unsigned: {1: "u8", 2: "u16", 4: "u32", 8: "u64"},
		floating: {4: "f32", 8: "f64"}, boolean: {1: "bool"},
	},
	lang.C: {
		signed:   {1: "char", 2: "short", 4: "int", 8: "long"},
		unsigned: {1: "unsigned char", 2: "unsigned short", 4: "unsigned int", 8: "unsigned long"},
		floating: {4: "float", 8: "double", 16: "long double"}, boolean: {1: "bool"},
	},
}

// computed returns the type of a computed number.
func computed(c class, size int64, language lang.Lang) *typ {
	known, ok := names[language]
	if !ok {
		known = names[lang.C]
	}
	return &typ{class: c, size: size, name: known[c][size]}
}

// quad is the type of a computed number that has the precision of _Float128.
func quad(language lang.Lang) *typ {
	name := "_Float128"
	if language == lang.Rust {
		name = "f128"
	}
	return &typ{class: floating, size: 16, quad: true, name: name}
}

func isReference(t *types.Type) bool {
	kind := t.Strip().Kind
	return kind == types.KindReference || kind == types.KindRvalueReference
}
