package history

import (
	"context"
	"errors"
	"fmt"
)

// DefaultBudget limits the bytes of records in a history.
const DefaultBudget = 256 << 20

// MinBudget is the smallest budget.
const MinBudget = 1 << 20

// ErrNoHistory is returned for positions that are not recorded. Its errors are
// a *[BeginningError].
var ErrNoHistory = errors.New("no history")

// A BeginningError reports that history does not go back far enough.
type BeginningError struct {
	Oldest uint64 // the first position
	Wanted uint64 // number of steps back that were requested
	There  uint64 // number of steps back that are recorded
	Reason string // why history begins at Oldest
}

// Error implements error.
func (e *BeginningError) Error() string {
	return fmt.Sprintf("history begins at position %d, %d steps back: %s", e.Oldest, e.There, e.Reason)
}

// Is reports whether target is [ErrNoHistory].
func (e *BeginningError) Is(target error) bool { return target == ErrNoHistory }

// A History is a sequence of records and a [View] that moves through it. It
// must be used by one goroutine at a time.
type History struct {
	Findings Findings // of its searches
	Request  Request  // that it works for
	Steps    Steps    // through which the view moves

	view          View
	lastTraversal Traversal // of the last search
	count         uint64    // of all records ever appended

	own     *Records // the last part of past, to which records are added; nil if nothing is recorded
	earlier Part     // the part before them, or nil
	full    error    // of the room, see RoomError

	held *held // a window to which the view will be back, or nil
}

// newHistory returns an empty history whose first position is first.
func newHistory(base Base, budget int, first uint64) *History {
	own := new(Records)
	h := historyOf(own, "recording began there")
	own.view, h.own, h.Steps.window = &h.view, own, own
	h.own.log.budget = max(budget, MinBudget)
	h.own.log.clear(first)
	h.view = View{base: base, position: first, end: true, threads: []thread{{}}}
	h.view.memory.base = base.ReadMemory
	return h
}

// historyOf returns the history of a past, whose view is in no window yet.
func historyOf(past Past, reason string) *History {
	h := new(History)
	h.Findings.state = h.version
	h.Steps = Steps{past: past, reason: reason, request: &h.Request}
	return h
}

// useRoom takes the memory of the history from a room.
func (h *History) useRoom(room Room) { h.own.log.room, h.view.memory.room = room, room }

// View returns the process as it was at the current position.
func (h *History) View() *View { return &h.view }

// Records returns the records of the history of a recorder.
func (h *History) Records() *Records { return h.own }

// Oldest returns the first recorded position.
func (h *History) Oldest() uint64 { return h.Steps.oldest() }

// End returns the position of the present.
func (h *History) End() uint64 { return h.Steps.end() }

// version tells the state of the history from others.
func (h *History) version() version { return version{h.Oldest(), h.End(), h.count} }

// Bytes returns the size of the records in memory; it never exceeds the budget.
func (h *History) Bytes() int {
	switch {
	case h.own == nil:
		return h.Steps.window.Bytes()
	case h.earlier == nil:
		return h.own.Bytes()
	}
	return h.own.Bytes() + h.earlier.Bytes()
}

// StartReason returns why nothing before Oldest is recorded.
func (h *History) StartReason() string { return h.Steps.reason }

// restart drops all records, for a reason, and moves the view to the present.
func (h *History) restart(reason string) {
	h.dropEarlier(nil)
	h.own.log.clear(h.own.log.end())
	h.Steps.reason = reason
	h.reachPresent()
}

// append adds a record. The view must be at the present, and the caller must
// have applied the record to it.
func (h *History) append(record []byte) {
	oldest := h.own.log.oldest()
	if err := h.own.log.append(record); err != nil {
		end := h.own.log.end()
		h.dropEarlier(nil)
		h.own.log.clear(end + 1)
		h.Steps.reason = err.Error()
		if !errors.Is(err, errTooLarge) {
			h.full = err
		}
	} else if h.own.log.oldest() != oldest {
		h.dropEarlier(nil)
		h.Steps.reason = MadeRoom(h.own.log.budget)
	}
	h.view.position = h.own.log.end()
	h.count++
}

// A Traversal describes a move of the view through history.
type Traversal struct {
	Steps uint64 // number of positions
	Gaps  []Gap  // unrecorded runs, in the order of the move; at most maxGaps
}

// maxGaps limits the gaps that are reported.
const maxGaps = 16

// A Gap is a run of the process between two positions of which only the result
// is recorded, not its steps.
type Gap struct {
	Position uint64 // before the run; Position+1 is the one after it
	Note     string // why the run stopped, and how long it took
}

// LastTraversal describes the move of the last ReverseContinue or Continue.
func (h *History) LastTraversal() Traversal { return h.lastTraversal }

// Back goes n positions back. If fewer are recorded, it returns a
// *[BeginningError] and does not move.
func (h *History) Back(n uint64) (Traversal, error) {
	if there := h.view.position - h.Oldest(); n > there {
		return Traversal{}, h.Steps.beginning(n)
	}
	return h.Seek(h.view.position - n)
}

