package streamable

import "context"

// A listen is an exchange whose stream carries notifications until the client or the
// server ends it. Its result is the last event.

// endListen ends a listen on behalf of the server: the client gets its result as the last
// event. The exchange must no longer be in the set of listens.
func (e *exchange) endListen() {
	e.handler.End(context.Background())
	if s := e.open(); s != nil { // nil if the client disconnected before the first message
		_ = s.finish(nil) // it takes no memory
	}
	e.release()
}

// addListen adds a listen, or ends it if the client or the server already has. It does
// not block.
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
	go func() { // the caller is the handler of the request that it ends
		defer h.running.done()
		e.endListen()
	}()
}

// dropListen ends a listen whose client disconnected. For other exchanges, and for a
// second call, it does nothing but keep the exchange from becoming a listen.
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
