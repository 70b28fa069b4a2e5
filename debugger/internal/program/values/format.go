package values

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
)

// A Format is a form in which scalars are written. The zero value is the form of their
// language.
type Format string

// The formats. Those of numbers show the bits of a scalar in memory, of floating-point
// numbers, too.
const (
	Hex      Format = "hex"
	Decimal  Format = "decimal"
	Unsigned Format = "unsigned"
	Octal    Format = "octal"
	Binary   Format = "binary"
	Char     Format = "char"
	Float    Format = "float"
)

// Number returns a computed number of so many bytes in the format: its bits, or the
// floating-point number.
func (f Format) Number(bits uint64, float float64, isFloat bool, size int64) string {
	switch {
	case isFloat && size == 4:
		bits = uint64(math.Float32bits(float32(float)))
	case isFloat:
		bits, size = math.Float64bits(float), 8
	}
	return f.write(bits, size)
}

// write returns the bits of a scalar of so many bytes in the format.
func (f Format) write(bits uint64, size int64) string {
	shift := 64 - 8*min(max(size, 1), 8)
	bits = bits << shift >> shift
	signed := int64(bits<<shift) >> shift
	switch f {
	case Decimal:
		return strconv.FormatInt(signed, 10)
	case Unsigned:
		return strconv.FormatUint(bits, 10)
	case Octal:
		return fmt.Sprintf("%#o", bits)
	case Binary:
		return fmt.Sprintf("%#b", bits)
	case Char:
		return charOf(byte(bits))
	case Float:
		switch size {
		case 4:
			return floatText(float64(math.Float32frombits(uint32(bits))), 4)
		case 8:
			return floatText(math.Float64frombits(bits), 8)
		}
		return strconv.FormatInt(signed, 10)
	}
	return fmt.Sprintf("%#x", bits)
}

// charOf returns a byte as a number and a character, as C does.
func charOf(c byte) string {
	letter := strconv.QuoteRune(rune(c))
	if c >= 0x80 || c < ' ' && !strings.ContainsRune("\a\b\f\n\r\t\v", rune(c)) {
		letter = fmt.Sprintf(`'\%03o'`, c)
	}
	return strconv.Itoa(int(int8(c))) + " " + letter
}

// formats reports whether scalars of a type are written in the format of the limits.
func (l Limits) formats(t *types.Type) bool {
	whole := isWhole(t.Kind)
	if t.ByteSize() > 8 {
		return wideFormats[l.Format] != "" && (whole || t.Kind == types.KindFloat) && t.ByteSize() <= 16
	}
	return l.Format != "" && (whole || t.Kind == types.KindFloat)
}

// wideFormats are the formats of numbers of up to 16 bytes that show the bits. Others
// show such a number as its language does.
var wideFormats = map[Format]string{Hex: "%#x", Octal: "%#o", Binary: "%#b"}

// formatted shows a scalar in the format of the limits.
func (r *renderer) formatted(o Object, t *types.Type) (content, error) {
	if t.ByteSize() > 8 {
		b, err := o.Bytes()
		slices.Reverse(b)
		return content{text: fmt.Sprintf(wideFormats[r.limits.Format], new(big.Int).SetBytes(b))}, err
	}
	var bits uint64
	var err error
	if t.Kind == types.KindFloat {
		var b []byte
		if b, err = o.Bytes(); err == nil {
			bits = word(append(b, make([]byte, 8)...))
		}
	} else {
		bits, err = o.Uint()
	}
	if err != nil {
		return content{}, err
	}
	return content{text: r.limits.Format.write(bits, t.ByteSize())}, nil
}
