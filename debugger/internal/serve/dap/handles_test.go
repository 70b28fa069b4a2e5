package dap

import "testing"

// What a client reads at a stop is bounded. Beyond the limit values are shown
// and cannot be opened.
func TestHandlesAreBounded(t *testing.T) {
	var l looks
	for n := range maxHandles {
		if got := l.reference(handle{}); got != n+1 {
			t.Fatalf("handle %d has the number %d", n+1, got)
		}
	}
	if got := l.reference(handle{}); got != 0 || len(l.now.handles) != maxHandles {
		t.Errorf("one more has the number %d, and there are %d; want 0 and %d", got, len(l.now.handles), maxHandles)
	}
	// The same frame has the same number however often the client asks for the stack.
	for range 3 {
		if a, b := l.now.number(frameID{1, 2}), l.now.number(frameID{1, 3}); a != 1 || b != 2 {
			t.Errorf("frames have the numbers %d and %d", a, b)
		}
	}
}
