package sessiontest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
)

// Counter is the path of a file of counter.c, see [AddCore].
func Counter(name string) string {
	return filepath.Join(debuggertest.ModuleRoot(), "debugger", "testdata", "postmortem", name)
}

// AddCore adds a session of the core file of counter.c, a program of 24 lines
// without libraries that the kernel has killed at 0x40104d, in use: *data.where was
// written over with 0x40. It needs no process, so it works on any system.
func AddCore(t testing.TB, r *session.Registry) *session.Session {
	t.Helper()
	file, path, err := open(Counter("counter.core"))
	if err != nil {
		t.Fatal(err)
	}
	scene, err := target.OpenCore(file, nil, target.Overrides{Executable: Counter("counter"), Open: open})
	if err != nil {
		t.Fatal(err)
	}
	return add(t, r, target.Target{
		Kind: "core file", File: path, PID: scene.PID(), ProgramPath: scene.Executable(),
		View: scene, OpenImage: target.ImageOpener(scene.Mapped()), Stop: scene.Stop(),
		CloseFile: func() error { return errors.Join(scene.Close(), file.Close()) },
	})
}

// AddTrace adds a session of the trace of the same program, from the beginning of
// _start to the crash: positions 0 to 83, of which the last is shown.
func AddTrace(t testing.TB, r *session.Registry) *session.Session {
	t.Helper()
	file, path, err := open(Counter("counter.trace"))
	if err != nil {
		t.Fatal(err)
	}
	trace, err := target.ReadTrace(t.Context(), file, nil, func(float64, float64) {})
	if err = errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	scene, err := target.NewTrace(trace, target.Overrides{Executable: Counter("counter"), Open: open})
	if err != nil {
		t.Fatal(err)
	}
	return add(t, r, scene.Target(path))
}

// open is a target.Opener of any path.
func open(path string) (*os.File, string, error) {
	file, err := os.Open(path)
	return file, path, err
}

func add(t testing.TB, r *session.Registry, d target.Target) *session.Session {
	t.Helper()
	s, err := r.Add("test", d)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
