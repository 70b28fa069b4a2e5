package x86_test

import (
	"errors"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// FuzzDecode asks of any bytes: no panic, a length within bounds, the same
// answer when exactly the instruction is given, and ErrTruncated when less is.
func FuzzDecode(f *testing.F) {
	for _, bc := range benchCode {
		f.Add(hexBytes(f, bc.code), uint64(0x400000))
	}
	f.Add(hexBytes(f, "f3 48 ab"), uint64(0))
	f.Add(hexBytes(f, "c8 20 00 03"), uint64(0))
	f.Add(hexBytes(f, "62 f2 7d 49 a0 04 08"), uint64(1<<64-1))
	f.Add(hexBytes(f, "8f e8 78 c0 c1 05"), uint64(7))
	f.Fuzz(func(t *testing.T, code []byte, pc uint64) {
		in, err := x86.Decode(code, pc)
		regs := testRegs()
		if err != nil {
			if !in.Class.Is(x86.Barrier) || int(in.Len) > min(len(code), x86.MaxLen) {
				t.Errorf("error %v with class %#x, length %d", err, in.Class, in.Len)
			}
			_ = x86.Text(code, pc, nil)
			return
		}
		if in.Len == 0 || in.Len > x86.MaxLen || int(in.Len) > len(code) {
			t.Fatalf("length %d of %d bytes", in.Len, len(code))
		}
		exact, err := x86.Decode(code[:in.Len], pc)
		if err != nil || exact != in {
			t.Errorf("%+v with more bytes, %+v and %v without", in, exact, err)
		}
		for n := range int(in.Len) {
			if _, err := x86.Decode(code[:n], pc); !errors.Is(err, x86.ErrTruncated) {
				t.Errorf("%d of %d bytes: %v", n, in.Len, err)
			}
		}
		if in.Text(nil) == "" {
			t.Error("no text")
		}
		for _, s := range in.Writes(nil, &regs, x86.WholeRepeat) {
			if s.Len == 0 {
				t.Error("an empty span")
			}
		}
	})
}
