package debugger

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/history"
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
)

// Reasons to stop beyond those that a process has.
const (
	atPresent   proc.Why = 100 + iota // the past has come to its end
	atBeginning                       // history goes no further back
	atMoment                          // the moment was asked for
	atWrite                           // the next step writes what is watched
	atLimit                           // as much was recorded as was wanted
	atExit                            // the next step ends the process
)

// record begins the history of the process, unless it has begun.
func (s *stepper) record() (*history.Recorder, error) {
	if s.recorder != nil {
		return s.recorder, nil
	}
	r, err := history.New(history.Of(s.process), history.Options{Budget: s.budget, Log: s.log})
	if err != nil {
		return nil, fmt.Errorf("begin the history: %w", err)
	}
	s.recorder, s.past = r, r.History()
	return r, nil
}

// forget drops the history: the process has done what nobody saw.
func (s *stepper) forget() {
	s.recorder, s.past, s.scene = nil, nil, s.process
}

// timeline is the history that there is, or says that there is none.
func (s *stepper) timeline() (*history.History, error) {
	switch {
	case s.past != nil:
		return s.past, nil
	case s.process == nil:
		return nil, &noHistoryError{fmt.Sprintf("a %s shows one moment only", s.kind)}
	}
	return nil, &noHistoryError{"nothing was recorded yet; steps and debugger/continue record what the process does"}
}

// inPast says whether a moment of the past is looked at.
func (s *stepper) inPast() bool { return s.past != nil && !s.past.View().Present() }

// atNow says whether the process may be changed: the past may not.
func (s *stepper) atNow() error {
	if !s.inPast() {
		return nil
	}
	return failed("In the past", "position %d is looked at, and the past cannot be changed; debugger/continue goes to the present, %d, and with from \"past\" makes the process go on from here",
		s.past.View().Position(), s.past.End())
}

// arrive takes over where the view of the history is. The scene of a trace is
// the same for all its moments.
func (s *stepper) arrive() {
	trace, ok := s.scene.(interface{ ViewMoved() })
	switch {
	case s.past == nil:
	case s.process == nil && ok:
		trace.ViewMoved()
	case s.process != nil && s.past.View().Present():
		s.scene = s.process
	case s.process != nil:
		s.scene = &past{View: s.past.View(), names: s.threadNames}
	}
}

// follow makes the moving view what conditions look at: the process itself may
// lag behind it.
func (s *stepper) follow() {
	if s.process != nil {
		s.scene = &past{View: s.past.View()}
	}
}

// threadNames are those of the threads that still live.
func (s *stepper) threadNames() map[int]string {
	infos, _ := s.process.Threads() // without names it goes, too
	names := make(map[int]string, len(infos))
	for _, info := range infos {
		names[info.ID] = info.Name
	}
	return names
}

// seek goes to a position of the history.
func (s *stepper) seek(position uint64) error {
	travel, err := s.past.Seek(position)
	s.arrive()
	s.passed(travel)
	return err
}

// passed notes the gaps that lay on a way through history.
func (s *stepper) passed(travel history.Travel) {
	for i, gap := range travel.Gaps {
		if i == maxGapNotes {
			s.notes = append(s.notes, "and more such stretches")
			return
		}
		s.notes = append(s.notes, fmt.Sprintf("between positions %d and %d the process ran by itself (%s); what it did there was not recorded",
			gap.Position, gap.Position+1, gap.Note))
	}
}

// maxGapNotes is how many gaps an answer names.
const maxGapNotes = 4

// forward makes up to n steps of the current thread: in the past those that
// were recorded, at the present new ones. A breakpoint ends them.
func (s *stepper) forward(ctx context.Context, n uint64) (proc.Stop, error) {
	done, stop, err := s.replay(ctx, n)
	if err != nil || stop.Why != proc.Stepped || done == n {
		return stop, err
	}
	if s.process == nil {
		stop.Why = atPresent
		return stop, nil
	}
	return s.live(ctx, history.Limits{Steps: n - done, HoldSignals: true})
}

