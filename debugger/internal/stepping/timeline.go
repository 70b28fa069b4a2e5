package stepping

import (
	"errors"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/history"
	"github.com/triptych-mcp/triptych/debugger/internal/target"
)

// AtPosition goes to a position for as long as f takes.
func (s *Stepper) AtPosition(position uint64, f func()) error {
	here := s.History.View().Position()
	chosen, _ := s.View.CurrentThread()
	if err := s.SeekQuietly(position); err != nil {
		return err
	}
	f()
	err := s.SeekQuietly(here)
	if now, _ := s.View.CurrentThread(); now != chosen {
		err = errors.Join(err, s.View.SetCurrentThread(chosen))
	}
	return err
}

// SeekQuietly goes to a position without a word about the way.
func (s *Stepper) SeekQuietly(position uint64) error {
	_, err := s.History.Seek(position)
	s.UpdateView()
	return err
}

// StartHistory begins the history of the process, unless it has begun.
func (s *Stepper) StartHistory() (*history.Recorder, error) {
	if s.Recorder != nil {
		return s.Recorder, nil
	}
	r, err := history.New(history.Of(s.Process), history.Options{Budget: s.budget, Log: s.Log})
	if err != nil {
		return nil, fmt.Errorf("begin the history: %w", err)
	}
	s.Recorder, s.History = r, r.History()
	return r, nil
}

// DropHistory drops the history: the process has done what nobody saw.
func (s *Stepper) DropHistory() {
	s.Recorder, s.History, s.View = nil, nil, s.Process
}

// RequireHistory is the history that there is, or says that there is none.
func (s *Stepper) RequireHistory() (*history.History, error) {
	switch {
	case s.History != nil:
		return s.History, nil
	case s.Process == nil:
		return nil, failure.NoHistoryf("a %s shows one moment only", s.Kind)
	}
	return nil, failure.NoHistoryf("nothing was recorded yet; steps and debugger/continue record what the process does")
}

// InPast says whether a moment of the past is looked at.
func (s *Stepper) InPast() bool { return s.History != nil && !s.History.View().Present() }

// RequirePresent says whether the process may be changed: the past may not.
func (s *Stepper) RequirePresent() error {
	if !s.InPast() {
		return nil
	}
	return failure.Errorf("In the past", "position %d is looked at, and the past cannot be changed; debugger/continue goes to the present, %d, and with from \"past\" makes the process go on from here",
		s.History.View().Position(), s.History.End())
}

// UpdateView takes over where the view of the history is. The scene of a trace is
// the same for all its moments.
func (s *Stepper) UpdateView() {
	trace, ok := s.View.(interface{ ViewMoved() })
	switch {
	case s.History == nil:
	case s.Process == nil && ok:
		trace.ViewMoved()
	case s.Process != nil && s.History.View().Present():
		s.View = s.Process
	case s.Process != nil:
		s.View = &target.Past{View: s.History.View(), Names: s.threadNames}
	}
}

// followHistory makes the moving view what conditions look at: the process itself may
// lag behind it.
func (s *Stepper) followHistory() {
	if s.Process != nil {
		s.View = &target.Past{View: s.History.View()}
	}
}

// threadNames are those of the threads that still live.
func (s *Stepper) threadNames() map[int]string {
	infos, _ := s.Process.Threads() // without names it goes, too
	names := make(map[int]string, len(infos))
	for _, info := range infos {
		names[info.ID] = info.Name
	}
	return names
}

// Seek goes to a position of the history.
func (s *Stepper) Seek(position uint64) error {
	travel, err := s.History.Seek(position)
	s.UpdateView()
	s.noteGaps(travel)
	return err
}

// noteGaps notes the gaps that lay on a way through history.
func (s *Stepper) noteGaps(travel history.Travel) {
	for i, gap := range travel.Gaps {
		if i == maxGapNotes {
			s.Notes = append(s.Notes, "and more such stretches")
			return
		}
		s.Notes = append(s.Notes, fmt.Sprintf("between positions %d and %d the process ran by itself (%s); what it did there was not recorded",
			gap.Position, gap.Position+1, gap.Note))
	}
}

// maxGapNotes is how many gaps an answer names.
const maxGapNotes = 4

// A Position says which one of a history is looked at.
type Position struct {
	Position uint64 `json:"position" doc:"The number of the moment that is looked at: one more for each recorded step, and for each stop after the process ran by itself"`
	Oldest   uint64 `json:"oldest" doc:"The first position that there still is"`
	End      uint64 `json:"end" doc:"The position of the present"`
	Past     bool   `json:"past,omitempty" doc:"Whether the moment is in the past: the process itself stands at the present"`
	Bytes    int    `json:"bytes" doc:"How much memory the records take"`
	Begins   string `json:"begins,omitempty" doc:"Why there is nothing before the oldest position"`
}

// HistoryPosition is the one that is looked at, nil without a history.
func (s *Stepper) HistoryPosition() *Position {
	if s.History == nil {
		return nil
	}
	h := s.History
	return &Position{
		Position: h.View().Position(), Oldest: h.Oldest(), End: h.End(), Past: !h.View().Present(),
		Bytes: h.Bytes(), Begins: h.Begins(),
	}
}

// NoteNewHistory notes that history has begun anew since it was looked at last.
func (s *Stepper) NoteNewHistory() {
	if s.History == nil {
		s.oldest = 0
		return
	}
	if oldest := s.History.Oldest(); oldest != s.oldest {
		if s.oldest = oldest; oldest == s.History.End() {
			s.Notes = append(s.Notes, "history begins anew here: "+s.History.Begins())
		}
	}
}

// TakeNotes returns what is to be said beside the stop, once.
func (s *Stepper) TakeNotes(first string) string {
	notes := s.Notes
	s.Notes = nil
	if first != "" {
		notes = append([]string{first}, notes...)
	}
	return strings.Join(notes, "; ")
}

// historyEnd is the position of the present, 0 before anything was recorded.
func (s *Stepper) historyEnd() uint64 {
	if s.History == nil {
		return 0
	}
	return s.History.End()
}
