package recording_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
)

// A program does not see the code cache among its mappings.
func TestOwnMaps(t *testing.T) {
	program := debuggertest.Compile(t, filepath.Join("testdata", "ownmaps.c"), nil, "gcc", "-O1")
	r := record(t, program)
	if string(r.output) != "100 0 0\n" || r.result.Status != 3 {
		t.Errorf("the program has found %q, and ended with %d", r.output, r.result.Status)
	}
	replayWhole(t, open(t, r.file))
}

// A program with ThreadSanitizer maps a file over the shadows of all code that it finds among
// its mappings.
func TestThreadSanitizer(t *testing.T) {
	program := debuggertest.Compile(t, filepath.Join("testdata", "threads.c"), nil, "gcc", "-O1", "-fsanitize=thread")
	r := record(t, program, "join")
	want, _ := exec.Command(program, "join").Output() // the status is not 0
	if !bytes.Equal(r.output, want) {
		t.Errorf("the program has written %q, want %q", r.output, want)
	}
}

// A program that has opened a file below /proc makes frequent system calls without a stop, as before.
func TestCallsAfterProc(t *testing.T) {
	program := debuggertest.Compile(t, filepath.Join("testdata", "afterproc.c"), nil, "gcc", "-O1")
	r := record(t, program)
	var before, after int
	if n, err := fmt.Sscan(string(r.output), &before, &after); n != 2 || after > before+100 {
		t.Errorf("%q stops in a thousand system calls before and after: %v", r.output, err)
	}
}
