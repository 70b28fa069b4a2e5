package stepping

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
)

// AtPosition calls f at a position and then returns to the current one, also if ctx ends. All
// moves of f end with ctx.
func (s *Stepper) AtPosition(ctx context.Context, position uint64, f func()) error {
	chosen, _ := s.Target.View.CurrentThread()
	done, restore := s.Target.History.Within(ctx), s.Target.History.Hold()
	err := s.SeekQuietly(position)
	if err == nil {
		f()
	}
	done()
	err = errors.Join(err, ctx.Err(), restore())
	s.UpdateView()
	if now, _ := s.Target.View.CurrentThread(); now != chosen {
		err = errors.Join(err, s.Target.View.SetCurrentThread(chosen))
	}
	return err
}

// SeekQuietly goes to a position without noting gaps in the history.
func (s *Stepper) SeekQuietly(position uint64) error {
	_, err := s.Target.History.Seek(position)
	s.UpdateView()
	return err
}

// StartHistory starts recording, unless it has started already.
func (s *Stepper) StartHistory() (*history.Recorder, error) {
	if s.Recorder != nil {
		return s.Recorder, nil
	}
	r, err := history.New(history.NewTarget(s.Target.Process), history.Options{Budget: s.budget.Memory, Log: s.Inspector.Log})
	if err != nil {
		return nil, fmt.Errorf("begin the history: %w", err)
	}
	s.Recorder, s.Target.History = r, r.History()
	return r, nil
}

// DropHistory drops the history after the process has run unobserved.
func (s *Stepper) DropHistory() {
	s.CloseHistory()
	s.Recorder, s.Target.History, s.Target.View = nil, nil, s.Target.Process
}

// CloseHistory ends the processes that the history of a process has.
func (s *Stepper) CloseHistory() {
	if s.Target.History == nil || s.Target.Process == nil {
		return
	}
	if err := s.Target.History.Close(); err != nil {
		s.Inspector.Log.Warn("processes of the history could not be ended", "err", err)
	}
}

// RequireHistory returns the history, or an error if there is none.
func (s *Stepper) RequireHistory() (*history.History, error) {
	switch {
	case s.Target.History != nil:
		return s.Target.History, nil
	case s.Target.Process == nil:
		return nil, failure.NoHistoryf("a %s shows one moment only", s.Target.Kind)
	}
	return nil, failure.NoHistoryf("nothing was recorded yet; steps and debugger/continue record what the process does")
}

// InPast reports whether the current position is in the past.
func (s *Stepper) InPast() bool { return s.Target.History != nil && !s.Target.History.View().Present() }

// RequirePresent returns an error in the past, which cannot be changed.
func (s *Stepper) RequirePresent() error {
	if !s.InPast() {
		return nil
	}
	return failure.Errorf("In the past", "position %d is looked at, and the past cannot be changed; debugger/continue goes to the present, %d, and with from \"past\" makes the process go on from here",
		s.Target.History.View().Position(), s.Target.History.End())
}

// UpdateView makes the target show the position at which the history is. A
// trace has one view for all its positions.
func (s *Stepper) UpdateView() {
	trace, ok := s.Target.View.(interface{ ViewMoved() })
	switch {
	case s.Target.History == nil:
	case s.Target.Process == nil && ok:
		trace.ViewMoved()
	case s.Target.Process != nil && s.Target.History.View().Present():
		s.Target.View = s.Target.Process
	case s.Target.Process != nil:
		s.Target.View = &target.Past{View: s.Target.History.View(), Names: s.threadNames}
	}
}

// followHistory makes conditions read the moving view of the history: the
// process itself may lag behind it.
func (s *Stepper) followHistory() {
	if s.Target.Process != nil {
		s.Target.View = &target.Past{View: s.Target.History.View()}
	}
}

// threadNames returns the names of the threads that are alive.
func (s *Stepper) threadNames() map[int]string {
	infos, _ := s.Target.Process.Threads() // without names it goes, too
	names := make(map[int]string, len(infos))
	for _, info := range infos {
		names[info.ID] = info.Name
	}
	return names
}

// Seek goes to a position of the history and notes gaps on the way.
func (s *Stepper) Seek(ctx context.Context, position uint64) error {
	travel, err := s.Target.History.SeekContext(ctx, position)
	s.UpdateView()
	s.noteGaps(travel)
	return err
}

// noteGaps adds notes about the gaps on a way through history.
func (s *Stepper) noteGaps(travel history.Traversal) {
	for i, gap := range travel.Gaps {
		if i == maxGapNotes {
			s.Notes = append(s.Notes, "and more such stretches")
			return
		}
		s.Notes = append(s.Notes, fmt.Sprintf("between positions %d and %d the process ran by itself (%s); what it did there was not recorded",
			gap.Position, gap.Position+1, gap.Note))
	}
}

// maxGapNotes is the maximum number of gaps in an answer.
const maxGapNotes = 4

// A Position tells which position of the history is shown.
type Position struct {
	Position uint64 `json:"position" doc:"The number of the moment that is looked at: one more for each recorded step, and for each stop after the process ran by itself"`
	Oldest   uint64 `json:"oldest" doc:"The first position that there still is"`
	End      uint64 `json:"end" doc:"The position of the present"`
	Past     bool   `json:"past,omitempty" doc:"Whether the moment is in the past: the process itself stands at the present"`
	Bytes    int    `json:"bytes" doc:"How much memory the records take"`
	Begins   string `json:"begins,omitempty" doc:"Why there is nothing before the oldest position"`
}

// HistoryPosition returns the current position, nil without a history.
func (s *Stepper) HistoryPosition() *Position {
	if s.Target.History == nil {
		return nil
	}
	h := s.Target.History
	return &Position{
		Position: h.View().Position(), Oldest: h.Oldest(), End: h.End(), Past: !h.View().Present(),
		Bytes: h.Bytes(), Begins: h.StartReason(),
	}
}

// NoteNewHistory adds a note if history has started anew since the last stop.
func (s *Stepper) NoteNewHistory() {
	if s.Target.History == nil {
		s.oldest = 0
		return
	}
	if oldest := s.Target.History.Oldest(); oldest != s.oldest {
		if s.oldest = oldest; oldest == s.Target.History.End() {
			s.Notes = append(s.Notes, "history begins anew here: "+s.Target.History.StartReason())
		}
	}
}

// TakeNotes returns the notes for a stop, after an optional first one, and
// clears them.
func (s *Stepper) TakeNotes(first string) string {
	notes := s.Notes
	s.Notes = nil
	if first != "" {
		notes = append([]string{first}, notes...)
	}
	return strings.Join(notes, "; ")
}

// historyEnd returns the position of the present, 0 before anything was
// recorded.
func (s *Stepper) historyEnd() uint64 {
	if s.Target.History == nil {
		return 0
	}
	return s.Target.History.End()
}
