package xsave_test

import (
	"encoding/hex"
	"math"
	"slices"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/interp"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/xsave"
)

// Encodings and values come from the Intel SDM, volume 1, table 4-3, and from C
// compilers' long double constants.
func TestExtended(t *testing.T) {
	tests := []struct {
		bytes string // the last byte has the sign
		text  string
		float float64
	}{
		{"00000000000000000000", "0", 0},
		{"00000000000000000080", "-0", math.Copysign(0, -1)},
		{"0000000000000080ff3f", "1", 1},
		{"00000000000000c000c0", "-3", -3},
		{"35c26821a2da0fc90040", "3.14159265358979324", math.Pi},
		{"0100000000000000" + "0000", "3.6451995318824746e-4951", 0}, // the smallest denormal
		{"0000000000000080ff7f", "inf", math.Inf(1)},
		{"0000000000000080ffff", "-inf", math.Inf(-1)},
		{"00000000000000c0ff7f", "nan", math.NaN()},
		{"0000000000000000ff3f", "nan", math.NaN()}, // without its first bit it is invalid
	}
	for _, tt := range tests {
		var e xsave.Extended
		if n, err := hex.Decode(e[:], []byte(tt.bytes)); n != len(e) || err != nil {
			t.Fatal(tt.bytes, n, err)
		}
		if got := e.String(); got != tt.text {
			t.Errorf("%s is %s, want %s", tt.bytes, got, tt.text)
		}
		if got := e.Float(); math.Float64bits(got) != math.Float64bits(tt.float) && !(math.IsNaN(got) && math.IsNaN(tt.float)) {
			t.Errorf("%s is %v, want %v", tt.bytes, got, tt.float)
		}
	}
}

// A state with pi, -inf and zero on the stack of the x87 unit, whose top is r5.
// Its tag word is by the Intel SDM, volume 1, figure 8-7: empty is 3, zero 1,
// special 2.
func TestX87(t *testing.T) {
	state := make([]byte, stateSize)
	copy(state, []byte{0x7f, 0x03, 0x00, 5 << 3, 0b1110_0000, 0, 0x34, 0x01, 0x78, 0x56, 0, 0, 0, 0, 0, 0, 0x11, 0x22})
	for i, text := range []string{"35c26821a2da0fc90040", "0000000000000080ffff", "00000000000000000000"} {
		if _, err := hex.Decode(state[32+16*i:], []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	r, ok := xsave.Machine().Registers(state)
	if !ok {
		t.Fatal("the state is too short")
	}
	x := r.X87
	if x.Control != 0x37f || x.Status != 0x2800 || x.Opcode != 0x134 || x.Instruction != 0x5678 || x.Operand != 0x2211 || x.Top() != 5 {
		t.Errorf("got %+v", x)
	}
	var texts []string
	for i := range 4 {
		if x.Empty(i) != (i == 3) {
			t.Errorf("st(%d) is empty: %v", i, x.Empty(i))
		}
		texts = append(texts, x.Stack[i].String())
	}
	if want := []string{"3.14159265358979324", "-inf", "0", "0"}; !slices.Equal(texts, want) {
		t.Errorf("the stack is %v, want %v", texts, want)
	}
	if got := x.Tags(); got != 0b01_10_00_11_11111111 {
		t.Errorf("the tag word is %016b", got)
	}
	if _, ok := xsave.Machine().Registers(state[:100]); ok {
		t.Error("100 bytes are taken for a state")
	}
}

// What Load finds for the interpreter Registers shows.
func TestShownVectors(t *testing.T) {
	state := make([]byte, stateSize)
	var v interp.Vectors
	for n := range v.Reg {
		for quad := range v.Reg[n] {
			v.Reg[n][quad] = uint64(n)<<8 | uint64(quad)
		}
	}
	v.Mask = [8]uint64{1, 2, 3, 4, 5, 6, 7, 8}
	v.MXCSR = 0x1f80
	l := xsave.Machine()
	l.Store(state, &v, everything, ignore)
	r, ok := l.Registers(state)
	if !ok || r.MXCSR != 0x1f80 {
		t.Fatalf("got %v, MXCSR %#x", ok, r.MXCSR)
	}
	for n := range r.Count {
		for quad := range r.Width / 8 {
			if b := r.Vectors[n][8*quad:]; b[0] != byte(quad) || b[1] != byte(n) {
				t.Errorf("register %d, quadword %d: % x", n, quad, b[:8])
			}
		}
	}
	if r.HasMasks && r.Masks != v.Mask {
		t.Errorf("masks %v", r.Masks)
	}
}
