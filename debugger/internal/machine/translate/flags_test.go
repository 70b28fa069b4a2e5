package translate

import (
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// TestOverwritingIsLookedUp makes sure that the instructions without 0f that overwrite all flags
// are found by their opcodes.
func TestOverwritingIsLookedUp(t *testing.T) {
	found := 0
	for _, prefix := range [][]byte{{}, {0x48}, {0x66}} {
		for n := range 256 * 8 {
			code := append(append([]byte(nil), prefix...), byte(n/8), 0xc0|byte(n%8)<<3, 0, 0, 0, 0, 0, 0, 0, 0)
			in, err := x86.Decode(code, 0x1000)
			if err != nil {
				continue
			}
			code = code[:in.Len]
			reads, writes, certain := flagUse(&in)
			want := certain && reads == 0 && writes == arithmetic
			if got := overwritesFlags(&in, code); got != want {
				t.Errorf("% x, %s: overwritesFlags is %v, want %v", code, in.Name(), got, want)
			}
			if want {
				found++
			}
		}
	}
	if found < 500 {
		t.Errorf("only %d instructions overwrite all flags", found)
	}
}
