package stepping

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
)

// A Timeline moves through the history of a target and keeps the view of the position
// that is shown. It collects notes about both.
type Timeline struct {
	target *target.Target
	log    *slog.Logger

	// Recorder is nil until something is recorded.
	Recorder *history.Recorder
	budget   Budget

	// HistoryFolder is the folder of the file of the budget. The file has no name there.
	HistoryFolder string

	translates bool     // the process runs translated, and is recorded
	oldest     uint64   // as of the last stop
	Notes      []string // for the next stop
}

// A Budget says how many bytes a history may take, and where. The zero value means the
// default.
type Budget struct {
	Memory int // in memory; 0 means the default
	File   int // of recordings by translation, in a file; 0 means that they are in memory, too
}

// Keep gives histories that begin from now on a budget. The zero value changes nothing,
// and without an amount of memory, that stays as it is.
func (tl *Timeline) Keep(b Budget) {
	if b == (Budget{}) {
		return
	}
	b.Memory = cmp.Or(b.Memory, tl.budget.Memory)
	tl.budget = b
}

// Budget returns what a history may take.
func (tl *Timeline) Budget() Budget { return tl.budget }

// AtPosition calls f at a position and then returns to the current one, also if ctx ends. All
// moves of f end with ctx.
func (tl *Timeline) AtPosition(ctx context.Context, position uint64, f func()) error {
	chosen, _ := tl.target.View.CurrentThread()
	done, restore := tl.target.History.Request.Within(ctx), tl.target.History.Hold()
	err := tl.SeekQuietly(position)
	if err == nil {
		f()
	}
	done()
	err = errors.Join(err, ctx.Err(), restore())
	tl.UpdateView()
	if now, _ := tl.target.View.CurrentThread(); now != chosen {
		err = errors.Join(err, tl.target.View.SetCurrentThread(chosen))
	}
	return err
}

// SeekQuietly goes to a position without noting gaps in the history.
func (tl *Timeline) SeekQuietly(position uint64) error {
	_, err := tl.target.History.Seek(position)
	tl.UpdateView()
	return err
}

// Start starts recording, unless it has started already.
func (tl *Timeline) Start() (*history.Recorder, error) {
	if tl.Recorder != nil {
		return tl.Recorder, nil
	}
	r, err := history.New(history.NewTarget(tl.target.Process), history.Options{Budget: tl.budget.Memory, Log: tl.log})
	if err != nil {
		return nil, fmt.Errorf("begin the history: %w", err)
	}
	tl.Recorder, tl.target.History = r, r.History()
	return r, nil
}

// Drop drops the history after the process has run unobserved.
func (tl *Timeline) Drop() {
	tl.Close()
	tl.Recorder, tl.target.History, tl.target.View = nil, nil, tl.target.Process
}

// Close ends the processes that the history of a process has.
func (tl *Timeline) Close() {
	if tl.target.History == nil || tl.target.Process == nil {
		return
	}
	if err := tl.target.History.Close(); err != nil {
		tl.log.Warn("processes of the history could not be ended", "err", err)
	}
}

// Require returns the history, or an error if there is none.
func (tl *Timeline) Require() (*history.History, error) {
	switch {
	case tl.target.History != nil:
		return tl.target.History, nil
	case tl.target.Process == nil:
		return nil, failure.NoHistoryf("a %s shows one moment only", tl.target.Kind)
	}
	return nil, failure.NoHistoryf("nothing was recorded yet; steps and debugger/continue record what the process does")
}

// InPast reports whether the current position is in the past.
func (tl *Timeline) InPast() bool {
	return tl.target.History != nil && !tl.target.History.View().Present()
}

// RequirePresent returns an error in the past, which cannot be changed.
func (tl *Timeline) RequirePresent() error {
	if !tl.InPast() {
		return nil
	}
	return failure.Errorf("In the past", "position %d is looked at, and the past cannot be changed; debugger/continue goes to the present, %d, and with from \"past\" makes the process go on from here",
		tl.target.History.View().Position(), tl.target.History.End())
}

// UpdateView makes the target show the position at which the history is. A
// trace has one view for all its positions.
func (tl *Timeline) UpdateView() {
	trace, ok := tl.target.View.(interface{ ViewMoved() })
	switch {
	case tl.target.History == nil:
	case tl.target.Process == nil && ok:
		trace.ViewMoved()
	case tl.target.Process != nil && tl.target.History.View().Present():
		tl.target.View = tl.target.Process
	case tl.target.Process != nil:
		tl.target.View = &target.Past{View: tl.target.History.View(), Names: tl.threadNames}
	}
}

// follow makes conditions read the moving view of the history: the
// process itself may lag behind it.
func (tl *Timeline) follow() {
	if tl.target.Process != nil {
		tl.target.View = &target.Past{View: tl.target.History.View()}
	}
}

// threadNames returns the names of the threads that are alive.
func (tl *Timeline) threadNames() map[int]string {
	infos, _ := tl.target.Process.Threads() // without names it goes, too
	names := make(map[int]string, len(infos))
	for _, info := range infos {
		names[info.ID] = info.Name
	}
	return names
}

// Seek goes to a position of the history and notes gaps on the way.
func (tl *Timeline) Seek(ctx context.Context, position uint64) error {
	travel, err := tl.target.History.SeekContext(ctx, position)
	tl.UpdateView()
	tl.noteGaps(travel)
	return err
}

// noteGaps adds notes about the gaps on a way through history.
func (tl *Timeline) noteGaps(travel history.Traversal) {
	for i, gap := range travel.Gaps {
		if i == maxGapNotes {
			tl.Notes = append(tl.Notes, "and more such stretches")
			return
		}
		tl.Notes = append(tl.Notes, fmt.Sprintf("between positions %d and %d the process ran by itself (%s); what it did there was not recorded",
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

// Position returns the current position, nil without a history.
func (tl *Timeline) Position() *Position {
	if tl.target.History == nil {
		return nil
	}
	h := tl.target.History
	return &Position{
		Position: h.View().Position(), Oldest: h.Oldest(), End: h.End(), Past: !h.View().Present(),
		Bytes: h.Bytes(), Begins: h.StartReason(),
	}
}

// NoteNew adds a note if history has started anew since the last stop.
func (tl *Timeline) NoteNew() {
	if tl.target.History == nil {
		tl.oldest = 0
		return
	}
	if oldest := tl.target.History.Oldest(); oldest != tl.oldest {
		if tl.oldest = oldest; oldest == tl.target.History.End() {
			tl.Notes = append(tl.Notes, "history begins anew here: "+tl.target.History.StartReason())
		}
	}
}

// TakeNotes returns the notes for a stop, after an optional first one, and
// clears them.
func (tl *Timeline) TakeNotes(first string) string {
	notes := tl.Notes
	tl.Notes = nil
	if first != "" {
		notes = append([]string{first}, notes...)
	}
	return strings.Join(notes, "; ")
}

// end returns the position of the present, 0 before anything was
// recorded.
func (tl *Timeline) end() uint64 {
	if tl.target.History == nil {
		return 0
	}
	return tl.target.History.End()
}
