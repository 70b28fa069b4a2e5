package stepping_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/sessiontest"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
)

// The positions of counter.c follow from its instructions: five of _start to the call of
// fill, which has eight before its loop begins at position 13. A round of the loop has
// twelve, of which the eighth writes, at 20 + 12 * i. After five rounds fill returns at 76,
// and the last instruction, at 83, is the one that has failed.
const (
	inStart  = 3  // line 21, the call of fill with its argument
	inFill   = 8  // behind the prologue
	atUse    = 77 // line 22, the call of use with its argument
	theCrash = 83
)

// writes is the position of the write of a round.
func writes(round uint64) uint64 { return 20 + 12*round }

// at returns a session of the trace of counter.c at a position.
func at(t *testing.T, position uint64) *session.Session {
	t.Helper()
	s := sessiontest.AddTrace(t, sessiontest.NewRegistry(t))
	if err := s.Timeline.Seek(t.Context(), position); err != nil {
		t.Fatal(err)
	}
	return s
}

// came fails the test unless a step came to a position, for a reason.
func came(t *testing.T, s *session.Session, stop proc.Stop, err error, position uint64, why proc.Why) {
	t.Helper()
	if here := s.Target.History.View().Position(); err != nil || here != position || stop.Why != why {
		t.Errorf("at %d for the reason %v, %v; want %d for %v", here, stop.Why, err, position, why)
	}
}

// A step by a line enters calls or passes them, and a step out ends behind the call.
func TestLines(t *testing.T) {
	s := at(t, 0)
	for _, want := range []uint64{inStart, inFill, 13, 21} { // lines 21, 10, 11, and 10 again
		stop, err := s.Stepper.StepLine(t.Context(), true)
		came(t, s, stop, err, want, proc.Stepped)
	}
	stop, err := s.Stepper.StepOut(t.Context())
	came(t, s, stop, err, atUse, proc.Stepped)
	s = at(t, inStart)
	stop, err = s.Stepper.StepLine(t.Context(), false)
	came(t, s, stop, err, atUse, proc.Stepped)
	stop, err = s.Stepper.StepLine(t.Context(), false) // use does not return
	came(t, s, stop, err, theCrash, stepping.AtPresent)
}

// Steps by instructions go as far as was asked for, in both directions, and not beyond the
// ends of what is recorded.
func TestInstructions(t *testing.T) {
	s := at(t, 10)
	stop, err := s.Stepper.Forward(t.Context(), 5)
	came(t, s, stop, err, 15, proc.Stepped)
	stop, err = s.Timeline.GoTo(t.Context(), 3)
	came(t, s, stop, err, 3, stepping.AtMoment)
	if err := s.Timeline.RequireSteps(3); err != nil {
		t.Error(err)
	}
	if err := s.Timeline.RequireSteps(4); err == nil || !strings.Contains(err.Error(), "3") {
		t.Errorf("four steps back from position 3: %v", err)
	}
	stop, err = s.Stepper.Forward(t.Context(), 1000)
	came(t, s, stop, err, theCrash, stepping.AtPresent)
}

// A step back by a line ends at the beginning of a line, one out at the call.
func TestBackByLines(t *testing.T) {
	for _, tt := range []struct {
		from, to uint64
		unit     string
	}{
		{theCrash, 82, "line"},      // to the beginning of line 16
		{theCrash, 78, "out"},       // to the call of use
		{atUse, inStart, "over"},    // past fill
		{writes(4), 66 - 5, "over"}, // to the beginning of line 11
	} {
		s := at(t, tt.from)
		stop, err := s.Stepper.StepBack(t.Context(), tt.unit, 1)
		came(t, s, stop, err, tt.to, stepping.AtMoment)
	}
}

