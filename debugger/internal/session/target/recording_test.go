package target_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
)

// A file is read until the context ends, whatever it has.
func TestOpenRecordingEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := target.OpenRecording(ctx, file, nil, target.Overrides{}); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if at, err := file.Seek(0, io.SeekCurrent); at != 0 || err != nil {
		t.Errorf("%d bytes were read, %v", at, err)
	}
}
