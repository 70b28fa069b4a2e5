package expr

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
)

// A Value is the result of an expression: a place in the program, or a
// computed number or pointer.
type Value struct {
	typ    *typ
	object *values.Object // a place; nil when computed
	bits   uint64         // a computed number, extended to 64 bits by its sign
	float  float64        // or that, when the class is floating
	long   *big.Float     // that in full, if it has 16 bytes and is finite
	hex    bool           // shown in hexadecimal
	run    int            // elements of a slice that was written, else 0
	text   *string        // a text that was written, else nil
	result bool           // of a call: its address has no meaning
	chars  *values.Object // what a computed pointer to characters points to, else nil
}

// errNoNumber is returned for operands that are not numbers.
var errNoNumber = errors.New("is no number")

func floatValue(f float64) Value {
	return Value{typ: &typ{class: floating, size: 8, name: "double"}, float: f}
}

func charValue(n uint64) Value {
	t := &typ{class: signed, size: 1, name: "char"}
	if n > math.MaxInt8 {
		t.size, t.name = 4, "int"
	}
	return Value{typ: t, bits: n}
}

func textValue(text string) Value { return Value{typ: &typ{name: "string"}, text: &text} }

// place returns the value of an object of the program.
func place(o values.Object) Value { return Value{typ: typeOf(o.Type), object: &o} }

// placed is place for results with an error.
func placed(o values.Object, err error) (Value, error) {
	if err != nil {
		return Value{}, err
	}
	return place(o), nil
}

// Object returns the place of the value; false for a computed value. Its type
// is void if a cast chose a basic type.
func (v Value) Object() (values.Object, bool) {
	if v.object == nil {
		return values.Object{}, false
	}
	return *v.object, true
}

// Returned reports whether a function of the program has returned the value. Its
// address then has no meaning: the memory is free again.
func (v Value) Returned() bool { return v.result }

// Run returns the number of elements of a slice or of repeated objects, and false for other
// values.
func (v Value) Run() (int, bool) { return v.run, v.run > 0 }

// ProgramType returns the type of the program that the value has, or that a computed
// pointer points to; false for numbers and basic types.
func (v Value) ProgramType() (*types.Type, bool) {
	switch {
	case v.typ.sym != nil:
		return v.typ.sym, true
	case v.typ.class == pointer && v.typ.to != nil && v.typ.to.sym != nil:
		return v.typ.to.sym, true
	}
	return nil, false
}

// Type returns the value's type as the language writes it.
func (v Value) Type() string { return v.typ.String() }

// Size returns the size of the value's type in bytes.
func (v Value) Size() int64 {
	if v.object != nil && v.typ.sym != nil {
		return v.object.Size()
	}
	return v.typ.size
}

// Text formats the value. If it cannot be read, the text is the reason in
// angle brackets.
func (v Value) Text(limits values.Limits) string {
	if v.object != nil && v.typ.sym != nil {
		return v.object.Value(limits).Text
	}
	n, err := v.load()
	if err != nil {
		return "<" + err.Error() + ">"
	}
	if limits.Format != "" && n.text == nil && n.typ.class != aggregate {
		return limits.Format.Number(n.bits, n.float, n.typ.class == floating, n.typ.size)
	}
	if v.chars != nil && v.bits != 0 {
		if text, err := v.chars.Quoted(limits); err == nil {
			return n.formatNumber() + " " + text
		}
	}
	return n.formatNumber()
}

// formatNumber formats a computed number or a string literal.
func (v Value) formatNumber() string {
	switch {
	case v.text != nil:
		return strconv.Quote(*v.text)
	case v.typ.class == pointer || v.hex:
		return fmt.Sprintf("%#x", v.bits)
	case v.long != nil:
		return values.LongText(v.long)
	case v.typ.class == floating:
		return strconv.FormatFloat(v.float, 'g', -1, int(min(v.typ.size, 8)*8))
	case strings.HasSuffix(v.typ.name, "char") && v.typ.size == 1:
		return fmt.Sprintf("%d %s", int64(v.bits), letter(byte(v.bits)))
	case v.typ.class == boolean:
		return strconv.FormatBool(v.bits != 0)
	case v.typ.sym != nil && v.typ.sym.Strip().Kind == types.KindEnum:
		return v.typ.sym.Strip().EnumText(v.bits)
	case v.typ.class == unsigned:
		return strconv.FormatUint(v.bits, 10)
	case v.typ.class == signed:
		return strconv.FormatInt(int64(v.bits), 10)
	}
	return "void"
}

// letter formats a byte as a C character.
func letter(c byte) string {
	if text := strconv.QuoteRune(rune(c)); c < utf8.RuneSelf && !strings.HasPrefix(text, `'\x`) {
		return text
	}
	return fmt.Sprintf(`'\%03o'`, c)
}

// Bool reports whether the value is not zero.
func (v Value) Bool() (bool, error) {
	n, err := v.scalar()
	if err != nil {
		return false, err
	}
	return n.truth(), nil
}

