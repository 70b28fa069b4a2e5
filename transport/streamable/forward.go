package streamable

import (
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/internal/budget"
	"github.com/triptych-mcp/triptych/transport/peer"
)

// forward passes a body on to the server that has in memory what its requests need, and
// reports whether it was answered. A body is served here if there is no other server for it,
// if that server has ended, or if another server has passed it on: a request is passed on once
// at most, so it cannot go round. The other server authenticates and charges it, and records
// it in the trail; here it only counts against the limit of forwards.
func (h *Handler) forward(w http.ResponseWriter, r *http.Request, e *exchange, text []byte) (answered bool) {
	if h.cfg.Forward == nil || h.cfg.Owner == nil || peer.IsPassedOn(r.Context()) {
		return false
	}
	tag := h.ownerOf(r, e)
	if tag == "" || tag == h.cfg.Forward.Tag() {
		return false
	}
	caller := &e.to.caller
	if refused := h.takeForward(w.Header(), caller, e.to.rev); refused != nil {
		h.refuseFor(r.Context(), w, caller, refused, onlyID(&e.body), e.to.rev)
		return true
	}
	defer h.forwards.Give(caller.Principal.ID, 1)
	began, err := h.cfg.Forward.Pass(w, r, text, caller.Addr, tag)
	switch _, ended := errors.AsType[*peer.EndedError](err); {
	case err == nil || r.Context().Err() != nil:
	case !began && ended:
		return false // its answer here says what is missing
	case !began:
		h.cfg.Logger.Warn("request not passed on", "err", err, "cause", errors.Unwrap(err))
		h.refuseFor(r.Context(), w, caller, away(w.Header(), e.to.rev, err), onlyID(&e.body), e.to.rev)
	default:
		h.cfg.Logger.Warn("answer of another server cut off", "err", err, "cause", errors.Unwrap(err))
		h.endForwarded(w, e, err)
	}
	return true
}

// ownerOf returns the tag of the server that a request of the body needs, "" for none. A
// batch goes to the first one that a request of it needs.
func (h *Handler) ownerOf(r *http.Request, e *exchange) string {
	for _, m := range e.body.Messages {
		if m.Request == nil || m.Request.Method != "tools/call" {
			continue
		}
		view := &e.to.view
		if e.body.Batch {
			one := h.cfg.Server.Preview(m.Request)
			view = &one
		}
		if tag := h.cfg.Owner(r.Context(), &e.to.caller, view); tag != "" {
			return tag
		}
	}
	return ""
}

// takeForward counts a request that is passed on, and refuses one beyond the bounds, with
// Retry-After: 429 to a principal with too many, 503 when there are too many in all. Each
// occupies a connection to another server until it is answered.
func (h *Handler) takeForward(header http.Header, caller *host.Caller, rev *host.Revision) *Refusal {
	err := h.forwards.Take(caller.Principal.ID, 1)
	if err == nil {
		return nil
	}
	header.Set("Retry-After", "1")
	if errors.Is(err, budget.ErrOwner) {
		told := &host.QuotaError{
			Limit: maxForwards, Used: maxForwards, ResetAt: time.Now().Add(time.Second),
			Details: "a key may have so many requests that are passed on to another server at one time",
		}
		return refusal(http.StatusTooManyRequests, told.Wire(orBaseline(rev)))
	}
	return refusal(http.StatusServiceUnavailable,
		jsonrpc.Errorf(jsonrpc.CodeInternalError, "Internal error").WithDetails("too many requests are being passed on to other servers"))
}

// away refuses a request whose server cannot be reached now. It may be back, so the
// client is asked to try again.
func away(header http.Header, rev *host.Revision, err error) *Refusal {
	header.Set("Retry-After", "5")
	return refusal(statusOf(orBaseline(rev), &mcp.UnavailableError{Message: err.Error()}),
		jsonrpc.Errorf(jsonrpc.CodeInternalError, "Internal error").WithDetails("%s", err))
}

// endForwarded ends an event stream of another server, which has broken off, with an
// error in place of the answer. The blank lines before end a half-written event. Other
// answers are cut off, which the client sees.
func (h *Handler) endForwarded(w http.ResponseWriter, e *exchange, err error) {
	if !strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream") || e.body.Batch {
		return
	}
	told := jsonrpc.Errorf(jsonrpc.CodeInternalError, "Internal error").WithDetails("%s", err)
	text := jsonrpc.AppendError(nil, onlyID(&e.body), hasNullID(e.to.rev), told)
	_, _ = w.Write(append(append([]byte("\n\ndata: "), text...), "\n\n"...)) // the client may have disconnected
}

// forwardStream passes a GET on to the server that has the stream of its Last-Event-ID,
// and reports whether it was answered. The session's own stream goes on here when that
// server has ended or cannot be reached.
func (h *Handler) forwardStream(w http.ResponseWriter, r *http.Request, s *session, caller *host.Caller) (answered bool) {
	tag, name := h.streamOwner(r.Header.Get("Last-Event-Id"))
	if tag == "" || tag == h.cfg.Forward.Tag() || peer.IsPassedOn(r.Context()) {
		return false
	}
	if refused := h.takeForward(w.Header(), caller, s.mcp.Revision()); refused != nil {
		h.refuse(r.Context(), w, caller, refused)
		return true
	}
	defer h.forwards.Give(s.principal, 1)
	began, err := h.cfg.Forward.Pass(w, r, nil, netip.AddrPort(caller.Addr), tag)
	switch {
	case err == nil || began || r.Context().Err() != nil:
		return true // a client whose stream breaks off connects again
	case name == ownStream:
		return false
	}
	refused := away(w.Header(), s.mcp.Revision(), err)
	if _, ended := errors.AsType[*peer.EndedError](err); ended {
		refused = invalid(http.StatusBadRequest, "%s: the stream of Last-Event-ID cannot be resumed", err)
	} else {
		refused.Status = http.StatusServiceUnavailable // it is no answer to a request
	}
	h.refuse(r.Context(), w, caller, refused)
	return true
}

// streamOwner returns the tag of the server in an event id, "" for none, and the name of
// the stream without it.
func (h *Handler) streamOwner(lastEvent string) (tag, name string) {
	name, _, _ = strings.Cut(lastEvent, "_")
	tag, rest, ok := strings.Cut(name, tagEnd)
	if !ok || h.cfg.Forward == nil {
		return "", name
	}
	return tag, rest
}
