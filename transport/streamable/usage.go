package streamable

import "github.com/triptych-mcp/triptych/transport/internal/budget"

// A Usage holds the use of a budget: in all, by how many principals, and how often it was
// refused. The methods that return one may be called at any time.
type Usage = budget.Usage

// BodyUsage returns the bytes of bodies that are being received or answered. Like the
// other usages it is for metrics.
func (h *Handler) BodyUsage() Usage { return h.bodies.Usage() }

// AnswerUsage returns the bytes of answers and messages that clients have not
// read yet.
func (h *Handler) AnswerUsage() Usage { return h.answers.Usage() }

// SessionUsage returns the sessions that are open in this process.
func (h *Handler) SessionUsage() Usage { return h.sessions.count.Usage() }

// StreamUsage returns the event streams that are open.
func (h *Handler) StreamUsage() Usage { return h.streams.Usage() }
