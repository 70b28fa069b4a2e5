package recording_test

import (
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// What a program gives back of a buffer that is larger than the memory of a history is there before, and
// nothing of it after.
func TestHugeMapping(t *testing.T) {
	sample.Alone(t)
	program := debuggertest.Compile(t, filepath.Join("testdata", "hugemap.c"), nil, "gcc", "-O1")
	r := open(t, record(t, program).file)
	h := timeline(t, r).History()
	const start = 0x100000000000
	unmapped := 0
	for n := range r.Len() {
		e := r.Event(n)
		if e.Kind != recfile.Call || e.Remap.Kind != recfile.Unmap || e.Remap.Mapping.Start != start {
			continue
		}
		unmapped++
		var b [1]byte
		for addr, want := range map[uint64]byte{start: 0, start + 4096: 'a', start + e.Remap.Mapping.Length - 1: 'z'} {
			if _, err := h.Seek(e.Position); err != nil {
				t.Fatal(err)
			}
			if n, err := h.View().ReadMemory(addr, b[:]); n != 1 || b[0] != want {
				t.Errorf("before munmap %d: %d bytes %q, %v at %#x, want %q", unmapped, n, b, err, addr, want)
			}
			if _, err := h.Seek(e.Position + 1); err != nil {
				t.Fatal(err)
			}
			if n, _ := h.View().ReadMemory(addr, b[:]); n != 0 {
				t.Errorf("after munmap %d: %q at %#x", unmapped, b, addr)
			}
		}
	}
	if unmapped != 2 {
		t.Errorf("the buffer was unmapped %d times", unmapped)
	}
}
