package isolate

import (
	"runtime"
	"testing"
)

// An idle process gives back what it no longer uses.
func TestGiveBack(t *testing.T) {
	held := make([]byte, 4*minGarbage)
	for i := range held {
		held[i] = 1
	}
	runtime.GC()
	runtime.KeepAlive(held)
	held = nil
	_ = held
	runtime.GC() // what is free now is not released yet
	if before := garbage(); before < minGarbage {
		t.Skipf("the runtime gave the memory back by itself: %d bytes are left", before)
	}
	giveBack()
	if after := garbage(); after >= minGarbage {
		t.Errorf("%d bytes hold nothing after they were given back", after)
	}
}
