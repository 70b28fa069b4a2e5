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
	h := &History{past: past, reason: reason}
	h.Findings.state = h.version
	w, err := past.Window(context.Background(), last-1)
	if err == nil {
		h.enter(w)
	}
	return h, err
}

// away reports whether the view has left the recorder's own records.
func (h *History) away() bool { return h.own != nil && h.window != h.own }

// jump moves the view into the window that has a position.
func (h *History) jump(position uint64) error {
	if h.own == nil {
		position = min(position, h.End()-1)
	}
	w, err := h.takeWindow(position)
	if err != nil {
		return err
	}
	if err := h.leave(); err != nil {
		return err
	}
	h.enter(w)
	return nil
}

// takeWindow returns the window with a record, which is then not near any more.
func (h *History) takeWindow(at uint64) (*Records, error) {
	if w := h.near; w != nil && w.log.has(at) {
		h.near = nil
		return w, nil
	}
	return h.past.Window(h.Request.context(), at)
}

// reach makes a record that is next to the view one of the window.
func (h *History) reach(at uint64) error {
	if h.window.log.has(at) {
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

// at returns the record at a position. If there is none because its window cannot be had, the
// record is damaged, and takeFailure returns the error.
func (h *History) at(position uint64) (*chunk, int) {
	w, err := h.holder(position)
	if err != nil {
		h.failure = err
		return &chunk{first: position, data: []byte{kindBits}, ends: []uint32{1}}, 0
	}
	return w.log.at(position)
}

// holder returns the window that has a record: that of the view, or another one, near. Each has a
// table of threads of its own.
func (h *History) holder(position uint64) (*Records, error) {
	if h.window.log.has(position) {
		return h.window, nil
	}
	if h.near == nil || !h.near.log.has(position) {
		w, err := h.past.Window(h.Request.context(), position)
		if err != nil {
			return nil, err
		}
		if h.near != nil {
			h.past.Drop(h.near)
		}
		h.near = w
	}
	return h.near, nil
}

// threadsAt returns the table of threads that a record refers to, after h.at.
func (h *History) threadsAt(position uint64) []thread {
	if h.window.log.has(position) || h.near == nil {
		return h.view.threads
	}
	return h.near.view.threads
}

// takeFailure returns the last error of a window once.
func (h *History) takeFailure() error {
	err := h.failure
	h.failure = nil
	return err
}

// has reports whether there is a record at a position.
func (r *ring) has(position uint64) bool { return r.oldest() <= position && position < r.end() }
