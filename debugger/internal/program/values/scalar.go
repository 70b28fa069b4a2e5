package values

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
)

// scalar shows a value that has no parts.
func scalar(o Object, t *types.Type) (string, error) {
	if t.Size == 16 && (t.Kind == types.KindInt || t.Kind == types.KindUint) {
		return wide(o, t)
	}
	switch t.Kind {
	case types.KindFloat:
		if long, err := o.Long(LongPrecision(t)); long != nil || err != nil {
			return longText(long), err
		}
		f, err := o.Float()
		if err != nil {
			return "", err
		}
		return floatText(f, t.Size), nil
	case types.KindComplex:
		return complexText(o)
	case types.KindInt:
		v, err := o.Int()
		return strconv.FormatInt(v, 10), err
	case types.KindFunc:
		addr, _ := o.Address()
		return fmt.Sprintf("%#x", addr) + o.View.symbolText(addr), nil
	}
	if t.Kind == types.KindMemberPointer && t.Size > 8 {
		return methodText(o)
	}
	if t.Kind == types.KindOther && t.ByteSize() == 0 { // such as decltype(nullptr)
		return "0x0", nil
	}
	v, err := o.Uint()
	if err != nil {
		return "", err
	}
	switch t.Kind {
	case types.KindBool:
		return boolText(v), nil
	case types.KindChar:
		return charText(o, t, v), nil
	case types.KindEnum:
		if t.Signed() { // a bit-field has fewer bits than its type
			n, err := o.Int()
			return t.EnumText(uint64(n)), err
		}
		return t.EnumText(v), nil
	case types.KindMemberPointer:
		return t.MemberText(int64(v)), nil
	}
	return strconv.FormatUint(v, 10), nil
}

// wide shows a 128-bit integer.
func wide(o Object, t *types.Type) (string, error) {
	b, err := o.Bytes()
	if err != nil {
		return "", err
	}
	negative := t.Kind == types.KindInt && b[15]&0x80 != 0
	slices.Reverse(b)
	n := new(big.Int).SetBytes(b)
	if negative {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), 128))
	}
	return n.String(), nil
}

func boolText(v uint64) string {
	switch v {
	case 0:
		return "false"
	case 1:
		return "true"
	}
	return strconv.FormatUint(v, 10)
}

// floatText returns the shortest decimal that parses to the same number.
func floatText(f float64, size int64) string {
	bits := 64
	if size == 4 {
		bits = 32
	}
	switch s := strconv.FormatFloat(f, 'g', -1, bits); s {
	case "+Inf":
		return "inf"
	case "-Inf":
		return "-inf"
	case "NaN":
		return "nan"
	default:
		return s
	}
}

func complexText(o Object) (string, error) {
	b, err := o.Bytes()
	if err != nil {
		return "", err
	}
	half := len(b) / 2
	re, err := floatOf(b[:half])
	im, err2 := floatOf(b[half:])
	return floatText(re, int64(half)) + " + " + floatText(im, int64(half)) + "i", errors.Join(err, err2)
}

// charText shows a character: as a number and a letter in C, as a letter in
// languages whose characters are code points.
func charText(o Object, t *types.Type, v uint64) string {
	letter := strconv.QuoteRune(rune(v))
	if v > unicode.MaxRune {
		letter = strconv.FormatUint(v, 10)
	}
	switch {
	case t.Lang == lang.Rust || t.Lang == lang.Go:
		return letter
	case t.ByteSize() == 1 && (v >= utf8.RuneSelf || v < ' ' && !strings.ContainsRune("\a\b\f\n\r\t\v", rune(v))):
		letter = fmt.Sprintf(`'\%03o'`, v)
	}
	if n, err := o.Int(); t.Signed() && err == nil {
		return strconv.FormatInt(n, 10) + " " + letter
	}
	return strconv.FormatUint(v, 10) + " " + letter
}

// methodText shows a pointer to a method: its address or, if the value is odd,
// its offset in the vtable (Itanium C++ ABI section 2.3).
func methodText(o Object) (string, error) {
	b, err := o.Bytes()
	if err != nil {
		return "", err
	}
	if v := word(b); v&1 == 0 {
		return fmt.Sprintf("%#x", v) + o.View.symbolText(v), nil
	}
	return fmt.Sprintf("&virtual[%d]", (word(b)-1)/8), nil
}

// cstring reads a string up to its zero byte or the limit.
func (r *renderer) cstring(m symbols.Memory, addr uint64) (string, error) {
	var out []byte
	for len(out) <= r.limits.String {
		// Chunks end at multiples of their size, so that none extends
		// into the page after the string.
		n := 64 - addr%64
		p := make([]byte, n)
		if err := m.ReadMemory(addr, p); err != nil {
			if len(out) > 0 {
				break
			}
			return "", err
		}
		if last, _, ends := bytes.Cut(p, []byte{0}); ends {
			return r.quote(append(out, last...), false), nil
		}
		out, addr = append(out, p...), addr+n
	}
	return r.quote(out, true), nil
}

// quote returns bytes as a quoted string, truncated to the limit.
func (r *renderer) quote(b []byte, more bool) string {
	if len(b) > r.limits.String {
		b, more = b[:r.limits.String], true
		for i := 0; i < 3 && len(b) > 0 && !utf8.Valid(b); i++ {
			b = b[:len(b)-1]
		}
	}
	s := strconv.Quote(string(b))
	if more {
		s += "…"
	}
	return s
}

// charArray shows an array of characters without trailing zero bytes.
func (r *renderer) charArray(o Object, n int64) (content, error) {
	size := min(n, int64(r.limits.String)+1)
	b := make([]byte, size)
	if err := o.read(0, b); err != nil {
		return content{}, err
	}
	if size == n {
		b = bytes.TrimRight(b, "\x00")
	}
	return content{text: r.quote(b, false), cut: size < n}, nil
}

// text reads a string of a known length.
func (r *renderer) text(m symbols.Memory, addr uint64, n int64) (content, error) {
	if n < 0 || n > 1<<40 {
		return content{}, fmt.Errorf("a string of %d bytes", n)
	}
	b := make([]byte, min(n, int64(r.limits.String)+1))
	if len(b) > 0 {
		if err := m.ReadMemory(addr, b); err != nil {
			return content{}, fmt.Errorf("cannot read memory at %#x", addr)
		}
	}
	return content{text: r.quote(b, false), cut: n > int64(r.limits.String)}, nil
}
