package streamable

import (
	"net/http"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// A route holds the revision that governs a body, and its session. It is filled in before
// the body is charged and does not change afterwards, except that the exchange sets the
// caller's Send.
type route struct {
	caller  host.Caller
	rev     *host.Revision
	session *session     // nil where there is none
	begins  bool         // the body is an initialize that may begin a session
	silent  bool         // no message can precede the answer
	view    host.Preview // of the only request of the body
}

// route fills in the route of a body. The revision is that of the first of these which names
// one: the claim in the body, the session, the header, the baseline. It returns a refusal when
// they contradict each other, or the revision has no such body; to.rev is then the revision
// whose form the refusal has, nil when it is unknown.
func (h *Handler) route(r *http.Request, to *route, body *jsonrpc.Body) *Refusal {
	named, unknown := headerVersion(r)
	to.rev = host.BaselineRevision()
	request := body.Messages[0].Request
	if !body.Batch && request != nil {
		to.view = h.cfg.Server.Preview(request)
		view := &to.view
		if to.silent = view.Silent; view.Claimed {
			to.rev = orBaseline(view.Revision)
			to.caller.Revision = to.rev
			return checkClaim(r.Header, request, view, named)
		}
	}
	switch {
	case unknown != "":
		to.rev = nil
		return refusal(http.StatusBadRequest, host.UnsupportedVersion(unknown))
	case named != nil && named.Modern:
		to.rev, to.caller.Revision = named, named
		return unclaimed(body, named)
	}
	refused := h.routeLegacy(r, to, named, request)
	if refused == nil && body.Batch && !to.rev.Has(host.Batches) {
		refused = invalid(http.StatusBadRequest, "the protocol revision %s has no batches", to.rev.Name)
	}
	return refused
}

// checkClaim checks a modern request against its headers, which must name the same
// revision and repeat method and name. An error of the claim itself comes first: its
// answer lists the revisions that the server has.
func checkClaim(header http.Header, req *jsonrpc.Request, view *host.Preview, named *host.Revision) *Refusal {
	if view.Err != nil && view.Err.Code == jsonrpc.CodeInvalidParams && view.Revision == nil {
		return refusal(http.StatusBadRequest, view.Err) // the claim is not a string
	}
	if err := mirrors(header, "Mcp-Protocol-Version", view.Claim, true); err != nil {
		return refusal(http.StatusBadRequest, err)
	}
	if view.Revision == nil {
		return refusal(http.StatusBadRequest, view.Err)
	}
	if view.Err != nil && !req.IsNotification() {
		return refusal(http.StatusBadRequest, view.Err)
	}
	if req.IsNotification() && len(header["Mcp-Method"]) == 0 {
		return nil // the rules for headers of notifications are not defined
	}
	if named.Follows(host.MirroredHeaders) {
		if err := checkMirrors(header, req.Method, view); err != nil {
			return refusal(http.StatusBadRequest, err)
		}
	}
	return nil
}

// unclaimed refuses requests that name a modern revision in the header but not in the
// body, where every request of those revisions has it. Notifications and responses need
// no claim.
func unclaimed(body *jsonrpc.Body, rev *host.Revision) *Refusal {
	switch {
	case body.Batch:
		return invalid(http.StatusBadRequest, "the protocol revision %s has no batches", rev.Name)
	case body.Messages[0].Request == nil || body.Messages[0].Request.IsNotification():
		return nil
	}
	return refusal(http.StatusBadRequest, host.MissingClaim())
}

// routeLegacy finds the session and the revision of a request of the revisions with a
// handshake. A request with Mcp-Session-Id has those of its session; initialize without
// it begins a session; all others are of clients without one, which are served by the
// revision that they name.
func (h *Handler) routeLegacy(r *http.Request, to *route, named *host.Revision, request *jsonrpc.Request) *Refusal {
	to.begins = request != nil && request.Method == "initialize" && !request.IsNotification()
	id := first(r.Header["Mcp-Session-Id"])
	switch {
	case id != "":
		s := h.sessions.find(r.Context(), id, &to.caller.Principal)
		if s == nil {
			return noSession()
		}
		to.session, to.caller.Session, to.rev = s, s.mcp, s.mcp.Revision()
		to.silent = to.silent && s.mcp.Silent()
		if to.begins {
			return invalid(http.StatusBadRequest, "the session is initialized already; initialize without Mcp-Session-Id begins another")
		}
	case to.begins:
		to.caller.Session = host.NewSession(newSessionID())
	case named != nil:
		to.rev, to.caller.Revision = named, named
	}
	return nil
}

// noSession is the refusal of a session that is unknown, has ended or belongs to
// another key (404), upon which a client has to initialize again (basic/transports,
// session management).
func noSession() *Refusal {
	return invalid(http.StatusNotFound, "the session is unknown or has ended; initialize again")
}
