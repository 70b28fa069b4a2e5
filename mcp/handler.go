package mcp

import (
	"context"
	"errors"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// Handle implements [jsonrpc.Handler]: it answers one request with the JSON of its
// result, appended to dst. Its error is one for the client, or one of the server's that
// [jsonrpc.ErrorOf] hides. It may be called from several goroutines at once.
func (h *Handler) Handle(ctx context.Context, req *jsonrpc.Request, dst []byte) ([]byte, error) {
	call := &Call{handler: h, id: req.ID, method: methodRows[req.Method]}
	defer call.over.Store(true)
	if h.server.cfg.Observe != nil {
		return h.observed(ctx, req, call, dst)
	}
	return h.handle(ctx, req, call, dst)
}

// handle parses the params of a request, finds its method in the revision that the
// request names or its session has agreed on, and serves it. A method that the revision
// does not have, or for which the server has nothing to offer, is an unknown one.
func (h *Handler) handle(ctx context.Context, req *jsonrpc.Request, call *Call, dst []byte) ([]byte, error) {
	meta, err := h.parse(req, &call.params)
	if err != nil {
		return dst, err
	}
	call.followed = meta.progressToken != nil
	if err := call.admit(&meta); err != nil {
		return dst, err
	}
	if row := call.method; row == nil || !row.in(call.rev) || !h.server.offers(row.needs) {
		return dst, methodNotFound(req.Method)
	}
	return h.serve(ctx, call, dst)
}

// parse fills p from the params of the request, which a preview may have parsed
// already.
func (h *Handler) parse(req *jsonrpc.Request, p *params) (meta, *jsonrpc.Error) {
	if v := h.preview; v != nil && v.request == req {
		h.preview = nil // a handler that stays must not keep the message
		*p = v.params
		return v.meta, v.bad
	}
	return p.parse(req.Params)
}

// serve runs the row and closes the result that it opened.
func (h *Handler) serve(ctx context.Context, call *Call, dst []byte) ([]byte, error) {
	start := len(dst)
	dst = append(dst, '{')
	dst, err := call.method.serve(ctx, h.server, call, dst)
	if err != nil {
		return h.refuse(call, dst[:start], err)
	}
	return append(call.appendTrailer(dst, start+1, call.method.cache), '}'), nil
}

// refuse gives an error the form that the revision wants; a request for input is a result
// since 2026-07-28. dst is without the result that was begun.
func (h *Handler) refuse(call *Call, dst []byte, err error) ([]byte, error) {
	if ask, ok := errors.AsType[*inputRequired](err); ok {
		return call.appendInputRequired(dst, ask)
	}
	if gone, ok := errors.AsType[*ResourceNotFoundError](err); ok {
		return dst, gone.wire(call.rev)
	}
	return dst, err
}

// Blocks implements [jsonrpc.BlockingHandler]: what follows initialize waits until it has
// negotiated the revision, which governs how the next message is read.
func (h *Handler) Blocks(req *jsonrpc.Request) bool { return req.Method == "initialize" }

// Preempt implements [jsonrpc.Preempter]. It takes every notification; it runs on the
// reading goroutine, so a cancellation overtakes all that waits. It does not block, and
// unknown notifications are ignored (JSON-RPC 2.0, section 4.1).
func (h *Handler) Preempt(req *jsonrpc.Request) bool {
	switch req.Method {
	case "notifications/initialized":
		if h.caller.Session != nil {
			h.caller.Session.ready.Store(true)
		}
	case "notifications/cancelled":
		h.cancelRequest(req.Params)
	}
	return true // unknown ones are ignored
}

// cancelRequest ends a request in flight; one that is malformed, unknown or finished is
// ignored, as the specification asks (basic/utilities/cancellation): the answer may have
// crossed it.
func (h *Handler) cancelRequest(raw []byte) {
	var p params
	if _, err := p.parse(raw); err != nil {
		return
	}
	named := p.other("requestId")
	if !isString(named) && !isNumber(named) {
		return
	}
	id := jsonrpc.RawID(named)
	if !h.closeListen(id.String()) && h.cancel != nil {
		h.cancel(id)
	}
}

// Sequence implements [jsonrpc.Sequencer]. It returns the name of what must run in
// arrival order: calls to one family. Lists of resources belong to the first family that
// has any, whose tools change them. Tools with Interrupts have no sequence, as they must
// not queue behind the call that they end.
func (h *Handler) Sequence(req *jsonrpc.Request) string {
	row := methodRows[req.Method]
	if row == nil || row.order == anyOrder {
		return ""
	}
	switch {
	case row.order == firstResource && len(h.server.sources) > 0:
		return h.server.sources[0].table.Family
	case row.order == firstPrompt && len(h.server.promptsOf) > 0:
		return h.server.promptsOf[0].table.Family
	case row.order != familyOrder:
		return ""
	}
	var p params
	if _, err := p.parse(req.Params); err != nil {
		return ""
	}
	if row.target == targetTool {
		if tool := h.server.toolNamed(p.name); tool != nil && !tool.Interrupts {
			return tool.table.Family
		}
		return ""
	}
	if src := h.server.source(unquoted(row.target.member(&p))); src != nil {
		return src.table.Family
	}
	return ""
}

// GuardBatch implements [jsonrpc.BatchGuard]. It refuses batches where the revision has
// none (those up to 2025-03-26 have them), and those that hold what may not be in one.
func (h *Handler) GuardBatch(items []jsonrpc.Request) (refused *jsonrpc.Error, nullID bool) {
	if !h.caller.revision().Has(Batches) {
		return invalidRequest("the negotiated protocol revision has no batches"), h.NullID()
	}
	for i := range items {
		var p params
		if items[i].Method == "initialize" {
			return invalidRequest("initialize must not be part of a batch"), h.NullID()
		}
		if meta, err := p.parse(items[i].Params); err == nil && meta.version != nil {
			return invalidRequest("the claimed protocol revision has no batches"), false
		}
	}
	return nil, false
}

// NullID implements [jsonrpc.IDPolicy]. It reports whether an answer without a readable
// id has "id":null.
func (h *Handler) NullID() bool {
	return h.caller.revision().Has(NullIDs)
}
