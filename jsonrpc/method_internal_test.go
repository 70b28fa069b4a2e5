package jsonrpc

import (
	"strings"
	"testing"
)

// TestLongMethodsAreNotKept: a client cannot have a decoder hold its biggest
// message.
func TestLongMethodsAreNotKept(t *testing.T) {
	d := newDecoder(DefaultDepth)
	for _, n := range []int{maxMethod - 2, maxMethod - 1} {
		name := strings.Repeat("m", n)
		if got := d.method([]byte(`"` + name + `"`)); got != name {
			t.Errorf("got %d bytes, want %d", len(got), n)
		}
	}
	if len(d.last) != maxMethod-2 || len(d.methods) != 1 {
		t.Errorf("kept %d bytes as the last of %d names, want the one of %d", len(d.last), len(d.methods), maxMethod-2)
	}
}
