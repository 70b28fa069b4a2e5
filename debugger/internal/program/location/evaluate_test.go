package location_test

import (
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/program/location"
)

// words is a memory of eight-byte words; everything else cannot be read.
type words map[uint64]uint64

var errUnmapped = errors.New("not mapped")

func (w words) ReadMemory(addr uint64, p []byte) error {
	v, ok := w[addr]
	if !ok || len(p) > 8 {
		return errUnmapped
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	copy(p, b[:])
	return nil
}

// A testFrame is a frame with made-up answers.
type testFrame struct{}

func (testFrame) Register(n uint64) (uint64, bool)             { return 0x1000 * n, n < 16 }
func (testFrame) FrameBase() (uint64, error)                   { return 0x7000, nil }
func (testFrame) CFA() (uint64, error)                         { return 0x8000, nil }
func (testFrame) ThreadLocal(offset uint64) (uint64, error)    { return 0x9000 - 64 + offset, nil }
func (testFrame) Address(i uint64) (uint64, error)             { return 0x10 * i, nil }
func (testFrame) Procedure(die uint64, _ bool) ([]byte, error) { return []byte{0x23, byte(die)}, nil } // plus_uconst

func (testFrame) EntryValue(expr []byte) (uint64, error) {
	if len(expr) == 1 && expr[0] == 0x55 {
		return 77, nil
	}
	return 0, location.ErrUnavailable
}

func (testFrame) Type(die uint64) (location.Type, error) {
	types := map[uint64]location.Type{
		1: {Class: location.Signed, Size: 4}, 2: {Class: location.Unsigned, Size: 4},
		3: {Class: location.Float, Size: 8}, 4: {Class: location.Signed, Size: 1},
		5: {Class: location.Float, Size: 4}, 6: {Class: location.Signed, Size: 99},
	}
	return types[die], nil
}

func frame() *location.Context {
	return &location.Context{Memory: words{0x1000: 0xfedcba9876543210}, Bias: 0x400000, Source: testFrame{}}
}

// TestValue: expressions by hand after DWARF 5, their values by arithmetic.
func TestValue(t *testing.T) {
	minus1 := ^uint64(0)
	tests := []struct {
		name string
		expr []byte
		want uint64
	}{
		{"lit31", []byte{0x4f}, 31},
		{"addr takes the bias", []byte{0x03, 0x10, 0, 0, 0, 0, 0, 0, 0}, 0x400010},
		{"const1u", []byte{0x08, 0xff}, 255},
		{"const1s", []byte{0x09, 0xff}, minus1},
		{"const2s", []byte{0x0b, 0xfe, 0xff}, ^uint64(1)},
		{"const4u", []byte{0x0c, 1, 2, 3, 4}, 0x04030201},
		{"const8s", []byte{0x0f, 0, 0, 0, 0, 0, 0, 0, 0x80}, 1 << 63},
		{"constu", []byte{0x10, 0xe5, 0x8e, 0x26}, 624485},
		{"consts", []byte{0x11, 0x80, 0x7f}, ^uint64(127)},
		{"breg7+8", []byte{0x77, 8}, 0x7008},
		{"bregx 12 -1", []byte{0x92, 12, 0x7f}, 0xbfff},
		{"fbreg -16", []byte{0x91, 0x70}, 0x6ff0},
		{"call_frame_cfa", []byte{0x9c}, 0x8000},
		{"deref", []byte{0x71, 0, 0x06}, 0xfedcba9876543210},
		{"deref_size 2", []byte{0x71, 0, 0x94, 2}, 0x3210},
		{"dup plus", []byte{0x35, 0x12, 0x22}, 10},
		{"swap minus", []byte{0x31, 0x35, 0x16, 0x1c}, 4},
		{"over", []byte{0x31, 0x35, 0x14, 0x1c}, 4},
		{"pick 2", []byte{0x37, 0x31, 0x32, 0x15, 2}, 7},
		{"rot puts the top third", []byte{0x31, 0x32, 0x33, 0x17, 0x1c}, minus1},
		{"abs", []byte{0x09, 0xfb, 0x19}, 5},
		{"neg", []byte{0x35, 0x1f}, ^uint64(4)},
		{"not", []byte{0x30, 0x20}, minus1},
		{"div is signed", []byte{0x09, 0xf8, 0x32, 0x1b}, ^uint64(3)},
		{"mod", []byte{0x3a, 0x33, 0x1d}, 1},
		{"mul", []byte{0x3a, 0x33, 0x1e}, 30},
		{"shl", []byte{0x31, 0x3f, 0x24}, 1 << 15},
		{"shl by 64", []byte{0x31, 0x08, 64, 0x24}, 0},
		{"shr", []byte{0x09, 0xff, 0x08, 63, 0x25}, 1},
		{"shra", []byte{0x09, 0xf0, 0x32, 0x26}, ^uint64(3)},
		{"xor", []byte{0x3f, 0x35, 0x27}, 10},
		{"lt is signed", []byte{0x09, 0xff, 0x31, 0x2d}, 1},
		{"ge", []byte{0x31, 0x31, 0x2a}, 1},
		{"skip", []byte{0x31, 0x2f, 1, 0, 0x20}, 1},
		{"bra taken", []byte{0x35, 0x31, 0x28, 1, 0, 0x20}, 5},
		{"bra not taken", []byte{0x35, 0x30, 0x28, 1, 0, 0x1f}, ^uint64(4)},
		{"loop counts down", []byte{0x35, 0x31, 0x1c, 0x12, 0x28, 0xfa, 0xff}, 0},
		{"form_tls_address", []byte{0x0e, 16, 0, 0, 0, 0, 0, 0, 0, 0x9b}, 0x9000 - 48},
		{"entry_value", []byte{0xa3, 1, 0x55}, 77},
		{"GNU_entry_value", []byte{0xf3, 1, 0x55, 0x31, 0x22}, 78},
		{"addrx takes the bias", []byte{0xa1, 3}, 0x400030},
		{"constx does not", []byte{0xa2, 3}, 0x30},
		{"call4 goes on here afterwards", []byte{0x35, 0x99, 4, 0, 0, 0, 0x1f}, ^uint64(8)},
		{"convert to signed char", []byte{0x08, 0xff, 0xa8, 4, 0xa8, 0}, minus1},
		{"convert to unsigned", []byte{0x09, 0xff, 0xa8, 2, 0xa8, 0}, 0xffffffff},
		{"typed division is unsigned", []byte{0x09, 0xfe, 0xa8, 2, 0x32, 0xa8, 2, 0x1b}, 0x7fffffff},
		{"int32 overflow wraps", []byte{0xa4, 1, 4, 0xff, 0xff, 0xff, 0x7f, 0x23, 1, 0xa8, 0}, 0xffffffff80000000},
		{"int to double", []byte{0x33, 0xa8, 1, 0xa8, 3, 0xa9, 0}, math.Float64bits(3)},
		{"float times two", []byte{0xa4, 5, 4, 0, 0, 0xc0, 0x3f, 0x12, 0x22, 0xa8, 3, 0xa9, 0}, math.Float64bits(3)},
		{"regval_type", []byte{0xa5, 1, 4, 0xa8, 0}, 0},
		{"deref_type", []byte{0x71, 0, 0xa6, 4, 1, 0xa8, 0}, 0x76543210},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := location.Value(tt.expr, frame())
			if err != nil || got != tt.want {
				t.Errorf("Value = %#x, %v, want %#x", got, err, tt.want)
			}
		})
	}
}

