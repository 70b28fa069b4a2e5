package quota

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
)

// TestHalfWrittenBatch: after a write that failed in its middle, as on a full
// disk, the file is written anew; nothing is left of the half, and nothing that
// was acknowledged is lost.
func TestHalfWrittenBatch(t *testing.T) {
	path := filepath.Join(t.TempDir(), "counts.jsonl")
	j, err := openJournal(path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if err := j.add(line{Key: "a", Used: 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := j.file.WriteString(`{"key":"b","used":5` + "\n" + `{"key":"c"`); err != nil {
		t.Fatal(err)
	}
	if err := j.file.Close(); err != nil { // writes fail from now on
		t.Fatal(err)
	}
	if err := j.add(line{Key: "b", Used: 5}); !errors.Is(err, os.ErrClosed) {
		t.Fatalf("the failed write: %v", err)
	}
	if err := j.add(line{Key: "b", Used: 2}); err != nil {
		t.Fatal(err)
	}
	again, err := openJournal(path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if len(again.live) != 2 || again.live["a"].Used != 1 || again.live["b"].Used != 2 {
		t.Errorf("holds %v", again.live)
	}
}
