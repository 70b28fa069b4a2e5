package gdbremote_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/gdbremote"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/sessiontest"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
)

// A move goes to another position, by a command of gdb and by the engine.
type move struct {
	gdb string
	own func(t *testing.T, s *session.Session) (proc.Stop, error)
}

// atAdd continues, forward or back, with a breakpoint at the marked line.
func atAdd(through func(s *session.Session, t *testing.T) (proc.Stop, error)) func(*testing.T, *session.Session) (proc.Stop, error) {
	return func(t *testing.T, s *session.Session) (proc.Stop, error) {
		places, err := s.Inspector.Program.Addresses(t.Context(), "sums.c", debuggertest.Line(t, "sums.c", "add"))
		if err != nil {
			t.Fatal(err)
		}
		b := &stepping.Breakpoint{Places: places}
		for _, p := range places {
			if err := s.Breakpoints.Set(b, proc.BreakpointSpec{Address: p.Addr}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Breakpoints.Add(b); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := s.Breakpoints.Clear(b); err != nil {
				t.Error(err)
			}
		}()
		return through(s, t)
	}
}

// toWrite goes to just before the last write of total.
func toWrite(t *testing.T, s *session.Session) (proc.Stop, error) {
	addr, err := s.Inspector.Address(t.Context(), "&total")
	if err != nil {
		t.Fatal(err)
	}
	write, ok, err := s.Stepper.WriteBefore(t.Context(), &stepping.Watch{Address: addr, Size: 8, Access: proc.Write})
	if err != nil || !ok {
		t.Fatal("no write of total", err)
	}
	return s.Timeline.GoTo(t.Context(), write.Position)
}

// back steps back by a unit.
func back(unit string) func(*testing.T, *session.Session) (proc.Stop, error) {
	return func(t *testing.T, s *session.Session) (proc.Stop, error) {
		return s.Stepper.StepBack(t.Context(), unit, 1)
	}
}

// moves go through the five calls of add, from the end of the recording.
var moves = []move{
	{"reverse-continue", atAdd(func(s *session.Session, t *testing.T) (proc.Stop, error) {
		return s.Stepper.ReverseContinue(t.Context())
	})},
	{"reverse-stepi", func(t *testing.T, s *session.Session) (proc.Stop, error) {
		_, err := s.Target.History.Back(1)
		s.Timeline.UpdateView()
		return s.Target.CurrentStop(), err
	}},
	{"stepi", func(t *testing.T, s *session.Session) (proc.Stop, error) { return s.Stepper.Forward(t.Context(), 1) }},
	{"reverse-finish", back("out")},
	{"reverse-continue", atAdd(func(s *session.Session, t *testing.T) (proc.Stop, error) {
		return s.Stepper.ReverseContinue(t.Context())
	})},
	{"reverse-step", back("line")},
	{"next", func(t *testing.T, s *session.Session) (proc.Stop, error) {
		return s.Stepper.StepLine(t.Context(), false)
	}},
	{"finish", func(t *testing.T, s *session.Session) (proc.Stop, error) { return s.Stepper.StepOut(t.Context()) }},
	{"reverse-next", atAdd(func(s *session.Session, t *testing.T) (proc.Stop, error) {
		return s.Stepper.StepBack(t.Context(), "over", 1)
	})},
	{"continue", atAdd(func(s *session.Session, t *testing.T) (proc.Stop, error) { return s.Stepper.Continue(t.Context()) })},
	{"delete 1", nil},
	{"watch total", nil},
	{"reverse-continue", toWrite},
	{"reverse-continue", toWrite},
	{"continue", func(t *testing.T, s *session.Session) (proc.Stop, error) {
		_, err := s.Target.History.Continue(t.Context(), func(v *history.View) bool {
			addr, _ := s.Inspector.Address(t.Context(), "&total") // it was found before
			return s.Target.History.Steps.Wrote(v.Position()-1, addr, 8)
		})
		s.Timeline.UpdateView()
		return s.Target.CurrentStop(), err
	}},
	{"delete", nil},
	{"continue", func(t *testing.T, s *session.Session) (proc.Stop, error) {
		return s.Timeline.GoTo(t.Context(), s.Target.History.End())
	}},
	{"reverse-continue", func(t *testing.T, s *session.Session) (proc.Stop, error) {
		return s.Timeline.GoTo(t.Context(), s.Target.History.Oldest())
	}},
}

// From the same position gdb comes to the same one as the engine, in a process
// that is recorded and in a trace, forward and backward.
func TestTravelLikeOurs(t *testing.T) {
	r := sessiontest.NewRegistry(t)
	exe := debuggertest.Build(t, "sums.c")
	process := recorded(t, r, exe)
	for name, s := range map[string]*session.Session{"process": process, "trace": traced(t, r, process, exe)} {
		t.Run(name, func(t *testing.T) {
			end := s.Target.History.End()
			commands := []string{fmt.Sprintf("break sums.c:%d", debuggertest.Line(t, "sums.c", "add"))}
			for _, m := range moves {
				commands = append(commands, m.gdb, "monitor position")
			}
			v := serve(t, r, s, gdbremote.Options{Role: session.Control})
			out := v.gdb(t, exe, commands...)
			v.wait(t)
			_, leave, err := s.Acquire(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer leave()
			if err := s.Timeline.Seek(t.Context(), end); err != nil {
				t.Fatal(err)
			}
			for i, m := range moves {
				if m.own == nil {
					continue
				}
				if stop, err := m.own(t, s); err != nil {
					t.Fatalf("%s: %+v, %v", m.gdb, stop, err)
				}
				own, theirs := s.Target.History.View().Position(), positionIn(t, out[2*i+2])
				if own != theirs {
					t.Errorf("move %d, %s: gdb comes to position %d, the engine to %d\n%s", i, m.gdb, theirs, own, out[2*i+1])
					if err := s.Timeline.SeekQuietly(theirs); err != nil {
						t.Fatal(err)
					}
				}
			}
			for i, want := range map[int]string{len(moves) - 2: "No more reverse-execution history", len(moves) - 1: "No more reverse-execution history"} {
				if got := out[2*i+1]; !strings.Contains(got, want) {
					t.Errorf("%s at the end of history: %s, want %q", moves[i].gdb, got, want)
				}
			}
		})
	}
}

// positionIn is the position in the answer of monitor position.
func positionIn(t *testing.T, text string) uint64 {
	t.Helper()
	m := regexp.MustCompile(`position (\d+) of`).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("no position in %q", text)
	}
	n, err := strconv.ParseUint(m[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// What gdb has changed at a breakpoint, and the function that it has called there, are
// part of one visit of the breakpoint: going back, it stops once for each visit.
func TestBackOverChanges(t *testing.T) {
	r := sessiontest.NewRegistry(t)
	exe := debuggertest.Build(t, "sums.c")
	v := serve(t, r, launch(t, r, exe), gdbremote.Options{Role: session.Owner, Record: true})
	steps := []struct{ command, want string }{
		{"break add", ""},
		{"continue", "add (n=10)"},
		{"continue", "add (n=20)"},
		{"set var calls = 7", ""},
		{"p half(5)", "= 2.5"},
		{"set var calls = 8", ""},
		{"continue", "add (n=30)"},
		{"reverse-continue", "add (n=20)"},
		{"p calls", "= 8"},
		{"reverse-continue", "add (n=10)"},
		{"continue", "add (n=20)"},
		{"p calls", "= 1"},
		{"continue", "add (n=30)"},
		{"kill", ""},
	}
	var commands []string
	for _, s := range steps {
		commands = append(commands, s.command)
	}
	out := v.gdb(t, exe, commands...)
	v.wait(t)
	for i, s := range steps {
		if !strings.Contains(out[i], s.want) {
			t.Errorf("%d: %s: %q, want %q", i, s.command, out[i], s.want)
		}
	}
}
