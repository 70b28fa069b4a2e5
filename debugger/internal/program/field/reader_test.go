package field_test

import (
	"errors"
	"math"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/program/field"
)

var errShort = errors.New("it ends early")

// The examples come from DWARF 5, tables 7.7 and 7.8; others are the ends of
// the ranges.
func TestLEB(t *testing.T) {
	for _, tt := range []struct {
		data     string
		unsigned uint64
		signed   int64
	}{
		{"\x02", 2, 2},
		{"\x7e", 126, -2},
		{"\x7f", 127, -1},
		{"\xff\x00", 127, 127},
		{"\x81\x7f", 16257, -127},
		{"\x80\x01", 128, 128},
		{"\x80\x7f", 16256, -128},
		{"\x81\x01", 129, 129},
		{"\xff\x7e", 16255, -129},
		{"\xb9\x64", 12857, -3527},
		{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", math.MaxUint64, -1},
		{"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 1 << 63, math.MinInt64},
		{"\x81\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 1, 1}, // what is above 64 bits is dropped
	} {
		u := field.Reader{Data: []byte(tt.data), Short: errShort}
		s := u
		if got := u.ULEB(); got != tt.unsigned || u.Err != nil || len(u.Data) > 0 {
			t.Errorf("%x unsigned: %d, %v, %d bytes left; want %d", tt.data, got, u.Err, len(u.Data), tt.unsigned)
		}
		if got := s.SLEB(); got != tt.signed || s.Err != nil || len(s.Data) > 0 {
			t.Errorf("%x signed: %d, %v, %d bytes left; want %d", tt.data, got, s.Err, len(s.Data), tt.signed)
		}
	}
}

func TestFields(t *testing.T) {
	r := field.Reader{Data: []byte("\x01\x02\x03\xfe\xff\x02ab" + "name\x00" + "\xff"), Addr: 0x1000, Short: errShort}
	if got := r.Fixed(3); got != 0x030201 {
		t.Errorf("fixed: %#x, want 0x030201", got)
	}
	if got := r.Signed(2); got != -2 {
		t.Errorf("signed: %d, want -2", got)
	}
	if got := string(r.Block()); got != "ab" {
		t.Errorf("block: %q, want ab", got)
	}
	if got := r.Text(); got != "name" {
		t.Errorf("text: %q, want name", got)
	}
	if r.Addr != 0x1000+13 {
		t.Errorf("address %#x, want %#x", r.Addr, 0x1000+13)
	}
	if got := r.Byte(); got != 0xff || r.Err != nil {
		t.Errorf("byte: %#x, %v, want 0xff", got, r.Err)
	}
}

// Data that ends early is an error that stays, with zeros from then on.
func TestShort(t *testing.T) {
	for name, read := range map[string]func(*field.Reader) bool{
		"take":   func(r *field.Reader) bool { return r.Take(3) == nil },
		"large":  func(r *field.Reader) bool { return r.Take(math.MaxUint64) == nil },
		"fixed":  func(r *field.Reader) bool { return r.Fixed(4) == 0 },
		"block":  func(r *field.Reader) bool { return r.Block() == nil },
		"text":   func(r *field.Reader) bool { return r.Text() == "" },
		"number": func(r *field.Reader) bool { r.ULEB(); return true },
	} {
		r := field.Reader{Data: []byte{0x85, 0x81}, Short: errShort}
		if !read(&r) || !errors.Is(r.Err, errShort) {
			t.Errorf("%s: not zero, or %v", name, r.Err)
		}
		r.Data = []byte{1, 2, 3, 0}
		if r.Byte() != 0 || r.Text() != "" || len(r.Data) != 4 {
			t.Errorf("%s: something was read after the error", name)
		}
	}
}