// replay goes through at most n positions of the past, to a breakpoint or to
// the present.
func (s *stepper) replay(ctx context.Context, n uint64) (done uint64, stop proc.Stop, err error) {
	if s.past == nil || s.past.View().Present() {
		stop = s.here()
		stop.Why = proc.Stepped
		return 0, stop, nil
	}
	look := s.newLookout(true)
	s.follow()
	hit, err := s.past.Continue(ctx, func(v *history.View) bool {
		done++
		return look.hit(v) || done == n
	})
	s.arrive()
	s.passed(s.past.Passed())
	if errors.Is(err, context.Canceled) {
		stop = s.here()
		stop.Why = proc.Paused
		return done, stop, nil
	}
	stop = s.here()
	stop.Why = proc.Stepped
	if hit && look.found != nil {
		stop = look.stop(stop)
	}
	return done, stop, err
}

// live lets the process go on at the present, every step recorded.
func (s *stepper) live(ctx context.Context, limits history.Limits) (proc.Stop, error) {
	r, err := s.record()
	if err != nil {
		return proc.Stop{}, err
	}
	look := s.newLookout(false)
	until := limits.Until
	limits.Until = func(v *history.View) bool { return look.hit(v) || until != nil && until(v) }
	if look.idle() {
		limits.Until = until
	}
	s.follow()
	result, err := r.Run(ctx, 0, limits)
	s.arrive()
	if err != nil {
		return proc.Stop{}, err
	}
	return s.stopOf(result, look), nil
}

// whys are the reasons why recording stops, as those of stops.
var whys = map[history.Why]proc.Why{
	history.Counted: proc.Stepped, history.Hit: proc.Stepped, history.TimedOut: atLimit, history.Paused: proc.Paused,
	history.GotSignal: proc.Signalled, history.Exiting: atExit, history.Executed: proc.Executed,
	history.ThreadEnded: proc.Stepped, history.Gone: proc.Stepped,
}

// stopOf makes a stop of how steps went.
func (s *stepper) stopOf(result history.Result, look *lookout) proc.Stop {
	if now, _ := s.process.CurrentThread(); result.Thread != now {
		_ = s.process.SetCurrentThread(result.Thread) // one that has ended cannot be chosen
	}
	stop := s.here()
	stop.Why, stop.Signal, stop.Code, stop.Fault = whys[result.Why], result.Signal, result.Code, result.Fault
	switch {
	case result.Why == history.ThreadEnded:
		s.notes = append(s.notes, fmt.Sprintf("thread %d has ended", result.Thread))
	case result.Why == history.Hit && look.found != nil:
		stop = look.stop(stop)
	}
	return stop
}

// freely lets the process run by itself until something stops it. A history
// that has begun gets one position for that.
func (s *stepper) freely(ctx context.Context) (proc.Stop, error) {
	if s.recorder == nil {
		return s.process.Resume(ctx)
	}
	stop, err := s.recorder.Resume(ctx)
	s.arrive()
	return stop, err
}

// A moment says which one of a history is looked at.
type moment struct {
	Position uint64 `json:"position" doc:"The number of the moment that is looked at: one more for each recorded step, and for each stop after the process ran by itself"`
	Oldest   uint64 `json:"oldest" doc:"The first position that there still is"`
	End      uint64 `json:"end" doc:"The position of the present"`
	Past     bool   `json:"past,omitempty" doc:"Whether the moment is in the past: the process itself stands at the present"`
	Bytes    int    `json:"bytes" doc:"How much memory the records take"`
	Begins   string `json:"begins,omitempty" doc:"Why there is nothing before the oldest position"`
}

// moment is the one that is looked at, nil without a history.
func (s *stepper) moment() *moment {
	if s.past == nil {
		return nil
	}
	h := s.past
	return &moment{
		Position: h.View().Position(), Oldest: h.Oldest(), End: h.End(), Past: !h.View().Present(),
		Bytes: h.Bytes(), Begins: h.Begins(),
	}
}

// begins notes that history has begun anew since it was looked at last.
func (s *stepper) begins() {
	if s.past == nil {
		s.oldest = 0
		return
	}
	if oldest := s.past.Oldest(); oldest != s.oldest {
		if s.oldest = oldest; oldest == s.past.End() {
			s.notes = append(s.notes, "history begins anew here: "+s.past.Begins())
		}
	}
}

// takeNotes returns what is to be said beside the stop, once.
func (s *stepper) takeNotes(first string) string {
	notes := s.notes
	s.notes = nil
	if first != "" {
		notes = append([]string{first}, notes...)
	}
	return strings.Join(notes, "; ")
}
