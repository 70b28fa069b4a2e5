package streamable

// Listens returns the number of open listen requests.
func (h *Handler) Listens() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.listens)
}

// SessionIDs returns the ids of the open sessions, without their seals.
func (h *Handler) SessionIDs() (ids []string) {
	for _, s := range h.sessions.all(false) {
		ids = append(ids, s.id)
	}
	return ids
}
