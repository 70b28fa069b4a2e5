package recording_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// TestSharedFiles records a program that maps a file in shared memory and writes it. The
// recording ends before others, or another mapping, could change what the program sees. Most
// ways are tried only in a whole run.
func TestSharedFiles(t *testing.T) {
	const usual = 4
	program := debuggertest.Compile(t, filepath.Join("testdata", "sharedfile.c"), nil, "gcc", "-O1")
	for n, test := range []struct{ what, cut string }{
		{"alone", ""},
		{"stores", "is opened for writing twice"},
		{"inherited", "process "},
		{"passes", "passes a file to another process"},
		{"reads", ""}, // the first of those that are left out
		{"spawn", ""},
		{"unmaps", ""},
		{"before", "is opened for writing twice"},
		{"races", "is opened for writing twice"},
		{"closes", "was opened again"},
		{"writes", "another process, or a system call with unknown effect, has written"},
		{"truncates", "another process, or a system call with unknown effect, has written"},
		{"opens", "is opened for writing twice"},
		{"twice", "maps the same part of a file twice"},
		{"private", "maps the same part of a file twice"},
		{"fork", "would share a mapped file with a child"},
		{"leaks", "would pass a file to a child"},
	} {
		if n == usual && !sample.Whole() {
			break
		}
		t.Run(test.what, func(t *testing.T) {
			t.Parallel()
			r := record(t, program, test.what, filepath.Join(t.TempDir(), "file"))
			want, _ := exec.CommandContext(t.Context(), program, test.what, filepath.Join(t.TempDir(), "file")).Output() // exit status 3
			if r.result.Status != 3 || string(r.output) != string(want) {
				t.Errorf("%+v, output %q, want status 3 and %q", r.result, r.output, want)
			}
			if cut := r.result.Cut; (cut == "") != (test.cut == "") || !strings.Contains(cut, test.cut) {
				t.Errorf("the recording has ended because %q, want %q", cut, test.cut)
			}
			if test.cut == "" || test.what == "races" {
				replayWhole(t, open(t, r.file))
			}
		})
	}
}
