package translate

import (
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// TestStubsFit checks that no part of the stubs reaches into the next one.
func TestStubsFit(t *testing.T) {
	const base = 0x10000000
	code := Stubs(base, nil)
	if len(code) != StubsSize {
		t.Errorf("the stubs have %d bytes, want %d", len(code), StubsSize)
	}
	places := FindBufferPlaces()
	for offset, want := range map[uint64]string{places.Makes: "syscall", places.Checks: "mov", places.Loads: "mov"} {
		in, err := x86.Decode(code[offset:], base+offset)
		if err != nil || in.Name() != want {
			t.Errorf("at %#x: %s, %v, want %s", offset, in.Text(nil), err, want)
		}
	}
	if places.Made != places.Makes+2 || places.Refuses >= stubRules {
		t.Errorf("places %+v", places)
	}
}
