package plain_test

import (
	"testing"

	"github.com/triptych-mcp/triptych/mcp/plain"
)

// A line can neither move the cursor nor start another one.
func TestLine(t *testing.T) {
	if got, want := plain.Line("a\nb\x1b[31mc\u202ed\te"), "a b [31mcd e"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
