package mcp

import "sync"

// listeners are the handlers of connections and streams that can be notified of changes.
type listeners struct {
	mu    sync.Mutex
	bound map[*Handler]struct{}
}

// listen adds a handler, which is notified of changes until forget.
func (l *listeners) listen(h *Handler) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bound[h] = struct{}{}
	h.bound.Store(true)
}

// forget ends what Bind began: nothing more is sent to the handler's connection.
func (l *listeners) forget(h *Handler) {
	if !h.bound.Load() {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.bound, h)
}

// all returns the handlers. It releases mu before anything is sent.
func (l *listeners) all() []*Handler {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := make([]*Handler, 0, len(l.bound))
	for h := range l.bound {
		all = append(all, h)
	}
	return all
}

// notifyTask sends the state of a task to the streams that listen for it.
func (l *listeners) notifyTask(v *taskView) {
	for _, h := range l.all() {
		for _, stream := range h.book.all() {
			if stream.wantsTask(v.id) {
				stream.notifyTask(h, v)
			}
		}
	}
}

// listensFor reports whether a stream listens for a task.
func (l *listeners) listensFor(id string) bool {
	for _, h := range l.all() {
		for _, stream := range h.book.all() {
			if stream.wantsTask(id) {
				return true
			}
		}
	}
	return false
}
