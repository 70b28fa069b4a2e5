package streamable

import (
	"context"
	"net/http"
	"strconv"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// refuseCaller refuses a request of an authenticated caller, with the headers that show
// its quota.
func (h *Handler) refuseCaller(w http.ResponseWriter, r *http.Request, caller *host.Caller, refused *Refusal) {
	h.showQuota(w, r, caller)
	h.refuse(r.Context(), w, caller, refused)
}

// showQuota sets the headers that show the caller's quota, which each answer to an
// authenticated caller has.
func (h *Handler) showQuota(w http.ResponseWriter, r *http.Request, caller *host.Caller) {
	_ = h.cfg.Auth.Charge(r.Context(), w.Header(), caller, host.BaselineRevision(), Bill{}) // an empty bill is not refused
}

// chargeInvalid counts an invalid body and shows the caller's quota. A key with too many
// of them is refused before its next body is read.
func (h *Handler) chargeInvalid(w http.ResponseWriter, r *http.Request, caller *host.Caller) {
	_ = h.cfg.Auth.Charge(r.Context(), w.Header(), caller, host.BaselineRevision(), Bill{Broken: 1}) // the body is refused anyway
}

// refuse answers a request whose message was not read, or has no id.
func (h *Handler) refuse(ctx context.Context, w http.ResponseWriter, caller *host.Caller, refused *Refusal) {
	h.refuseFor(ctx, w, caller, refused, jsonrpc.ID{}, nil)
}

// refuseFor answers with the id of the message, in the form of the client's revision, nil
// if it is unknown. Without an id, it is null, or absent where the revision has no null.
func (h *Handler) refuseFor(ctx context.Context, w http.ResponseWriter, caller *host.Caller, refused *Refusal, id jsonrpc.ID, rev *host.Revision) {
	h.report(ctx, caller, refused)
	told := host.Explained(orBaseline(rev), refused.Error)
	_ = writeJSON(w, refused.Status, jsonrpc.AppendError(nil, id, hasNullID(rev), told)) // the client may have disconnected
}

// report reports a refusal to Config.Refused, for the audit trail, unless the
// authenticator has.
func (h *Handler) report(ctx context.Context, caller *host.Caller, refused *Refusal) {
	if h.cfg.Refused != nil && !refused.Reported {
		h.cfg.Refused(ctx, caller, refused)
	}
}

// writeJSON writes a whole answer. The error is that of the connection. The head has the
// length, so that the client sees when the body was cut off.
func writeJSON(w http.ResponseWriter, status int, body []byte) error {
	header := w.Header()
	header["Content-Type"] = applicationJSON
	header["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	_, err := w.Write(body)
	return err
}

// hasNullID reports whether an answer without a readable id has the id null.
// Without a revision it has (JSON-RPC 2.0, section 5).
func hasNullID(rev *host.Revision) bool { return rev == nil || rev.Has(host.NullIDs) }

// onlyID returns the id of a body that is one request, the zero ID for a batch. It shares
// the memory of the body.
func onlyID(body *jsonrpc.Body) jsonrpc.ID {
	if body.Batch {
		return jsonrpc.ID{}
	}
	if req := body.Messages[0].Request; req != nil {
		return req.ID
	}
	return body.Messages[0].ID
}

// orBaseline returns the revision, or for nil that of clients which name none.
func orBaseline(rev *host.Revision) *host.Revision {
	if rev == nil {
		return host.BaselineRevision()
	}
	return rev
}

var (
	noSniff         = []string{"nosniff"}
	applicationJSON = []string{"application/json"}
)
