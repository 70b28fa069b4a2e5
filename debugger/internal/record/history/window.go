package history

import (
	"bytes"
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

// enter puts the view of the history into records, where they were left.
func (h *History) enter(w *Records) {
	h.view = *w.view
	if w.end != nil {
		h.view.threads = append([]thread(nil), h.view.threads...)
		for i := range h.view.threads {
			h.view.threads[i].vector = bytes.Clone(h.view.threads[i].vector)
		}
	}
	h.Steps.window, w.view = w, &h.view
	h.view.partial = w != h.own && (h.own != nil || w.log.end() != h.End())
}

// leave takes the view out of its window, which is given back unless the view will be there
// again. Another enter must follow. Records whose process has moved on are then as after all of
// them, because undone ones have exchanged their contents with the view.
func (h *History) leave() error {
	w := h.Steps.window
	if w.end != nil {
		for ; h.view.position < w.log.end(); h.view.position++ {
			c, i := w.log.at(h.view.position)
			if err := h.view.move(c.record(i), false); err != nil {
				return err
			}
		}
	}
	left := h.view
	w.view = &left
	if w == h.own || h.hold(w) {
		return nil
	}
	left.memory.clear()
	if w.end != nil {
		w.view = w.end
	}
	h.Steps.past.Drop(w)
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

// held is the window of a view that will be back.
type held struct {
	window *Records
	away   bool // the view has left the window
}

// Hold remembers where the view is, and returns what brings it back there. The records at
// that position are held meanwhile, so that the way back needs no replay, and the request
// within which it is made cannot end it. There may be one Hold at a time that holds records;
// others within it find their way back as Seek does.
func (h *History) Hold() (restore func() error) {
	here := h.view.position
	back := func() error {
		defer h.Request.Within(context.Background())()
		_, err := h.Seek(here)
		return err
	}
	if h.held != nil || h.Steps.window == h.own || h.Steps.window.end != nil {
		return back
	}
	h.held = &held{window: h.Steps.window}
	return func() error {
		if kept := h.held; kept != nil && kept.away {
			if err := h.leave(); err != nil {
				return err // dropEarlier gives back what is held
			}
			h.enter(kept.window)
		}
		h.held = nil
		return back()
	}
}

// hold keeps a window that the view leaves, and reports whether it is to be held.
func (h *History) hold(w *Records) bool {
	if h.held == nil || h.held.away || h.held.window != w {
		return false
	}
	h.held.away = true
	return true
}

// heldWindow returns the window that is held while the view is in another one, or nil.
func (h *History) heldWindow() *Records {
	if h.held == nil || !h.held.away {
		return nil
	}
	return h.held.window
}
