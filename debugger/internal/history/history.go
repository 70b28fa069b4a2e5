package history

import (
	"context"
	"errors"
	"fmt"
)

// DefaultBudget limits the bytes of records in a history.
const DefaultBudget = 256 << 20

// MinBudget is the least budget that is of use.
const MinBudget = 1 << 20

// ErrNoHistory says that nothing was recorded there. Errors of that kind are a
// *[BeginningError].
var ErrNoHistory = errors.New("no history")

// A BeginningError says that history does not go back so far.
type BeginningError struct {
	Oldest uint64 // the first position
	Wanted uint64 // how many steps back
	There  uint64 // how many there are
	Reason string // why it begins there
}

// Error says where history begins and why.
func (e *BeginningError) Error() string {
	return fmt.Sprintf("history begins at position %d, %d steps back: %s", e.Oldest, e.There, e.Reason)
}

// Is makes it an [ErrNoHistory].
func (e *BeginningError) Is(target error) bool { return target == ErrNoHistory }

// A History is the past of a process, record by record, and a [View] that
// moves through it. It belongs to one goroutine.
type History struct {
	log    ring
	view   View
	reason string // why it begins where it does
	passed Travel // by the last search
	count  uint64 // of all records that were ever added
}

// newHistory makes one that is empty. Positions begin with first.
func newHistory(base Base, budget int, first uint64) *History {
	h := &History{reason: "recording began there"}
	h.log.budget = max(budget, MinBudget)
	h.log.clear(first)
	h.view = View{base: base, position: first, end: true, threads: []thread{{}}}
	h.view.memory.base = base.ReadMemory
	return h
}

// View is the process at the position of the history.
func (h *History) View() *View { return &h.view }

// Oldest is the first position that there is.
func (h *History) Oldest() uint64 { return h.log.oldest() }

// End is the position of the present.
func (h *History) End() uint64 { return h.log.end() }

// Bytes returns the size of the records in memory; it never exceeds the budget.
func (h *History) Bytes() int { return h.log.bytes }

// Begins says why there is nothing before Oldest.
func (h *History) Begins() string { return h.reason }

// restart forgets everything, for a reason. The view is at the present.
func (h *History) restart(reason string) {
	h.log.clear(h.log.end())
	h.reason = reason
	h.arrive()
}

// append adds a record. The view must be at the present, and the caller must
// have applied the record to it.
func (h *History) append(record []byte) {
	oldest := h.log.oldest()
	if err := h.log.append(record); err != nil {
		end := h.log.end()
		h.log.clear(end + 1)
		h.reason = err.Error()
	} else if h.log.oldest() != oldest {
		h.reason = fmt.Sprintf("older records made room: %d MiB are kept", h.log.budget>>20)
	}
	h.view.position = h.log.end()
	h.count++
}

// A Travel tells what was passed on the way.
type Travel struct {
	Steps uint64 // how many positions
	Gaps  []Gap  // in the order in which they were passed; at most maxGaps
}

// maxGaps limits the gaps that are reported.
const maxGaps = 16

// A Gap is a stretch between two positions in which the process ran by itself.
// What it did there was not recorded, only what came of it.
type Gap struct {
	Position uint64 // before it; the one behind it is the next
	Note     string // what is known about it
}

// Passed tells what the last ReverseContinue or Continue has passed.
func (h *History) Passed() Travel { return h.passed }

// Back goes n positions back. It answers a *[BeginningError], without having
// moved, when there are not so many.
func (h *History) Back(n uint64) (Travel, error) {
	if there := h.view.position - h.Oldest(); n > there {
		return Travel{}, h.beginning(n)
	}
	return h.Seek(h.view.position - n)
}

func (h *History) beginning(wanted uint64) error {
	return &BeginningError{Oldest: h.Oldest(), Wanted: wanted, There: h.view.position - h.Oldest(), Reason: h.reason}
}

// Forward goes up to n positions forward, as far as the present.
func (h *History) Forward(n uint64) (Travel, error) {
	return h.Seek(h.view.position + min(n, h.End()-h.view.position))
}

// Seek goes to a position.
func (h *History) Seek(position uint64) (Travel, error) {
	switch {
	case position < h.Oldest():
		return Travel{}, h.beginning(h.view.position - position)
	case position > h.End():
		return Travel{}, fmt.Errorf("%w: position %d is beyond the present, %d", ErrNoHistory, position, h.End())
	}
	var travel Travel
	for h.view.position != position {
		if err := h.pass(position < h.view.position, &travel); err != nil {
			return travel, err
		}
	}
	return travel, nil
}

// pass moves the view over one record.
func (h *History) pass(back bool, travel *Travel) error {
	v := &h.view
	at := v.position
	if back {
		at--
	}
	c, i := h.log.at(at)
	record := c.record(i)
	if err := v.move(record, back); err != nil {
		return fmt.Errorf("position %d: %w", at, err)
	}
	if Kind(record[0]&kindBits) == Ran && len(travel.Gaps) < maxGaps {
		travel.Gaps = append(travel.Gaps, Gap{at, note(record, len(v.threads))})
	}
	travel.Steps++
	if v.position, v.end = at, false; !back {
		v.position++
	}
	if v.position == h.End() {
		h.arrive()
	}
	return nil
}

// arrive updates the history when the view is at the present again.
func (h *History) arrive() {
	v := &h.view
	v.position, v.end, v.remapped = h.log.end(), true, false
	v.memory.clear()
}

// note reads what a record says about itself.
func note(record []byte, threads int) string {
	text := ""
	extraOf(record, threads, func(tag byte, p *decoder) {
		if tag == extraNote {
			text = string(p.b)
		}
	})
	return text
}

// extraOf calls f for each thing of a record's extra part.
func extraOf(record []byte, threads int, f func(tag byte, payload *decoder)) {
	d := decoder{b: record}
	h := d.head(threads)
	d.skipRegs()
	if h.parts&partMemory != 0 {
		d.spans(nil)
	}
	if h.parts&partVector != 0 {
		d.moveVector(nil)
	}
	if h.parts&partExtra != 0 {
		d.extras(f)
	}
}

// checkEvery is the number of positions that a search passes between checks of
// its context.
const checkEvery = 1 << 12

// ReverseContinue goes back until hit is true of the view, at least one
// position. It is false when that is nowhere: then the view is at the
// beginning. When ctx ends it stops where it is.
func (h *History) ReverseContinue(ctx context.Context, hit func(*View) bool) (bool, error) {
	return h.search(ctx, true, hit)
}

// Continue goes forward through the past until hit is true of the view, at
// least one position. It is false when that is nowhere: then the view is at
// the present.
func (h *History) Continue(ctx context.Context, hit func(*View) bool) (bool, error) {
	return h.search(ctx, false, hit)
}

func (h *History) search(ctx context.Context, back bool, hit func(*View) bool) (bool, error) {
	goal := h.End()
	if back {
		goal = h.Oldest()
	}
	h.passed = Travel{}
	for h.view.position != goal {
		if h.passed.Steps%checkEvery == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		if err := h.pass(back, &h.passed); err != nil {
			return false, err
		}
		if hit(&h.view) {
			return true, nil
		}
	}
	return false, nil
}
