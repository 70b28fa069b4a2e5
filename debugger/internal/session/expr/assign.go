package expr

import (
	"fmt"
	"math"

	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
)

// Assign returns the bytes with which an object would have the value, converted
// as by an assignment in C. Numbers that do not fit are rejected.
func (v Value) Assign(to values.Object) ([]byte, error) {
	if v.object != nil && v.typ.class == aggregate && to.Type == v.object.Type {
		return v.object.Bytes()
	}
	n, err := v.scalar()
	if err != nil {
		return nil, err
	}
	t := typeOf(to.Type)
	c := n.convert(t)
	if t.class != floating && t.class != boolean && !n.fits(c) {
		return nil, fmt.Errorf("%s does not fit into %s", n.formatNumber(), to.Type)
	}
	return to.Encode(c.bits, c.float)
}

// fits reports whether a conversion has kept the number, as signed or unsigned.
func (v Value) fits(c Value) bool {
	if v.typ.class == floating {
		return math.Trunc(v.float) == v.float && (float64(int64(c.bits)) == v.float || float64(c.bits) == v.float)
	}
	size := c.typ.size
	if size >= 8 || size <= 0 {
		return true
	}
	return c.bits == v.bits || v.bits&(1<<(8*size)-1) == v.bits || v.bits|(1<<(8*size)-1) == math.MaxUint64
}
