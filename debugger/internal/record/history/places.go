package history

import (
	"context"
)

// ReverseContinueAt is [History.ReverseContinue] for a function that returns true only at
// places. It is called at few other positions.
func (h *History) ReverseContinueAt(ctx context.Context, places Places, hit func(*View) bool) (bool, error) {
	return h.searchAt(ctx, &places, true, hit)
}

// ContinueAt is [History.Continue] for a function that returns true only at places: before
// an instruction, or after a step that writes memory. It is called at few other positions, but
// always at the one before such a place.
func (h *History) ContinueAt(ctx context.Context, places Places, hit func(*View) bool) (bool, error) {
	return h.searchAt(ctx, &places, false, hit)
}

// searchAt looks at the records of the window, and then around each place that the past finds.
func (h *History) searchAt(ctx context.Context, places *Places, back bool, hit func(*View) bool) (bool, error) {
	h.show(places)
	goal := h.goal(back)
	h.lastTraversal = Traversal{}
	defer h.Request.Within(ctx)()
	here := h.view.position
	defer h.traversed(here)
	defer h.Request.phase(max(here, goal) - min(here, goal))()
	for {
		found, err := h.look(here, h.windowGoal(back), back, hit)
		if found || err != nil || h.view.position == goal {
			return found, err
		}
		h.Request.passed(max(here, h.view.position) - min(here, h.view.position))
		h.Request.looked(here, h.view.position, back)
		record, ok, err := h.nextPlace(ctx, places, back)
		if err != nil {
			return false, err
		}
		if !ok {
			_, err := h.Seek(goal)
			return false, err
		}
		if found, err := h.approach(record, back, hit); found || err != nil {
			return found, err
		}
	}
}

// windowGoal returns the position at which a search leaves the window.
func (h *History) windowGoal(back bool) uint64 {
	if back {
		return h.Steps.window.log.oldest()
	}
	return h.Steps.window.log.end()
}

// nextPlace returns the record over which a search comes to the next place, or nearer to it.
func (h *History) nextPlace(ctx context.Context, places *Places, back bool) (record uint64, ok bool, err error) {
	if back {
		return h.Steps.past.Last(ctx, places, h.Oldest(), h.view.position)
	}
	at, ok, err := h.Steps.past.First(ctx, places, h.view.position, h.End())
	if !ok {
		at = h.End() // which is not among the positions before it
	}
	return max(at, h.view.position+1) - 1, true, err
}

// approach goes to a record, by its window, and over it.
func (h *History) approach(record uint64, back bool, hit func(*View) bool) (bool, error) {
	if !h.Steps.window.log.has(record) {
		if err := h.jump(record); err != nil {
			return false, err
		}
	}
	position := record
	if back {
		position++
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
	h.lastTraversal.Steps = max(from, to) - min(from, to)
}
