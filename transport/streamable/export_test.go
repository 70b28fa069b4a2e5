package streamable

// Listens is how many listen requests are open.
func (h *Handler) Listens() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.listens)
}
