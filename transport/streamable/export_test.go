package streamable

// Listens returns the number of open listen requests.
func (h *Handler) Listens() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.listens)
}
