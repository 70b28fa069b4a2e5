package streamable

import (
	"errors"
	"net/http"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/internal/budget"
	"github.com/triptych-mcp/triptych/transport/internal/intake"
)

// readBody reads the body of a POST. Its memory is taken from hold, which the caller
// releases, also after a refusal.
func (h *Handler) readBody(w http.ResponseWriter, r *http.Request, hold *budget.Hold, rev *host.Revision) ([]byte, *Refusal) {
	limits := intake.Limits{Max: h.maxBody.Load(), Grace: h.cfg.BodyGrace, Rate: h.cfg.BodyRate}
	text, err := limits.Read(w, r, hold)
	switch {
	case err == nil:
		return text, nil
	case errors.Is(err, intake.ErrTooLarge):
		return nil, invalid(http.StatusRequestEntityTooLarge, "a body may have %d bytes at most", limits.Max) // RFC 9110, section 15.5.14
	case errors.Is(err, intake.ErrTooSlow):
		w.Header().Set("Connection", "close") // the body is not read
		return nil, invalid(http.StatusRequestTimeout, "the body must arrive with %d bytes a second", limits.Rate)
	case errors.Is(err, intake.ErrCutOff):
		return nil, invalid(http.StatusBadRequest, "the body could not be read to its end")
	}
	w.Header().Set("Connection", "close")
	return nil, h.overBudget(w.Header(), err, rev, "bodies", h.bodyMemory.Load())
}

// BodyHold returns a hold, still empty, of the memory for bodies of a principal. Other
// handlers of the same listener charge their bodies to it, see package routes.
func (h *Handler) BodyHold(principal string) *budget.Hold { return h.bodies.Hold(principal) }

// AnswerHold returns a hold, still empty, of the memory for answers of a principal.
func (h *Handler) AnswerHold(principal string) *budget.Hold { return h.answers.Hold(principal) }

// Authenticate returns the caller of a request to another handler of the same listener, or nil
// when it has refused it. With [Handler.Charge] it implements the Callers of package routes.
func (h *Handler) Authenticate(w http.ResponseWriter, r *http.Request) (*host.Caller, *http.Request) {
	w.Header()["X-Content-Type-Options"] = noSniff
	caller, refused := host.Caller{}, h.checkHost(r)
	if refused == nil {
		h.cors(w.Header(), r)
		caller, refused = h.cfg.Auth.Authenticate(w.Header(), r)
	}
	if refused != nil {
		h.refuse(r.Context(), w, &caller, refused)
		return nil, r
	}
	return &caller, r
}

// Charge takes calls from the quota of a caller, or reports false when it has refused it.
func (h *Handler) Charge(w http.ResponseWriter, r *http.Request, caller *host.Caller, calls int) bool {
	refused := h.cfg.Auth.Charge(r.Context(), w.Header(), caller, host.BaselineRevision(), Bill{Calls: calls})
	if refused != nil {
		h.refuse(r.Context(), w, caller, refused)
	}
	return refused == nil
}

// RefuseRequest answers a request with a status and a reason, in the form of the endpoint's
// refusals. It does not report it.
func (h *Handler) RefuseRequest(w http.ResponseWriter, _ *http.Request, status int, reason string) {
	w.Header()["X-Content-Type-Options"] = noSniff
	refused := invalid(status, "%s", reason)
	_ = writeJSON(w, status, jsonrpc.AppendError(nil, jsonrpc.ID{}, true, refused.Error)) // the client may have disconnected
}
