package history

import (
	"context"
)

// Long returns the history of a past, with the view at the last position. The reason says why it
// begins where it does.
func Long(past Past, reason string) (*History, error) {
	first, last := past.Bounds()
	if first == last {
		return nil, ErrNoHistory
	}
	h := historyOf(past, reason)
	w, err := past.Window(context.Background(), last-1)
	if err == nil {
		h.enter(w)
	}
	return h, err
}

// away reports whether the view has left the recorder's own records.
func (h *History) away() bool { return h.own != nil && h.Steps.window != h.own }

// jump moves the view into the window that has a position.
func (h *History) jump(position uint64) error {
	if h.own == nil {
		position = min(position, h.End()-1)
	}
	w, err := h.Steps.takeWindow(position)
	if err != nil {
		return err
	}
	if err := h.leave(); err != nil {
		return err
	}
	h.enter(w)
	return nil
}

// reach makes a record that is next to the view one of the window.
func (h *History) reach(at uint64) error {
	if h.Steps.window.log.has(at) {
		return nil
	}
	position := h.view.position
	if err := h.jump(at); err != nil {
		return err
	}
	return h.walk(position, new(Traversal))
}

// reachOwn moves the view from the end of what was recorded before to the beginning of the
// recorder's own records: it may be the present.
func (h *History) reachOwn() error {
	if position := h.view.position; h.away() && position == h.own.log.oldest() {
		if err := h.jump(position); err != nil {
			return err
		}
		return h.walk(position, new(Traversal))
	}
	return nil
}

// has reports whether there is a record at a position.
func (r *ring) has(position uint64) bool { return r.oldest() <= position && position < r.end() }
