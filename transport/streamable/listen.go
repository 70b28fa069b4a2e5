package streamable

import "context"

// A listen is an exchange whose answer comes when the server or the client ends
// it; until then its stream carries changes.

// endListen ends a listen from the server's side.
func (e *exchange) endListen() {
	e.handler.End(context.Background())
	if s := e.open(); s != nil { // none if the client left before the first message
		_ = s.finish(nil) // it takes no memory
	}
	e.release()
}

// stays remembers a listen, or ends it when that is due already.
func (h *Handler) addListen(e *exchange) {
	e.unlimit()
	h.mu.Lock()
	late := h.closed || e.ended
	if !late {
		h.listens[e] = struct{}{}
	}
	h.mu.Unlock()
	if !late {
		return
	}
	h.running.add()
	go func() { // which ends what its own handler has just begun
		defer h.running.done()
		e.endListen()
	}()
}

// dropListen ends a listen whose client is gone.
func (h *Handler) dropListen(e *exchange) {
	h.mu.Lock()
	_, open := h.listens[e]
	delete(h.listens, e)
	e.ended = true
	h.mu.Unlock()
	if open {
		e.handler.End(context.Background())
		e.release()
	}
}