func TestEvaluate(t *testing.T) {
	tests := []struct {
		name string
		expr []byte
		want []location.Piece
	}{
		{"nothing", nil, []location.Piece{{}}},
		{"memory", []byte{0x91, 0}, []location.Piece{{Kind: location.InMemory, Addr: 0x7000}}},
		{"register", []byte{0x53}, []location.Piece{{Kind: location.InRegister, Reg: 3}}},
		{"regx", []byte{0x90, 17}, []location.Piece{{Kind: location.InRegister, Reg: 17}}},
		{"value", []byte{0x35, 0x9f}, []location.Piece{{Kind: location.IsValue, Value: 5}}},
		{"bytes", []byte{0x9e, 2, 7, 8}, []location.Piece{{Kind: location.IsBytes, Data: []byte{7, 8}}}},
		{
			"implicit pointer",
			[]byte{0xa0, 0x34, 0x12, 0, 0, 4},
			[]location.Piece{{Kind: location.IsPointer, DIE: 0x1234, Offset: 4}},
		},
		{
			"register, gap, memory",
			[]byte{0x50, 0x93, 4, 0x93, 4, 0x91, 8, 0x93, 8},
			[]location.Piece{
				{Kind: location.InRegister, Bits: 32},
				{Bits: 32},
				{Kind: location.InMemory, Addr: 0x7008, Bits: 64},
			},
		},
		{
			"bit piece",
			[]byte{0x50, 0x9d, 3, 5},
			[]location.Piece{{Kind: location.InRegister, Bits: 3, BitOffset: 5}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := location.Evaluate(tt.expr, frame())
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("Evaluate = %+v, %v, want %+v", got, err, tt.want)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	tests := []struct {
		name string
		expr []byte
		want error // nil: any
	}{
		{"a register that is lost", []byte{0x70 + 20, 0}, location.ErrUnavailable},
		{"an unknown entry value", []byte{0xa3, 1, 0x54}, location.ErrUnavailable},
		{"memory that is not there", []byte{0x30, 0x06}, errUnmapped},
		{"empty stack", []byte{0x22}, nil},
		{"operand missing", []byte{0x0c, 1}, nil},
		{"endless loop", []byte{0x2f, 0xfd, 0xff}, nil},
		{"jump out", []byte{0x2f, 0x00, 0x10}, nil},
		{"division by zero", []byte{0x31, 0x30, 0x1b}, nil},
		{"unknown operation", []byte{0x01}, nil},
		{"type of 99 bytes", []byte{0x31, 0xa8, 6}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := location.Evaluate(tt.expr, frame())
			if err == nil || (tt.want != nil && !errors.Is(err, tt.want)) {
				t.Errorf("Evaluate = %+v, %v, want error %v", got, err, tt.want)
			}
		})
	}
}

// callsOf is a frame in which every procedure has the same code.
type callsOf struct {
	testFrame
	code []byte
}

func (c callsOf) Procedure(uint64, bool) ([]byte, error) { return c.code, nil }

// TestCallLoop: an expression that calls itself comes to an end.
func TestCallLoop(t *testing.T) {
	c := frame()
	loop := []byte{0x98, 1, 0}
	c.Source = callsOf{code: loop}
	if _, err := location.Evaluate(loop, c); err == nil {
		t.Error("no error")
	}
}

func TestList(t *testing.T) {
	index := func(i uint64) (uint64, error) { return 0x1000 * i, nil }
	five := []byte{
		9, 0, 0, // view pair
		4, 0x10, 0x20, 1, 0x50, // offset pair: base + 0x10 … 0x20
		6, 0, 0x30, 0, 0, 0, 0, 0, 0, // base address 0x3000
		4, 0, 8, 1, 0x51,
		1, 5, // base address: index 5
		4, 0, 8, 1, 0x52,
		2, 6, 7, 1, 0x53, // startx endx
		3, 8, 4, 1, 0x54, // startx length
		7, 0, 0x90, 0, 0, 0, 0, 0, 0, 4, 0x91, 0, 0, 0, 0, 0, 0, 1, 0x55, // start end
		8, 0, 0xa0, 0, 0, 0, 0, 0, 0, 2, 0, // start length, empty: optimized out
		5, 1, 0x5f, // default
		0,
	}
	four := []byte{
		0x10, 0, 0, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0x50,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0x30, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0x51,
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	}
	tests := []struct {
		name    string
		version int
		data    []byte
		pc      uint64
		want    string
	}{
		{"offset pair", 5, five, 0x110, "\x50"},
		{"end is outside", 5, five, 0x120, "\x5f"},
		{"base address", 5, five, 0x3007, "\x51"},
		{"base addressx", 5, five, 0x5000, "\x52"},
		{"startx endx", 5, five, 0x6fff, "\x53"},
		{"startx length", 5, five, 0x8003, "\x54"},
		{"start end", 5, five, 0x9000, "\x55"},
		{"start length", 5, five, 0xa001, ""},
		{"version 4", 4, four, 0x11f, "\x50"},
		{"version 4, base", 4, four, 0x3000, "\x51"},
		{"version 4, none", 4, four, 0x4000, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := location.List{Data: tt.data, Version: tt.version, Base: 0x100, Address: index}
			got, err := l.Find(0, tt.pc)
			if err != nil || string(got) != tt.want {
				t.Errorf("Find(%#x) = % x, %v, want % x", tt.pc, got, err, tt.want)
			}
		})
	}
}

func FuzzEvaluate(f *testing.F) {
	f.Add([]byte{0x50, 0x93, 4, 0x91, 8, 0x93, 8})
	f.Add([]byte{0xa4, 5, 4, 0, 0, 0xc0, 0x3f, 0x12, 0x22, 0xa8, 3, 0x9f})
	f.Add([]byte{0x35, 0x31, 0x1c, 0x12, 0x28, 0xfa, 0xff})
	f.Fuzz(func(t *testing.T, expr []byte) {
		c := frame()
		c.Source = callsOf{code: expr}
		pieces, err := location.Evaluate(expr, c)
		if err == nil && len(pieces) == 0 {
			t.Error("neither a piece nor an error")
		}
	})
}

func FuzzList(f *testing.F) {
	f.Add([]byte{4, 0x10, 0x20, 1, 0x50, 0}, 5, uint64(0x11))
	f.Add([]byte{0x10, 0, 0, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0x50}, 4, uint64(0x11))
	f.Fuzz(func(t *testing.T, data []byte, version int, pc uint64) {
		l := location.List{Data: data, Version: version}
		if expr, err := l.Find(0, pc); err == nil && len(expr) > len(data) {
			t.Errorf("% x is longer than the section", expr)
		}
	})
}
