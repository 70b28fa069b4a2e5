package history_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/guard"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// TestMain makes the test binary its own guard of breakpoints, and a recorder to
// be killed.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case guard.Command:
			os.Exit(guard.Main())
		case victimCommand:
			os.Exit(victimMain(os.Args[2:]))
		case killedCommand:
			os.Exit(killedMain(os.Args[2:]))
		}
	}
	os.Exit(m.Run())
}

// build compiles testdata/mixed.c.
func build(t testing.TB, optimize string) string {
	t.Helper()
	return debuggertest.Compile(t, "testdata/mixed.c", nil, "gcc", "-g", optimize, "-w", "-pthread", "-lm")
}

// A subject is a process that stands at the beginning of a region.
type subject struct {
	t       testing.TB
	program *debuggertest.Program
	process *proc.Process
	end     uint64 // address of end_region
	rseq    map[uint64]uint64
}

// start runs a part of mixed.c as far as its beginning.
func start(t testing.TB, path, part string) *subject {
	t.Helper()
	program := debuggertest.StartFile(t, "mixed.c", path)
	process, err := proc.Attach(t.Context(), program.PID, proc.Options{})
	if err != nil {
		t.Skip("tracing is not permitted here: ", err)
	}
	t.Cleanup(func() { _ = process.Detach(t.Context()) })
	s := &subject{t, program, process, program.Symbol("end_region"), map[uint64]uint64{}}
	s.runTo(program.Symbol("begin_region"), part)
	return s
}

// runTo tells the program what to do and lets it run to an address.
func (s *subject) runTo(address uint64, part string) {
	s.t.Helper()
	b, err := s.process.SetBreakpoint(proc.BreakpointSpec{Address: address, Once: true})
	if err != nil {
		s.t.Fatal(err)
	}
	s.program.Tell(part)
	stop, err := s.process.Resume(s.t.Context())
	if err != nil || stop.Breakpoint != b.ID {
		s.t.Fatalf("stop %+v, %v, want breakpoint %d", stop, err, b.ID)
	}
}

func (s *subject) recorder(options history.Options) *history.Recorder {
	s.t.Helper()
	r, err := history.New(history.NewTarget(s.process), options)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// input is a file with one command.
func input(t testing.TB, part string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(path, []byte(part+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
