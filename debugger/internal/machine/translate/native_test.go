package translate

import (
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// TestNamesAreLookedUp makes sure that instructions of nativeNames are found by their
// opcodes, whatever their prefixes and operands are.
func TestNamesAreLookedUp(t *testing.T) {
	found := make(map[string]bool)
	prefixes := [][]byte{{}, {0x66}, {0xf2}, {0xf3}, {0x48}}
	maps := [][]byte{{}, {0x0f}, {0x0f, 0x38}, {0x0f, 0x3a}, {0xc5, 0xf8}, {0xc4, 0xe1, 0x78}, {0xc4, 0xe2, 0x78}}
	for _, prefix := range prefixes {
		for _, escape := range maps {
			for n := range 256 * 72 {
				operand := byte(n % 72) // ModRM: two registers, or [rax] and one
				if operand = operand | 0xc0; n%72 >= 64 {
					operand = byte(n%72-64) << 3
				}
				code := append(append([]byte(nil), prefix...), escape...)
				code = append(code, byte(n/72), operand, 0, 0, 0, 0, 0, 0, 0, 0)
				in, err := x86.Decode(code, 0x1000)
				if err != nil || !nativeNames[in.Name()] {
					continue
				}
				s := shapeOf(code[:in.Len])
				if found[in.Name()] = true; !mayBeNamed(&s) {
					t.Fatalf("% x, %s, is not looked up", code[:in.Len], in.Name())
				}
			}
		}
	}
	for _, name := range []string{"cpuid", "rdtsc", "rdrand", "int", "enter", "xbegin", "retf", "lar", "movdir64b"} {
		if !found[name] {
			t.Errorf("no %s was found", name)
		}
	}
}
