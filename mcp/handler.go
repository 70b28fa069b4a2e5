package mcp

import (
	"context"
	"errors"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/mcp/internal/params"
)

// Handle implements [jsonrpc.Handler]: it answers one request by appending the
// JSON of the result to dst. It returns either an error for the client, or an
// internal error, whose text [jsonrpc.ErrorOf] hides. It may be called
// concurrently.
func (h *Handler) Handle(ctx context.Context, req *jsonrpc.Request, dst []byte) ([]byte, error) {
	call := &Call{handler: h, id: req.ID, method: methodRows[req.Method]}
	defer call.over.Store(true)
	handle := h.handle
	if h.server.cfg.Observe != nil {
		handle = h.observed
	}
	dst, err := handle(ctx, req, call, dst)
	if err != nil {
		err = call.explained(err)
	}
	return dst, err
}

// explained returns the error with its reason in the message, too, for clients that have
// named a revision: many hosts show the model the message alone. Messages that are
// documented as they are stay.
func (c *Call) explained(err error) error {
	rev := c.rev.Revision
	if rev == nil {
		rev = c.handler.governing().Revision
	}
	if rpc, ok := errors.AsType[*jsonrpc.Error](err); ok {
		if told := host.Explained(rev, rpc); told != rpc {
			return told
		}
	}
	return err
}

// governing returns the revision of requests that name none themselves.
func (h *Handler) governing() revision { return h.server.shapesFor(h.caller.Governing()) }

// handle parses the params of a request, finds its method in the revision that
// the request names or that its session negotiated, and serves it. A method that
// the revision lacks, or for which the server has no capability, is unknown.
func (h *Handler) handle(ctx context.Context, req *jsonrpc.Request, call *Call, dst []byte) ([]byte, error) {
	meta, err := h.parse(req, &call.params)
	if err != nil {
		return dst, err
	}
	call.followed = meta.ProgressToken != nil
	if err := call.admit(&meta); err != nil {
		return dst, err
	}
	if row := call.method; row == nil || !row.in(call.rev.Revision) || !h.server.rows.offers(row.needs) {
		return dst, methodNotFound(req.Method)
	}
	return h.serve(ctx, call, dst)
}

// parse sets p from the params of the request, which a preview may have parsed
// already.
func (h *Handler) parse(req *jsonrpc.Request, p *params.Params) (params.Meta, *jsonrpc.Error) {
	if v := h.preview; v != nil && v.Parsed.Request == req {
		h.preview = nil // do not retain the message after its request
		*p = v.Parsed.Params
		return v.Parsed.Meta, v.Parsed.Err
	}
	return p.Parse(req.Params)
}

// serve calls the method's function and closes the JSON of the result.
func (h *Handler) serve(ctx context.Context, call *Call, dst []byte) ([]byte, error) {
	start := len(dst)
	dst = append(dst, '{')
	dst, err := call.method.serve(ctx, h.server, call, dst)
	if err != nil {
		return h.refuse(call, dst[:start], err)
	}
	return append(call.appendTrailer(dst, start+1, call.method.cache), '}'), nil
}

// refuse converts an error to the form of the revision. Since 2026-07-28, a
// request for input is a result. dst is without the result that was begun.
func (h *Handler) refuse(call *Call, dst []byte, err error) ([]byte, error) {
	if ask, ok := errors.AsType[*inputRequired](err); ok {
		return call.appendInputRequired(dst, ask)
	}
	if gone, ok := errors.AsType[*ResourceNotFoundError](err); ok {
		return dst, gone.wire(call.rev)
	}
	return dst, err
}

// Blocks implements [jsonrpc.BlockingHandler]: messages after initialize wait
// until it has negotiated the revision that governs how they are read.
func (h *Handler) Blocks(req *jsonrpc.Request) bool { return req.Method == "initialize" }

// Preempt implements [jsonrpc.Preempter]. It handles all notifications on the
// reading goroutine, so that a cancellation overtakes queued requests. It does
// not block, and ignores unknown notifications (JSON-RPC 2.0, section 4.1).
func (h *Handler) Preempt(req *jsonrpc.Request) bool {
	switch req.Method {
	case "notifications/initialized":
		if h.caller.Session != nil {
			h.caller.Session.State.Ready.Store(true)
		}
	case "notifications/cancelled":
		h.cancelRequest(req.Params)
	}
	return true // unknown notifications are ignored
}

// cancelRequest cancels a request in flight. It ignores ids that are malformed,
// unknown or finished, as the specification requires
// (basic/utilities/cancellation): the answer may have crossed the notification.
func (h *Handler) cancelRequest(raw []byte) {
	var p params.Params
	if _, err := p.Parse(raw); err != nil {
		return
	}
	named := p.Other("requestId")
	if !params.IsString(named) && !params.IsNumber(named) {
		return
	}
	id := jsonrpc.RawID(named)
	if !h.closeListen(id.String()) && h.cancel != nil {
		h.cancel(id)
	}
}

// Sequence implements [jsonrpc.Sequencer]. Calls with the same name run in
// arrival order; the name is that of the family. Lists of resources belong to the
// first family that has resources, since its tools change them. Tools with
// Interrupts have no name, as they must not queue behind the call that they end.
func (h *Handler) Sequence(req *jsonrpc.Request) string {
	row := methodRows[req.Method]
	if row == nil || row.order == anyOrder {
		return ""
	}
	switch {
	case row.order == firstResource && len(h.server.rows.sources) > 0:
		return h.server.rows.sources[0].table.Family
	case row.order == firstPrompt && len(h.server.rows.promptsOf) > 0:
		return h.server.rows.promptsOf[0].table.Family
	case row.order != familyOrder:
		return ""
	}
	var p params.Params
	if _, err := p.Parse(req.Params); err != nil {
		return ""
	}
	if row.target == targetTool {
		if tool := h.server.rows.toolNamed(p.Name); tool != nil && !tool.Interrupts {
			return tool.table.Family
		}
		return ""
	}
	if src := h.server.rows.source(params.Unquoted(row.target.member(&p))); src != nil {
		return src.table.Family
	}
	return ""
}

// GuardBatch implements [jsonrpc.BatchGuard]. It rejects batches in revisions
// without batches (after 2025-03-26), and batches with requests that must not be
// in one.
func (h *Handler) GuardBatch(items []jsonrpc.Request) (refused *jsonrpc.Error, nullID bool) {
	if !h.governing().Has(host.Batches) {
		return invalidRequest("the negotiated protocol revision has no batches"), h.NullID()
	}
	for i := range items {
		var p params.Params
		if items[i].Method == "initialize" {
			return invalidRequest("initialize must not be part of a batch"), h.NullID()
		}
		if meta, err := p.Parse(items[i].Params); err == nil && meta.Version != nil {
			return invalidRequest("the claimed protocol revision has no batches"), false
		}
	}
	return nil, false
}

// ReusesID implements [jsonrpc.IDReuser]. Clients that name no revision may use an id for
// each of their lines, as scripts do.
func (h *Handler) ReusesID(req *jsonrpc.Request) bool {
	var p params.Params
	m, err := p.Parse(req.Params)
	return h.caller.Governing() == host.BaselineRevision() && (err != nil || m.Version == nil)
}

// NullID implements [jsonrpc.IDPolicy]. It reports whether an answer to a request
// without a readable id has "id":null.
func (h *Handler) NullID() bool {
	return h.governing().Has(host.NullIDs)
}
