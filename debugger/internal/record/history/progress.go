package history

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/worktime"
)

// Within makes everything that the history does end with a request, until the result is
// called. Moves that it ends leave the view somewhere on their way.
func (h *History) Within(ctx context.Context) (done func()) { return h.within(ctx) }

// phase begins a part of the work of the request that passes so many positions, and returns
// what ends it.
func (h *History) phase(positions uint64) (end func()) {
	before := h.current
	h.current = worktime.Of(h.context()).Phase(positions)
	return func() {
		h.current.Close()
		h.current = before
	}
}

// passed notes how many positions of the phase have been passed.
func (h *History) passed(positions uint64) { h.current.At(positions) }

// looked notes that a search has looked at the positions between two, and goes on at the
// second one. They are equal before its first step, so the direction is told.
func (h *History) looked(from, to uint64, back bool) {
	worktime.Of(h.context()).Looked(min(from, to), max(from, to), back)
}
