package recording_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
)

// TestCallsWhileMapped records a program that makes system calls without a stop while it has
// mapped a file in shared memory. It still stops when it changes the file, and what it does
// after others have changed the file is not recorded.
func TestCallsWhileMapped(t *testing.T) {
	program := debuggertest.Compile(t, filepath.Join("testdata", "mapped.c"), nil, "gcc", "-O1")
	for _, test := range []struct{ what, cut string }{
		{"counts", ""},
		{"writable", ""},
		{"writes", ""},
		{"other", "another process, or a system call with unknown effect, has written"},
	} {
		t.Run(test.what, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "file")
			argv := []string{program, test.what, file}
			check(t, os.WriteFile(file, []byte("the contents"), 0o600))
			want, _ := exec.CommandContext(t.Context(), argv[0], argv[1:]...).Output() // exit status 3
			check(t, os.WriteFile(file, []byte("the contents"), 0o600))
			r := record(t, argv...)
			if r.result.Status != 3 || string(r.output) != string(want) {
				t.Errorf("%+v, output %q, want status 3 and %q", r.result, r.output, want)
			}
			if cut := r.result.Cut; (cut == "") != (test.cut == "") || !strings.Contains(cut, test.cut) {
				t.Errorf("the recording has ended because %q, want %q", cut, test.cut)
			}
			replayWhole(t, open(t, r.file))
		})
	}
}
