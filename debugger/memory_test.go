package debugger_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/recording"
)

// TestFileMemory opens a recording of some KiB that takes 40 MiB: it is refused with the flag that
// permits it, as often as it is tried, and opened with that.
func TestFileMemory(t *testing.T) {
	dir := t.TempDir()
	var file bytes.Buffer
	w, err := recording.NewWriter(&file)
	if err != nil {
		t.Fatal(err)
	}
	none := recording.Remap{Mapping: recording.Mapping{File: -1}}
	for _, e := range []recording.Event{
		{Kind: recording.Image, Remap: none, Writes: []recording.Write{{Address: 1 << 32, Data: bytes.Repeat([]byte{1}, 40<<20)}}},
		{Kind: recording.Ended, Position: 1, Remap: none},
	} {
		if err := w.Add(&e); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if file.Len() > 64<<10 {
		t.Fatalf("the recording has %d bytes", file.Len())
	}
	if err := os.WriteFile(filepath.Join(dir, "large"), file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	c := connect(t, table(t, debugger.Config{Traces: []string{dir}, FileMemory: 16}))
	for range 3 {
		contains(t, c.fails("open_trace", args{"file": "large"}, -1), "the recording cannot be opened", "of the 16 MiB", "--debug-memory ")
	}
	c = connect(t, table(t, debugger.Config{Traces: []string{dir}, FileMemory: 64}))
	contains(t, c.fails("open_trace", args{"file": "large"}, -1), "of no mapping")
}
