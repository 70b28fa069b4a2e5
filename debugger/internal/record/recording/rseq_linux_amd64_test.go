package recording_test

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
)

// TestAttachArea records a process that adds an rseq area meanwhile, as threads do that were
// started just before. The kernel knows the area after the recording, and not before.
func TestAttachArea(t *testing.T) {
	t.Setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0")
	program := debuggertest.Compile(t, filepath.Join("testdata", "rseq.c"), nil, "gcc", "-O1")
	l := startProgram(t, 1, program)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var file bytes.Buffer
	done := l.attached(t, ctx, &file)
	l.awaitTraced(t)
	if _, err := l.input.Write([]byte("\n")); err != nil {
		t.Fatal(err)
	}
	if line, err := l.output.ReadString('\n'); err != nil || line != "0\n" {
		t.Fatalf("the process has added its area with the result %q (%v), want 0", line, err)
	}
	stop()
	if result := <-done; !result.Running {
		t.Errorf("%+v", result)
	}
	l.tell(t)
	l.finish(t, "1\n")
	replayWhole(t, open(t, file.Bytes()))
}
