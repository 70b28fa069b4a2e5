package history

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// Places are the aim of a search: positions before certain instructions, and before
// steps that write certain memory.
type Places struct {
	Code   []uint64 // addresses of instructions
	Memory []x86.Span

	// Holds reports whether the search may end at an instruction of Code, to which the
	// view was moved. It must change nothing. A nil Holds reports true.
	Holds func(*View) bool
}

// A Finder is a [Source] that finds places without the records between them.
type Finder interface {
	Source

	// Last returns a position from on and before to, such that no place is after it and
	// before to. The position itself may be none. It returns false if there is no place.
	Last(ctx context.Context, places *Places, from, to uint64) (position uint64, ok bool, err error)

	// First returns a position such that no place is before it and not before from.
	First(ctx context.Context, places *Places, from, to uint64) (position uint64, ok bool, err error)
}

// ReverseContinueAt is [History.ReverseContinue] for a function that returns true only at
// places. In a long history it is called at few other positions.
func (h *History) ReverseContinueAt(ctx context.Context, places Places, hit func(*View) bool) (bool, error) {
	finder, ok := h.source.(Finder)
	if !ok {
		return h.ReverseContinue(ctx, hit)
	}
	h.show(&places)
	defer h.within(ctx)()
	here := h.view.position
	defer h.traversed(here)
	defer h.phase(here - h.Oldest())()
	for {
		found, err := h.scanWindow(true, hit)
		if found || err != nil || h.view.position == h.Oldest() {
			return found, err
		}
		h.passed(here - h.view.position)
		h.looked(here, h.view.position, true)
		at, ok, err := finder.Last(ctx, &places, h.Oldest(), h.view.position)
		if err != nil {
			return false, err
		}
		if !ok {
			_, err := h.Seek(h.Oldest())
			return false, err
		}
		if found, err := h.approach(at, at+1, true, hit); found || err != nil {
			return found, err
		}
	}
}

// ContinueAt is [History.Continue] for a function that returns true only at places: before
// an instruction, or after a step that writes memory. In a long history it is called at few
// other positions, but always at the one before such a place.
func (h *History) ContinueAt(ctx context.Context, places Places, hit func(*View) bool) (bool, error) {
	finder, ok := h.source.(Finder)
	if !ok {
		return h.Continue(ctx, hit)
	}
	h.show(&places)
	defer h.within(ctx)()
	here := h.view.position
	defer h.traversed(here)
	defer h.phase(h.End() - here)()
	for {
		found, err := h.scanWindow(false, hit)
		if found || err != nil || h.view.position == h.End() {
			return found, err
		}
		h.passed(h.view.position - here)
		h.looked(here, h.view.position, false)
		if h.tail != nil && !h.away() {
			continue // the rest is in the tail
		}
		end := h.sourceEnd()
		at, ok, err := finder.First(ctx, &places, h.view.position, end)
		if err != nil {
			return false, err
		}
		if !ok && h.tail != nil {
			at, ok = end, true // the tail is looked through from there
		}
		if !ok {
			_, err := h.Seek(h.End())
			return false, err
		}
		before := max(at, h.view.position+1) - 1
		if found, err := h.approach(before, before, false, hit); found || err != nil {
			return found, err
		}
	}
}

// scanWindow moves the view through the records of the window, until hit returns true.
func (h *History) scanWindow(back bool, hit func(*View) bool) (bool, error) {
	goal := h.log.end()
	if back {
		goal = h.log.oldest()
	}
	var steps Traversal
	for h.view.position != goal {
		if err := h.canceled(steps.Steps); err != nil {
			return false, err
		}
		if err := h.moveOver(back, &steps); err != nil {
			return false, err
		}
		if hit(&h.view) {
			return true, nil
		}
	}
	return false, nil
}

// approach goes to a position, by the window with a record, and over one record from there.
func (h *History) approach(record, position uint64, back bool, hit func(*View) bool) (bool, error) {
	if !h.log.has(record) {
		if err := h.jump(record); err != nil {
			return false, err
		}
	}
	if _, err := h.Seek(position); err != nil {
		return false, err
	}
	if err := h.moveOver(back, new(Traversal)); err != nil {
		return false, err
	}
	return hit(&h.view), nil
}

// show makes a condition read the view of the history while it is asked.
func (h *History) show(places *Places) {
	holds := places.Holds
	if holds == nil {
		return
	}
	places.Holds = func(v *View) bool { return h.Show(v, holds) }
}

// Show calls f while the view of the history shows what v does.
func (h *History) Show(v *View, f func(*View) bool) bool {
	here := h.view
	defer func() { h.view = here }()
	h.view = *v
	return f(&h.view)
}

// traversed notes a move from a position to the present one.
func (h *History) traversed(from uint64) {
	to := h.view.position
	h.lastTraversal = Traversal{Steps: max(from, to) - min(from, to)}
}

// within makes the source work for a request until the result is called.
func (h *History) within(ctx context.Context) (done func()) {
	before := h.request
	h.request = ctx
	return func() { h.request = before }
}

// context returns the context of the request that the source works for.
func (h *History) context() context.Context {
	if h.request == nil {
		return context.Background()
	}
	return h.request
}

// canceled returns why the request is over, now and then.
func (h *History) canceled(steps uint64) error {
	if steps%checkEvery != 0 {
		return nil
	}
	return h.context().Err()
}

// NewView returns a view of a process, whose threads and mappings are given, that is at a
// position of a longer history. It can be read while the process is there.
func NewView(base Base, position uint64, threads []int, current int, maps procfs.Maps) (*View, error) {
	v := &View{base: base, position: position, end: true, partial: true, maps: maps}
	for _, id := range threads {
		regs, err := base.Regs(id)
		if err != nil {
			return nil, err
		}
		if id == current {
			v.current = len(v.threads)
		}
		v.threads = append(v.threads, thread{id: id, alive: true, regs: regs})
	}
	v.memory.base = base.ReadMemory
	return v, nil
}