// Forward goes up to n positions forward, as far as the present.
func (h *History) Forward(n uint64) (Traversal, error) {
	return h.Seek(h.view.position + min(n, h.End()-h.view.position))
}

// SeekContext is [History.Seek] that ends when ctx is done. The view then stays where it is.
func (h *History) SeekContext(ctx context.Context, position uint64) (Traversal, error) {
	defer h.Request.Within(ctx)()
	return h.Seek(position)
}

// Seek goes to a position.
func (h *History) Seek(position uint64) (Traversal, error) {
	switch {
	case position < h.Oldest():
		return Traversal{}, h.Steps.beginning(h.view.position - position)
	case position > h.End():
		return Traversal{}, fmt.Errorf("%w: position %d is beyond the present, %d", ErrNoHistory, position, h.End())
	}
	var traversal Traversal
	if log := &h.Steps.window.log; position < log.oldest() || position > log.end() {
		traversal.Steps = max(position, h.view.position) - min(position, h.view.position)
		if err := h.jump(position); err != nil {
			return Traversal{}, err
		}
	}
	err := h.walk(position, &traversal)
	return traversal, err
}

// walk moves the view over the records up to a position.
func (h *History) walk(position uint64, traversal *Traversal) error {
	for steps := uint64(0); h.view.position != position; steps++ {
		if err := h.Request.canceled(steps); err != nil {
			return err
		}
		if err := h.moveOver(position < h.view.position, traversal); err != nil {
			return err
		}
	}
	return nil
}

// moveOver moves the view over one record.
func (h *History) moveOver(back bool, traversal *Traversal) error {
	v := &h.view
	at := v.position
	if back {
		at--
	}
	if err := h.reach(at); err != nil {
		return err
	}
	c, i := h.Steps.window.log.at(at)
	record := c.record(i)
	if err := v.move(record, back); err != nil {
		return fmt.Errorf("position %d: %w", at, err)
	}
	if Kind(record[0]&kindBits) == Ran && len(traversal.Gaps) < maxGaps {
		traversal.Gaps = append(traversal.Gaps, Gap{at, noteOf(record, len(v.threads))})
	}
	traversal.Steps++
	if v.position, v.end = at, false; !back {
		v.position++
	}
	if v.position == h.Steps.window.log.end() {
		h.reachPresent()
	}
	return h.reachOwn()
}

// reachPresent updates the view when it is at the present again, or at the end of a
// window.
func (h *History) reachPresent() {
	v := &h.view
	v.position, v.end, v.remapped = h.Steps.window.log.end(), true, false
	v.memory.clear()
}

// noteOf returns the note of a record, or "".
func noteOf(record []byte, threads int) string {
	text := ""
	extraOf(record, threads, func(tag byte, p *decoder) {
		if tag == extraNote {
			text = string(p.b)
		}
	})
	return text
}

// extraOf calls f for each item of a record's extra part.
func extraOf(record []byte, threads int, f func(tag byte, payload *decoder)) {
	d := decoder{b: record}
	h := d.head(threads)
	d.skipToExtra(h)
	if h.parts&partExtra != 0 {
		d.extras(f)
	}
}

// skipToExtra skips what is between the head of a record and its extra part.
func (d *decoder) skipToExtra(h head) {
	d.skipRegs()
	if h.parts&partMemory != 0 {
		d.spans(nil)
	}
	if h.parts&partVector != 0 {
		d.moveVector(nil)
	}
}

// checkEvery is the number of positions that a search passes between checks of
// its context.
const checkEvery = 1 << 12

// ReverseContinue goes back by at least one position until hit returns true. It
// returns false, with the view at the oldest position, if hit never does. When
// ctx is done the view stays where it is.
func (h *History) ReverseContinue(ctx context.Context, hit func(*View) bool) (bool, error) {
	return h.search(ctx, true, hit)
}

// Continue goes forward by at least one position until hit returns true. It
// returns false, with the view at the present, if hit never does.
func (h *History) Continue(ctx context.Context, hit func(*View) bool) (bool, error) {
	return h.search(ctx, false, hit)
}

func (h *History) search(ctx context.Context, back bool, hit func(*View) bool) (bool, error) {
	goal := h.goal(back)
	h.lastTraversal = Traversal{}
	defer h.Request.Within(ctx)()
	here := h.view.position
	defer h.Request.phase(max(here, goal) - min(here, goal))()
	return h.look(here, goal, back, hit)
}

// goal returns the position at which a search ends.
func (h *History) goal(back bool) uint64 {
	if back {
		return h.Oldest()
	}
	return h.End()
}

// look moves the view to a position, or until hit returns true, in a search that began at here.
func (h *History) look(here, goal uint64, back bool, hit func(*View) bool) (bool, error) {
	for steps := 0; h.view.position != goal; steps++ {
		if steps%checkEvery == 0 {
			if err := h.Request.context().Err(); err != nil {
				return false, err
			}
			h.Request.passed(max(here, h.view.position) - min(here, h.view.position))
			h.Request.looked(here, h.view.position, back)
		}
		if err := h.moveOver(back, &h.lastTraversal); err != nil {
			return false, err
		}
		if hit(&h.view) {
			return true, nil
		}
	}
	return false, nil
}
