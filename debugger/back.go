package debugger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/history"
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/mcp"
)

// A travelGroup is the tools that go through the history of a process, or of a
// trace. A core file has none, as they say.
type travelGroup struct {
	sessions *registry
	exports  string // the folder for traces that are written
	now      func() time.Time
}

// tools are the rows of the group.
func (t *travelGroup) tools() []mcp.Tool {
	return []mcp.Tool{
		{
			Name: "debugger/step_backward", Title: "Step back", Scope: scopeWrite, Task: mcp.TaskWhenSlow,
			Doc:    "Go back by recorded instructions or lines of source; everything then shows the past",
			Phrase: "Step backward executed",
			Call:   mcp.Typed(still(t.sessions, t.stepBackward)),
		},
		{
			Name: "debugger/reverse_continue", Title: "Continue backwards", Scope: scopeWrite, Task: mcp.TaskWhenSlow,
			Doc:    "Go back to the last time a breakpoint was reached or a watchpoint's memory was written",
			Phrase: "Reverse continue executed",
			Call:   mcp.Typed(still(t.sessions, t.reverseContinue)),
		},
		{
			Name: "debugger/seek", Title: "Go to a position", Scope: scopeWrite, Task: mcp.TaskWhenSlow, Hints: mcp.Idempotent,
			Doc:    "Go to a position of the recorded history, be it in the past or the present",
			Phrase: "Moved through history",
			Call:   mcp.Typed(still(t.sessions, t.seekTo)),
		},
		{
			Name: "debugger/last_write", Title: "Last write", Scope: scopeRead, Task: mcp.TaskWhenSlow,
			Doc:    "Find what has written a value last: the instruction, its thread and stack, and the value before",
			Phrase: "Last write searched",
			Call:   mcp.Typed(still(t.sessions, t.lastWrite)),
		},
		{
			Name: "debugger/export_trace", Title: "Export the trace", Scope: scopeRead, Task: mcp.TaskWhenSlow,
			Doc:    "Write the recorded history, or a part of it, into a file",
			Phrase: "Trace exported{ ($format)}", Details: factsOf(formatFact),
			Call: mcp.Typed(still(t.sessions, t.exportTrace)),
		},
	}
}

type backArgs struct {
	Count int    `json:"count,omitempty" default:"1" min:"1" max:"1000000000" doc:"How many of them"`
	By    string `json:"by,omitempty" enum:"instruction|line|over|out" default:"instruction" doc:"What to go back by: line is to where a line of source begins, in functions that were called as well; over passes these; out is to the call of the function"`
	waitArg
	sessionArg
}

// back is the answer of step_backward.
type back struct {
	State       state  `json:"state"`
	Snapshot    uint64 `json:"snapshot" doc:"The position that is looked at now"`
	Instruction string `json:"instruction,omitempty" doc:"The next instruction"`
	bySource    bool
}

// Text is the documented form, and the line when it is about lines.
func (b back) Text() string {
	text := b.text()
	if b.bySource {
		text += b.State.where()
	}
	return text
}

func (b back) text() string {
	if b.State.Reason != "moment" {
		return moved{State: b.State}.Text()
	}
	text := fmt.Sprintf("Stepped back to %s\nRestored from snapshot %d", b.State.Address, b.Snapshot)
	if b.State.Note != "" {
		text += "\nNote: " + plain(b.State.Note)
	}
	return text
}

// stepBackward moves what is looked at, and not the process.
func (t *travelGroup) stepBackward(ctx context.Context, call *mcp.Call, s *session, args backArgs) (back, error) {
	_, bySource := waysBack[args.By]
	n := uint64(args.Count)
	if bySource {
		n = 1 // at least
	}
	if err := s.reaches(n); err != nil {
		return back{}, err
	}
	m, err := s.move(ctx, call, args.wait(), func(ctx context.Context) (proc.Stop, error) {
		if bySource {
			return s.backBy(ctx, args.By, args.Count)
		}
		done := uint64(0)
		_, err := s.backward(ctx, func(*history.View) bool { done++; return done == n })
		return s.arrived(atMoment, err)
	})
	return back{State: m.State, Snapshot: m.State.position(), Instruction: nextInstruction(s, m.State), bySource: bySource}, err
}

// reaches says whether history goes back so far.
func (s *stepper) reaches(n uint64) error {
	h, err := s.timeline()
	if err != nil {
		return err
	}
	if there := h.View().Position() - h.Oldest(); n > there {
		return &history.BeginningError{Oldest: h.Oldest(), Wanted: n, There: there, Reason: h.Begins()}
	}
	return nil
}

// backward goes back until hit is true, at least one position. When that is
// nowhere it goes to the beginning.
func (s *stepper) backward(ctx context.Context, hit func(*history.View) bool) (bool, error) {
	s.follow()
	found, err := s.past.ReverseContinue(ctx, hit)
	s.arrive()
	s.passed(s.past.Passed())
	return found, err
}

// arrived is a stop where the way has led to, or where it was cut short.
func (s *stepper) arrived(why proc.Why, err error) (proc.Stop, error) {
	stop := s.here()
	stop.Why = why
	if errors.Is(err, context.Canceled) {
		stop.Why, err = proc.Paused, nil
	}
	return stop, err
}

type reverseArgs struct {
	waitArg
	sessionArg
}

func (t *travelGroup) reverseContinue(ctx context.Context, call *mcp.Call, s *session, args reverseArgs) (moved, error) {
	if err := s.reaches(1); err != nil {
		return moved{}, err
	}
	return s.move(ctx, call, args.wait(), s.reverse)
}

// reverse goes back to where a mark would have stopped, or to the beginning.
func (s *stepper) reverse(ctx context.Context) (proc.Stop, error) {
	look := s.newLookout(true)
	found, err := s.backward(ctx, look.behind)
	stop, err := s.arrived(atBeginning, err)
	if !found || err != nil {
		return stop, err
	}
	stop = look.stop(stop)
	if look.found.watch != nil && s.past.Kind(s.past.View().Position()) == history.Ran {
		s.notes = append(s.notes, "it was written while the process ran by itself, some time before the next position")
	}
	return stop, nil
}

type seekArgs struct {
	Position *uint64 `json:"position,omitempty" doc:"Where to go, as states have it in history.position; the present if not given"`
	waitArg
	sessionArg
}

// seekTo goes to a position.
func (t *travelGroup) seekTo(ctx context.Context, call *mcp.Call, s *session, args seekArgs) (moved, error) {
	h, err := s.timeline()
	if err != nil {
		return moved{}, err
	}
	to := h.End()
	if args.Position != nil {
		to = *args.Position
	}
	here := h.View().Position()
	switch {
	case to > h.End():
		return moved{}, mcp.InvalidParams("position %d is beyond the present, %d", to, h.End())
	case to < h.Oldest():
		return moved{}, &history.BeginningError{Oldest: h.Oldest(), Wanted: here - to, There: here - h.Oldest(), Reason: h.Begins()}
	}
	return s.move(ctx, call, args.wait(), func(ctx context.Context) (proc.Stop, error) { return s.goTo(ctx, to) })
}

// goTo goes to a position that there is.
func (s *stepper) goTo(ctx context.Context, to uint64) (proc.Stop, error) {
	there := func(v *history.View) bool { return v.Position() == to }
	var err error
	switch here := s.past.View().Position(); {
	case to < here:
		_, err = s.backward(ctx, there)
	case to > here:
		_, err = s.past.Continue(ctx, there)
		s.arrive()
		s.passed(s.past.Passed())
	}
	return s.arrived(atMoment, err)
}