// truth reports whether a number is not zero.
func (v Value) truth() bool {
	switch {
	case v.long != nil:
		return v.long.Sign() != 0
	case v.typ.class == floating:
		return v.float != 0
	}
	return v.bits != 0
}

// Address returns the value of a pointer or an integer, or else the address of
// a place.
func (v Value) Address() (uint64, error) {
	n, err := v.scalar()
	if err == nil && n.typ.class != floating {
		return n.bits, nil
	}
	if v.object != nil {
		if addr, ok := v.object.Address(); ok {
			return addr, nil
		}
	}
	return 0, fmt.Errorf("a %s is no address", v.Type())
}

// scalar is load for operands that must be numbers or pointers. Arrays become
// pointers to their first elements, and smart pointers the plain ones in them.
func (v Value) scalar() (Value, error) {
	v, err := v.referred()
	if err != nil {
		return Value{}, err
	}
	if v.object != nil && v.typ.sym != nil {
		if p, ok, err := v.object.Pointer(); ok {
			if err != nil {
				return Value{}, err
			}
			return place(p).scalar()
		}
		if t := v.typ.sym.Strip(); t.Kind == types.KindArray {
			addr, ok := v.object.Address()
			if !ok {
				return Value{}, errors.New("the array is not in memory")
			}
			elem := typeOf(t.Elem())
			return Value{typ: pointerTo(elem), bits: addr}, nil
		}
	}
	n, err := v.load()
	if err == nil && n.typ.class == aggregate {
		err = fmt.Errorf("a %s %w", v.Type(), errNoNumber)
	}
	return n, err
}

// maxReferences bounds a chain of references.
const maxReferences = 4

// errUntyped is returned for operands that are data without debug information.
var errUntyped = errors.New("the type of this data is not known, as it has no debug information; a cast such as (long)name reads it")

// untyped returns the address of data without debug information; false for all
// other values.
func (v Value) untyped() (addr uint64, ok bool) {
	if v.typ != untypedData {
		return 0, false
	}
	return v.object.Address()
}

// referred returns what a C++ reference refers to; other values are returned
// unchanged.
func (v Value) referred() (Value, error) {
	for i := 0; v.object != nil && v.typ.sym != nil && isReference(v.typ.sym); i++ {
		to, err := v.object.Deref()
		if err == nil && i == maxReferences {
			err = errors.New("the reference leads to itself")
		}
		if err != nil {
			return Value{}, err
		}
		v = place(to)
	}
	return v, nil
}

// load reads a place; computed values are returned unchanged.
func (v Value) load() (Value, error) {
	if v.typ == untypedData {
		return v, errUntyped
	}
	if v.object == nil || v.typ.class == aggregate {
		return v, nil
	}
	if err := v.object.Err(); err != nil {
		return v, err
	}
	n := Value{typ: v.typ}
	var err error
	switch v.typ.class {
	case floating:
		if n.float, err = v.object.Float(); err == nil && v.typ.size == 16 {
			n.long, err = v.object.Long(v.typ.precision())
		}
		if n.long != nil {
			n.float, _ = n.long.Float64()
		}
	case signed:
		var i int64
		i, err = v.object.Int()
		n.bits = uint64(i)
	default:
		n.bits, err = v.object.Uint()
	}
	return n, err
}

// convert converts a number to another type.
func (v Value) convert(to *typ) Value {
	out := Value{typ: to}
	switch {
	case to.class == boolean:
		if v.truth() {
			out.bits = 1
		}
	case to.class == floating && v.typ.class == floating:
		out.float = v.float
	case to.class == floating && v.typ.class == signed:
		out.float = float64(int64(v.bits))
	case to.class == floating:
		out.float = float64(v.bits)
	case v.long != nil:
		out.bits = v.wholeLong(to.class)
	case v.typ.class == floating:
		out.bits = whole(v.float, to.class)
	default:
		out.bits = v.bits
	}
	switch {
	case to.class != floating:
	case to.size == 16:
		out.long = v.toLong(to)
	case to.size == 4 && v.long != nil:
		f, _ := v.long.Float32()
		out.float = float64(f)
	case to.size == 4:
		out.float = float64(float32(out.float))
	}
	out.bits = cut(out.bits, to)
	return out
}

// whole truncates to an integer. Numbers that do not fit become the nearest
// one.
func whole(f float64, c class) uint64 {
	switch {
	case math.IsNaN(f):
		return 0
	case c == signed && f <= math.MinInt64:
		return 1 << 63
	case c == signed && f >= math.MaxInt64:
		return math.MaxInt64
	case f >= math.MaxUint64:
		return math.MaxUint64
	case f < 0:
		return uint64(int64(max(f, math.MinInt64)))
	}
	return uint64(f)
}

// cut truncates to the size of a type and extends the sign.
func cut(bits uint64, t *typ) uint64 {
	if t.size <= 0 || t.size >= 8 {
		return bits
	}
	shift := 64 - 8*uint(t.size)
	if t.class == signed {
		return uint64(int64(bits<<shift) >> shift)
	}
	return bits << shift >> shift
}
