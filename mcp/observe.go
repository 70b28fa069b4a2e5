package mcp

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/mcp/internal/params"
)

// EventKinds calls yield for each kind of request that an [host.Event] may be of: for each method
// that exists and, for tools/call, each tool of the server.
func (s *Server) EventKinds(yield func(method, family, tool string)) {
	for i := range methods {
		yield(methods[i].name, "", "")
	}
	for _, t := range s.rows.tables {
		for i := range t.Tools {
			yield("tools/call", t.Family, t.Tools[i].Name)
		}
	}
}

// observed handles a request and then calls the observer, even after a panic.
func (h *Handler) observed(ctx context.Context, req *jsonrpc.Request, call *Call, dst []byte) (out []byte, err error) {
	event := host.Event{Caller: h.caller, Method: req.Method, Started: time.Now(), Code: jsonrpc.CodeInternalError}
	if row := call.method; row != nil {
		event.Known, event.Probe, event.Browsing = true, row.purpose == probe, row.purpose == browsing
	}
	if trace := h.server.cfg.Trace; trace != nil {
		ctx = trace(ctx, req.Method, traceContextOf(req.Params))
		event.RequestID = requestIDOf(req)
	}
	start := len(dst)
	defer func() {
		event.Took = time.Since(event.Started)
		event.Family, event.Target = call.target()
		event.Failed, event.Task, event.Details = call.failure, call.became != nil, call.details
		event.LookUp = call.looksUp()
		event.Revision = call.rev.Revision
		event.Cancelled = ctx.Err() != nil
		if explain := h.server.cfg.Explain; explain != nil && err != nil {
			err = explain(ctx, &event, err)
		}
		if lost := h.server.cfg.Observe(ctx, &event); lost != nil {
			h.server.cfg.Logger.Error("call not recorded", "method", req.Method, "err", lost)
			out, err = dst[:start], cmp.Or(err, lost)
		}
	}()
	out, err = h.handle(ctx, req, call, dst)
	event.Code = codeOf(err)
	return out, err
}

// looksUp returns [host.Event.LookUp].
func (c *Call) looksUp() bool {
	switch {
	case c.method == nil:
		return false
	case c.tool != nil:
		return c.tool.LookUp != ""
	case c.method.purpose == work && (c.method.target == targetURI || c.method.target == targetFile):
		src := c.handler.server.rows.source(params.Unquoted(c.params.Other("uri")))
		return src != nil && src.LookUp != ""
	}
	return c.method.purpose != work
}

// observeEnd reports the end of a task to the observer. It returns the error of
// the job, or that of the observer, in which case the result is withheld.
func (c *Call) observeEnd(ctx context.Context, began time.Time, err error) error {
	server := c.handler.server
	if server.cfg.Observe == nil {
		return err
	}
	now := time.Now()
	lost := server.cfg.Observe(ctx, &host.Event{
		Caller: c.handler.caller, Method: host.TaskEnd, Known: true, Family: c.tool.table.Family, Target: c.tool.Name,
		Started: now, Took: now.Sub(began), Code: codeOf(err), Failed: c.failure, Cancelled: ctx.Err() != nil, Details: c.details,
	})
	if lost != nil {
		server.cfg.Logger.Error("task not recorded", "tool", c.tool.Name, "err", lost)
	}
	return cmp.Or(err, lost)
}

// observeLeaving reports the end of the caller's session to the observer, if a
// session was started.
func (h *Handler) observeLeaving(ctx context.Context) {
	s := h.caller.Session
	if h.server.cfg.Observe == nil || !h.caller.Unsolicited || s == nil || !s.Begun() || s.State.Left.Swap(true) {
		return
	}
	event := host.Event{Caller: h.caller, Method: host.SessionEnd, Known: true, Started: time.Now(), Took: s.State.Age(), Revision: s.Revision()}
	if err := h.server.cfg.Observe(ctx, &event); err != nil {
		h.server.cfg.Logger.Error("end of a session not recorded", "session", s.ID, "err", err)
	}
}

// codeOf returns the code of the error that is sent for err, 0 for nil.
func codeOf(err error) jsonrpc.Code {
	if err == nil || errors.Is(err, jsonrpc.ErrNoAnswer) {
		return 0
	}
	return jsonrpc.ErrorOf(err).Code
}

// target returns the family and the documented name of the call's tool, or else
// the name or URI in the request.
func (c *Call) target() (family, name string) {
	if c.tool != nil {
		return c.tool.table.Family, c.tool.Name
	}
	if c.method == nil || c.method.target == targetTask {
		return "", ""
	}
	return "", params.Quoted(params.Unquoted(c.method.target.member(&c.params)))
}

// traceContextOf returns the trace context of params, or the zero value.
func traceContextOf(raw []byte) (t host.TraceContext) {
	var p params.Params
	if _, err := p.Parse(raw); err != nil {
		return t
	}
	meta := params.Params{Raw: p.Other("_meta")}
	if params.IsNull(meta.Raw) {
		return t
	}
	return host.TraceContext{Parent: params.Unquoted(meta.Other("traceparent")), State: params.Unquoted(meta.Other("tracestate"))}
}

// requestIDOf returns the id of a request in the form of [host.Event.RequestID].
func requestIDOf(req *jsonrpc.Request) string {
	raw := req.ID.Raw()
	switch {
	case params.IsString(raw):
		return jsonrpc.Unquote(raw)
	case params.IsNumber(raw):
		return string(raw)
	}
	return ""
}
