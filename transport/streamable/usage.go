package streamable

import "github.com/triptych-mcp/triptych/transport/internal/budget"

// A Usage is how much of a budget is used: in all, by how many principals, and
// how often it was refused.
type Usage = budget.Usage

// BodyUsage returns the bytes of bodies that are being received or answered.
func (h *Handler) BodyUsage() Usage { return h.bodies.Usage() }
