package streamable

import (
	"context"
	"net/http"
	"strings"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// post serves one message or batch; the package comment has its calls. Either
// exchange.serve runs the requests, or prepare has answered, in which case nothing of the
// body remains in memory.
func (h *Handler) post(w http.ResponseWriter, r *http.Request, caller host.Caller) {
	owner := caller.Principal.ID
	e := &exchange{h: h, to: route{caller: caller}, hold: h.bodies.Hold(owner), slot: h.requests.Hold(owner)}
	if h.prepare(w, r, e) {
		e.serve(w, r)
	} else {
		e.hold.Release()
		e.yield()
	}
}

// prepare does all that precedes running the requests of a body. It reports false
// when it has answered: the body was refused, or needs no answer.
func (h *Handler) prepare(w http.ResponseWriter, r *http.Request, e *exchange) bool {
	if refused := h.checkHeaders(w.Header(), r, e); refused != nil {
		h.refuseCaller(w, r, &e.to.caller, refused)
		return false
	}
	named, _ := headerVersion(r)
	text, refused := h.readBody(w, r, e.hold, orBaseline(named))
	if refused != nil {
		h.chargeInvalid(w, r, &e.to.caller)
		h.refuse(r.Context(), w, &e.to.caller, refused)
		return false
	}
	var rpcErr *jsonrpc.Error
	e.body, rpcErr = jsonrpc.Decode(text, jsonrpc.Config{MaxMessage: int(h.maxBody.Load()), Logger: h.cfg.Logger})
	if rpcErr != nil {
		h.chargeInvalid(w, r, &e.to.caller)
		h.refuseFor(r.Context(), w, &e.to.caller, refusal(http.StatusBadRequest, rpcErr), jsonrpc.ID{}, named)
		return false
	}
	if refused := h.route(r, &e.to, &e.body); refused != nil {
		h.refuseBody(w, r, &e.to, &e.body, refused)
		return false
	}
	if h.forward(w, r, e, text) {
		return false
	}
	shared := h.deliver(&e.body, &e.to)
	if err := h.waitForMemory(r.Context(), e); err != nil {
		h.refuseFor(r.Context(), w, &e.to.caller, h.overBudget(w.Header(), err, orBaseline(e.to.rev), "requests", 0), onlyID(&e.body), e.to.rev)
		return false
	}
	if refused := h.cfg.Auth.Charge(r.Context(), w.Header(), &e.to.caller, e.to.rev, h.billOf(&e.body, &e.to)); refused != nil {
		h.refuseFor(r.Context(), w, &e.to.caller, refused, onlyID(&e.body), e.to.rev)
		return false
	}
	if shared { // not before it is paid for
		e.to.session.share(r.Context(), text)
	}
	if !e.body.Answered() {
		w.WriteHeader(http.StatusAccepted)
		return false
	}
	return true
}

// checkHeaders refuses media types that the endpoint does not have (406, 415), and
// selections of tools that do not exist (400). It sets e.accepts.
func (h *Handler) checkHeaders(header http.Header, r *http.Request, e *exchange) *Refusal {
	var ok bool
	if e.accepts, ok = accepted(r.Header); !ok {
		return invalid(http.StatusNotAcceptable, "Accept must have application/json or text/event-stream")
	}
	if !isJSON(first(r.Header["Content-Type"])) {
		return invalid(http.StatusUnsupportedMediaType, "Content-Type must be application/json")
	}
	if isEncoded(r.Header) {
		header["Accept-Encoding"] = identity // RFC 9110, section 15.5.16
		return invalid(http.StatusUnsupportedMediaType, "the body must be sent as it is, without Content-Encoding")
	}
	return h.selectTools(r, &e.to.caller)
}

// waitForMemory delays a request while memory is short, unless it is the only one of its
// principal: one that sends many at once does not delay the others. It returns an error
// when the wait was too long, or ctx is done.
func (h *Handler) waitForMemory(ctx context.Context, e *exchange) error {
	if !e.body.Answered() || e.to.view.Probe {
		return nil
	}
	if err := e.slot.Take(1); err != nil {
		return err
	}
	if h.requests.Held(e.to.caller.Principal.ID) == 1 {
		e.settled = h.gate.Pass()
		return nil
	}
	var err error
	e.settled, err = h.gate.Wait(ctx)
	return err
}

// refuseBody refuses a body that has no route. A client that tries revisions or
// whose session has ended does what it should; any other has sent an invalid body.
func (h *Handler) refuseBody(w http.ResponseWriter, r *http.Request, to *route, body *jsonrpc.Body, refused *Refusal) {
	if refused.Status == http.StatusBadRequest && refused.Error.Code != host.CodeUnsupportedVersion {
		h.chargeInvalid(w, r, &to.caller)
	} else {
		h.showQuota(w, r, &to.caller)
	}
	if !body.Answered() && !body.Batch {
		h.report(r.Context(), &to.caller, refused)
		w.WriteHeader(refused.Status) // a notification is not answered, not even with an error
		return
	}
	h.refuseFor(r.Context(), w, &to.caller, refused, onlyID(body), to.rev)
}

// isEncoded reports whether the body has a content coding, such as gzip (RFC 9110,
// section 8.4). None is decoded: a small body could become a huge one.
func isEncoded(header http.Header) bool {
	for _, value := range header["Content-Encoding"] {
		if !strings.EqualFold(strings.TrimSpace(value), "identity") && strings.TrimSpace(value) != "" {
			return true
		}
	}
	return false
}

// identity is the value of Accept-Encoding in the refusal of a body with another encoding.
var identity = []string{"identity"}

// billOf counts the requests of a body. Requests without the right to make them, and
// probes, are no calls. It is made before the requests run, so an error that a handler
// returns is paid for.
func (h *Handler) billOf(body *jsonrpc.Body, to *route) (bill Bill) {
	bill.Probe = to.view.Probe
	for _, m := range body.Messages {
		switch {
		case m.Err != nil:
			bill.Broken = 1
		case m.Request == nil || m.Request.IsNotification():
		case m.Request.Method == "initialize":
			bill.Handshakes++
		default:
			view := &to.view
			if body.Batch {
				one := h.cfg.Server.Preview(m.Request)
				view = &one
			}
			if view.Denied(to.caller.Principal) {
				bill.Broken = 1
			} else if !view.Probe {
				bill.Calls++
			}
		}
	}
	return bill
}

// deliver passes on messages that are not answered: notifications, and the client's
// responses to requests of the server. It reports whether the other servers must hear
// of the body: the request that it is about may run at one of them, or the stream that
// hears what a subscription is for.
func (h *Handler) deliver(body *jsonrpc.Body, to *route) (shared bool) {
	if to.session == nil {
		return false
	}
	for _, m := range body.Messages {
		switch {
		case m.Response != nil:
			shared = !to.session.answer(m.Response) || shared
		case m.Request != nil && m.Request.IsNotification():
			to.session.handler.Preempt(m.Request)
			shared = shared || m.Request.Method == "notifications/cancelled"
		case m.Request != nil:
			shared = shared || isShared(m.Request.Method) && !to.view.Denied(to.caller.Principal)
		}
	}
	return shared && !body.Batch
}
