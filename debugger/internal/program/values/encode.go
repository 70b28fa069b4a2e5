package values

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
)

// Encode returns the bytes with which the object would have the value of a
// number: bits of an integer, a pointer, a character or a truth value, and the
// number itself for floating-point types.
func (o Object) Encode(bits uint64, float float64) ([]byte, error) {
	t := o.Type.Strip()
	size := t.ByteSize()
	b := make([]byte, 8)
	switch {
	case o.bits.size != 0:
		return nil, errors.New("a bit-field cannot be set")
	case size < 1 || size > 8:
		return nil, fmt.Errorf("a %s of %d bytes cannot be set to a number", o.Type, size)
	case t.Kind == types.KindFloat && size == 8:
		binary.LittleEndian.PutUint64(b, math.Float64bits(float))
	case t.Kind == types.KindFloat && size == 4:
		binary.LittleEndian.PutUint32(b, math.Float32bits(float32(float)))
	case isWhole(t.Kind):
		binary.LittleEndian.PutUint64(b, bits)
	default:
		return nil, fmt.Errorf("a %s cannot be set to a number", o.Type)
	}
	return b[:size], nil
}

// isWhole reports whether values of a kind are whole numbers in memory.
func isWhole(k types.Kind) bool {
	switch k {
	case types.KindInt, types.KindUint, types.KindChar, types.KindBool, types.KindEnum, types.KindPointer:
		return true
	}
	return false
}
