package recording_test

import (
	"io"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/recording"
)

// What a recording goes on with takes memory, and is dropped when another one begins.
func TestPastKeepsLast(t *testing.T) {
	if first, last := recording.KeptAfterAdding(3); first || !last {
		t.Errorf("kept of the first part: %t, of the last one: %t", first, last)
	}
}

// A writer does not keep the room that an image took.
func TestWriterBuffer(t *testing.T) {
	w, err := recording.NewWriter(io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1 << 10, 8 << 20} {
		e := recording.Event{Kind: recording.Call, Writes: []recording.Write{{Address: 1 << 20, Data: make([]byte, size)}}}
		if err := w.Add(&e); err != nil {
			t.Fatal(err)
		}
		if got := w.Buffer(); got > 1<<20 {
			t.Errorf("after an event of %d bytes, %d bytes are kept", size, got)
		}
	}
}
