package gdbremote_test

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/gdbremote"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/sessiontest"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
)

// openCore lets gdb write a core file of sums.c at a marked line, and begins a
// session with it.
func openCore(t *testing.T, r *session.Registry, exe, mark string) (s *session.Session, path string) {
	t.Helper()
	gdb := debuggertest.GDB(t, debuggertest.Core)
	path = filepath.Join(t.TempDir(), "core")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, gdb, "-nx", "-batch", "-ex", "set debuginfod enabled off",
		"-ex", fmt.Sprintf("break sums.c:%d", debuggertest.Line(t, "sums.c", mark)),
		"-ex", "run", "-ex", "generate-core-file "+path, "-ex", "kill", exe).CombinedOutput()
	if err != nil {
		t.Fatalf("gdb: %v\n%s", err, out)
	}
	file, err := openFile(path)
	if err != nil {
		t.Fatal(err)
	}
	view, err := target.OpenCore(file, nil, target.Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	s, err = r.Add("test", target.Target{
		Kind: "core file", File: path, PID: view.PID(), ProgramPath: view.Executable(), View: view,
		OpenImage: target.ImageOpener(view.Mapped()), Stop: view.Stop(), CloseFile: func() error { _ = view.Close(); return file.Close() },
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, path
}

// looks are commands that only read. What zmm0 to zmm31 have beyond ymm is left
// out: gdb 13 looks for it where Intel's processors have it, and finds other
// registers on AMD's.
var looks = []string{
	"bt", "info registers", "p total", "p &total", "x/16xb &total", "x/6i $pc", "info locals", "x/8xg $rsp", "info float",
	"p $_siginfo.si_signo", "p/x $xmm0.uint128", "p/x $xmm1.uint128", "p/x $ymm2.v2_int128", "p/x $ymm15.v2_int128", "p $mxcsr",
	"info auxv", "info sharedlibrary",
}

// A core file looks the same through the protocol as to gdb itself: stack,
// registers with vectors, memory, libraries.
func TestCoreLikeGDB(t *testing.T) {
	r := sessiontest.NewRegistry(t)
	exe := debuggertest.Build(t, "sums.c")
	s, path := openCore(t, r, exe, "print")
	v := serve(t, r, s, gdbremote.Options{Role: session.Control})
	got := v.gdb(t, exe, append(looks, "continue", "set var total = 1", "p total")...)
	v.wait(t)
	want := ownGDB(t, exe, path, looks...)
	for i, c := range looks {
		if diff := cmp.Diff(comparable(want[i]), comparable(got[i])); diff != "" {
			t.Errorf("%s: gdb itself (-), through the protocol (+):\n%s", c, diff)
		}
	}
	for i, text := range []string{"can be looked at, not moved", "Cannot access memory"} {
		if answer := got[len(looks)+i]; !strings.Contains(answer, text) {
			t.Errorf("a core file is changed: %s, want %q", answer, text)
		}
	}
	if total := got[len(got)-1]; !strings.Contains(total, "= 150\n") { // and that gdb detaches
		t.Errorf("total after the write: %s, want 150", total)
	}
}

// comparable leaves out what differs in form only: the vdso has a name in the
// loader's list, and the current thread a mark.
func comparable(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if !strings.Contains(line, "linux-vdso") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return strings.Join(lines, "\n")
}

// ownGDB returns what gdb itself prints about a core file.
func ownGDB(t *testing.T, exe, path string, commands ...string) []string {
	t.Helper()
	return runGDB(t, exe, "core-file "+path, commands)
}