// Breakpoints with conditions stop where they hold, going forward and back.
func TestConditions(t *testing.T) {
	s := at(t, 0)
	set := func(spec stepping.BreakpointSpec) *stepping.Breakpoint {
		t.Helper()
		b, err := s.Breakpoints.SetBreakpoint(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	b := set(stepping.BreakpointSpec{Site: stepping.Site{Address: 0x40102c}, Condition: "i == 2 || data.where == 64"})
	stop, err := s.Stepper.Continue(t.Context())
	came(t, s, stop, err, writes(2), proc.AtBreakpoint)
	stop, err = s.Stepper.Continue(t.Context())
	came(t, s, stop, err, theCrash, stepping.AtPresent)
	stop, err = s.Stepper.ReverseContinue(t.Context())
	came(t, s, stop, err, writes(2), proc.AtBreakpoint)
	stop, err = s.Stepper.ReverseContinue(t.Context())
	came(t, s, stop, err, 0, stepping.AtBeginning)
	if err := s.Breakpoints.Clear(b); err != nil {
		t.Fatal(err)
	}
	set(stepping.BreakpointSpec{Site: stepping.Site{Function: "use"}, Once: true})
	stop, err = s.Stepper.Continue(t.Context())
	came(t, s, stop, err, 82, proc.AtBreakpoint)
	for _, spec := range []stepping.BreakpointSpec{
		{Site: stepping.Site{Function: "use"}, Condition: "nothing > 1"}, {Site: stepping.Site{Function: "use"}, Condition: "("},
		{Site: stepping.Site{Function: "use"}, Log: "{nothing}"}, {Site: stepping.Site{Function: "use"}, Hits: "many"}, {Site: stepping.Site{Catch: "throw"}},
	} {
		if _, err := s.Breakpoints.SetBreakpoint(t.Context(), spec); err == nil {
			t.Errorf("%+v is accepted", spec)
		}
	}
}

// A logpoint logs each hit, and does not stop.
func TestLogpoint(t *testing.T) {
	s := at(t, 0)
	if _, err := s.Breakpoints.SetBreakpoint(t.Context(), stepping.BreakpointSpec{Site: stepping.Site{Address: 0x40102c}, Log: "{i}: {data.table[0]}", Condition: "i < 3"}); err != nil {
		t.Fatal(err)
	}
	stop, err := s.Stepper.Continue(t.Context())
	came(t, s, stop, err, theCrash, stepping.AtPresent)
	if got, want := s.Breakpoints.Logged.Take(), []string{"0: 1", "1: 0", "2: 0"}; !slices.Equal(got, want) { // the first round writes 0
		t.Errorf("%q, want %q", got, want)
	}
}

// A watchpoint stops before a write, going back, and behind it, going forward, and the
// values are told.
func TestWatch(t *testing.T) {
	s := at(t, theCrash)
	w := stepping.Watch{Address: 0x402010, Size: 8, Access: proc.Write, Recorded: true}
	b, err := s.Breakpoints.SetWatch(t.Context(), w, "", "")
	if err != nil {
		t.Fatal(err)
	}
	stop, err := s.Stepper.ReverseContinue(t.Context())
	came(t, s, stop, err, writes(4), stepping.AtWrite)
	s.Breakpoints.Reach(stop.Breakpoint, stop.Why)
	if got := s.Timeline.TakeNotes(""); !strings.Contains(got, "the next step makes it 0x0000000000000040, it is 0x0000000000402000") {
		t.Errorf("the note is %q", got)
	}
	stop, err = s.Stepper.Continue(t.Context())
	came(t, s, stop, err, writes(4)+1, proc.AtWatchpoint)
	if s.Breakpoints.Reach(stop.Breakpoint, stop.Why) != b.ID {
		t.Errorf("%+v, want breakpoint %d", stop, b.ID)
	}
	if got := s.Timeline.TakeNotes(""); !strings.Contains(got, "the value was 0x0000000000402000 and is 0x0000000000000040") {
		t.Errorf("the note is %q", got)
	}
}

// The last write to a place is found from any later position, and none before it.
func TestWriteBefore(t *testing.T) {
	for _, tt := range []struct {
		from, address, want uint64
		found               bool
	}{
		{theCrash, 0x402010, writes(4), true}, {writes(4), 0x402010, 0, false}, {writes(4) + 1, 0x402010, writes(4), true},
		{theCrash, 0x402008, writes(2), true}, {40, 0x402000, writes(0), true},
	} {
		s := at(t, tt.from)
		found, ok, err := s.Stepper.WriteBefore(t.Context(), &stepping.Watch{Address: tt.address, Size: 4})
		if err != nil || ok != tt.found || ok && (found.Position != tt.want || found.Kind != history.Stepped) {
			t.Errorf("%#x before %d: %+v, %t, %v", tt.address, tt.from, found, ok, err)
		}
		if here := s.Target.History.View().Position(); here != tt.from {
			t.Errorf("the search has moved to %d", here)
		}
	}
}

// What is done at another position leaves this one as it was.
func TestAtPosition(t *testing.T) {
	s := at(t, 50)
	seen := uint64(0)
	if err := s.Timeline.AtPosition(t.Context(), 7, func() { seen = s.Target.History.View().Position() }); err != nil || seen != 7 || s.Target.History.View().Position() != 50 {
		t.Errorf("%d, then %d, %v", seen, s.Target.History.View().Position(), err)
	}
	if !s.Timeline.InPast() || s.Timeline.RequirePresent() == nil {
		t.Error("position 50 is no past")
	}
	if err := s.Timeline.Seek(t.Context(), theCrash); err != nil || s.Timeline.InPast() {
		t.Errorf("the end is in the past, %v", err)
	}
}
