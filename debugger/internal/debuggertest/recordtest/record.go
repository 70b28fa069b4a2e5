// Package recordtest builds and records programs for the tests of packages that
// read recorded history.
package recordtest

import (
	"context"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recording"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
)

// compilers are the programs that compile sources, by the ends of their names.
var compilers = map[string][]string{
	".c": {"gcc", "-g"}, ".cc": {"g++", "-g"}, ".go": {"go", "build"},
}

// Build compiles a program of the folder testdata of the tested package, and
// returns the path of its source and of the result. The test is skipped if there
// is no compiler.
func Build(t testing.TB, name string, flags ...string) (source, program string) {
	t.Helper()
	source, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	command := compilers[filepath.Ext(name)]
	if _, err := exec.LookPath(command[0]); err != nil {
		t.Skip("there is no", command[0])
	}
	key := []byte(source + "\n" + strings.Join(flags, " ") + "\n" + string(text))
	program = debuggertest.Cached(t, strings.NewReplacer(".", "-", "/", "-").Replace(name), key, func(out string) {
		args := append(append(append([]string{}, command[1:]...), flags...), "-o", out, source)
		if text, err := exec.Command(command[0], args...).CombinedOutput(); err != nil { //nolint:noctx // it ends by itself
			t.Fatalf("%v: %s", err, text)
		}
	})
	return source, program
}

// Main launches a program and records it from the start of main to its end.
func Main(t testing.TB, path string, arguments ...string) *stepping.Stepper {
	t.Helper()
	s := AtMain(t, path, arguments...)
	if stop, err := s.Record(t.Context(), 0, 0); err != nil || stop.Why != stepping.AtExit {
		t.Fatalf("recording: %+v, %v", stop, err)
	}
	return s
}

// AtMain launches a program and lets it run to the start of main.
func AtMain(t testing.TB, path string, arguments ...string) *stepping.Stepper {
	t.Helper()
	ctx := t.Context()
	p, err := proc.Launch(ctx, proc.Spec{Path: path, Args: arguments}, proc.Options{})
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		_ = p.Kill() // it may have ended
		_ = p.Detach(context.WithoutCancel(ctx))
	})
	d := target.OfProcess(p, nil, "launched")
	s := stepper(t, &d)
	addrs, err := s.Inspector.Program.Lookup(ctx, "main.main")
	if err != nil {
		addrs, err = s.Inspector.Program.Lookup(ctx, "main")
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, reached, err := s.RunTo(ctx, proc.BreakpointSpec{Address: addrs[0]}); err != nil || !reached {
		t.Fatal("main is not reached", err)
	}
	s.Maps.Stale = true
	if err := s.Maps.Refresh(); err != nil {
		t.Fatal(err)
	}
	return s
}

// Whole records a program in a file, and replays it.
func Whole(t testing.TB, path string) *stepping.Stepper {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "recording"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if _, err := recording.Record(t.Context(), recording.Program{Path: path, Args: []string{path}}, file); err != nil {
		t.Fatal(err)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	r, err := target.OpenRecording(t.Context(), file, nil, target.Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	d := r.Target(file.Name())
	t.Cleanup(func() { _ = d.CloseFile() })
	return stepper(t, &d)
}

// stepper returns one of a target.
func stepper(t testing.TB, d *target.Target) *stepping.Stepper {
	t.Helper()
	s := stepping.NewStepper(inspect.NewInspector(t.Context(), d, slog.New(slog.DiscardHandler)), stepping.Budget{})
	t.Cleanup(func() { _ = s.Inspector.Program.Close() })
	if err := s.Maps.Refresh(); err != nil {
		t.Fatal(err)
	}
	return s
}
