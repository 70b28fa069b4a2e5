package values

import (
	"fmt"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/program/location"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
)

// lanes are the numbers that a vector register may hold, in the order and with the names
// of GDB.
var lanes = []struct {
	name string
	typ  *types.Type
}{
	{"float", types.NewNumber("float", types.KindFloat, 4)},
	{"double", types.NewNumber("double", types.KindFloat, 8)},
	{"int8", types.NewNumber("int8_t", types.KindInt, 1)},
	{"int16", types.NewNumber("int16_t", types.KindInt, 2)},
	{"int32", types.NewNumber("int32_t", types.KindInt, 4)},
	{"int64", types.NewNumber("int64_t", types.KindInt, 8)},
	{"int128", types.NewNumber("uint128_t", types.KindUint, 16)},
}

// vectorType returns the type of vector registers of so many bytes: a union of
// v4_float, v2_double and so on, as GDB has it.
func vectorType(size int64) *types.Type {
	var fields []types.Field
	for _, lane := range lanes {
		n := size / lane.typ.Size
		if n == 1 {
			fields = append(fields, types.NewField("u"+lane.name, lane.typ))
			continue
		}
		fields = append(fields, types.NewField(fmt.Sprintf("v%d_%s", n, lane.name), types.ArrayOf(lane.typ, n)))
	}
	return types.NewUnion(fmt.Sprintf("vec%d", 8*size), size, fields...)
}

// vectorTypes are the types of xmm, ymm and zmm registers by their sizes.
var vectorTypes = map[int]*types.Type{16: vectorType(16), 32: vectorType(32), 64: vectorType(64)}

// Vector returns a vector register of 16, 32 or 64 bytes.
func Vector(b []byte) Object { return constant(vectorTypes[len(b)], b) }

// extendedType is the type of the registers of the x87 unit.
var extendedType = types.NewNumber("long double", types.KindFloat, 16)

// Extended returns a register of the x87 unit, of 10 bytes.
func Extended(b []byte) Object {
	return constant(extendedType, append(slices.Clip(b), make([]byte, 6)...))
}

// constant returns an object whose bytes are known.
func constant(t *types.Type, b []byte) Object {
	return Object{Type: t, View: &View{}, pieces: []location.Piece{{Kind: location.IsBytes, Data: b}}}
}
