package history

import "context"

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
