// Package recfiletest makes recordings for tests.
package recfiletest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

// Events returns events, one of each kind, with all fields that the kind has.
func Events() []recfile.Event {
	none := recfile.Remap{Mapping: recfile.Mapping{File: -1}}
	return []recfile.Event{
		{
			Kind: recfile.Image, Registers: []recfile.Register{{Number: 16, Value: 0x401000}}, Remap: none, Vector: []byte{1, 2},
			Mappings: []recfile.Mapping{{Start: 0x400000, Length: 0x1000, Protection: 5, File: -1, Name: "/bin/x"}},
			Writes:   []recfile.Write{{Address: 0x400000, Data: []byte("code")}},
		},
		{Kind: recfile.Native, Position: 10, Hash: 7, Registers: []recfile.Register{{Number: 10, Value: 1 << 63}}, Remap: none},
		{
			Kind: recfile.Call, Position: 12, Number: 25, Hash: 1 << 63, Immediate: true,
			Remap: recfile.Remap{Kind: recfile.Move, Mapping: recfile.Mapping{Start: 0x1000, Length: 0x2000, File: -1}, To: 0x5000, ToLen: 0x3000},
		},
		{Kind: recfile.Signal, Position: 13, Number: 11, Remap: none},
		{Kind: recfile.Ended, Position: 20, Number: 9, Status: -1, Reason: "r", Remap: none},
	}
}

// Write writes a recording.
func Write(t testing.TB, events []recfile.Event) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := recfile.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	for n := range events {
		if err := w.Add(&events[n]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// NewRing returns a ring in a file.
func NewRing(t testing.TB, limit int64) (g *recfile.Ring, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "ring")
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	g = recfile.NewRing(file, path, limit)
	t.Cleanup(func() { _ = g.Close() })
	return g, path
}
