package history

// held is the window of a view that will be back.
type held struct {
	window *History
	log    ring
	view   View
	away   bool // the view has left the window; log and view are as they were then
}

// Hold remembers where the view is, and returns what brings it back there. The records at
// that position are held meanwhile, so that the way back needs no replay, and the request
// within which it is made cannot end it. There may be one Hold at a time that holds records;
// others within it find their way back as Seek does.
func (h *History) Hold() (restore func() error) {
	here := h.view.position
	back := func() error {
		request := h.request
		defer func() { h.request = request }()
		h.request = nil
		_, err := h.Seek(here)
		return err
	}
	if h.held != nil || h.window == nil || h.window.frozen {
		return back
	}
	h.held = &held{window: h.window}
	return func() error {
		kept := h.held
		if kept != nil && kept.away {
			if err := h.leave(); err != nil {
				return err // dropArchive gives back what is held
			}
			h.window, h.log, h.view = kept.window, kept.log, kept.view
		}
		h.held = nil
		return back()
	}
}

// hold keeps the window that the view leaves, and reports whether it is to be held.
func (h *History) hold() bool {
	k := h.held
	if k == nil || k.away || k.window != h.window {
		return false
	}
	k.log, k.view, k.away = h.log, h.view, true
	h.view.memory = overlay{} // k has its pages
	return true
}

// heldWindow returns the window that is held while the view is in another one, or nil.
func (h *History) heldWindow() *History {
	if h.held == nil || !h.held.away {
		return nil
	}
	return h.held.window
}
