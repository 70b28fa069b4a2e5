package values_test

import (
	"encoding/binary"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfregs"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
)

// A longMemory is a number of 16 bytes: its lower and its upper half.
type longMemory [2]uint64

func (m longMemory) ReadMemory(_ uint64, p []byte) error {
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:], m[0])
	binary.LittleEndian.PutUint64(b[8:], m[1])
	copy(p, b[:])
	return nil
}

// TestLong: numbers of the x87 are shown in full. gcc writes these bytes
// for constants; the texts are the shortest that strtold reads as the same number.
func TestLong(t *testing.T) {
	for _, tt := range []struct {
		memory longMemory
		want   string
	}{
		{longMemory{0xcccccccccccccccd, 0x3ffb}, "0.1"},
		{longMemory{0xaaaaaaaaaaaaaaab, 0x3ffd}, "0.33333333333333333334"},
		{longMemory{0xffffffffffffffff, 0xc03e}, "-1.8446744073709551615e+19"},
		{longMemory{0xffffffffffffffff, 0x7ffe}, "1.189731495357231765e+4932"},
		{longMemory{0, 0x8000}, "-0"},
		{longMemory{1 << 63, 0x7fff}, "inf"},
		{longMemory{3 << 62, 0xffff}, "nan"},
	} {
		o := values.ObjectAt(symbols.New(symbols.Config{}), &types.Type{Kind: types.KindFloat, Size: 16}, 0x1000, tt.memory, dwarfregs.Registers{})
		if got := o.Value(values.DefaultLimits).Text; got != tt.want {
			t.Errorf("%#x is %s, want %s", tt.memory, got, tt.want)
		}
	}
}
