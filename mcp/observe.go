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

// An Event describes an answered request, for audit trails and metrics. It
// contains no arguments and no results, so that no secrets reach a record. It is
// valid until the observer returns.
type Event struct {
	Caller Caller
	// Method is the method as sent. Known reports whether it exists.
	Method string
	Known  bool
	// Probe reports whether the request only checked that a server is there;
	// such requests need not be recorded. Browsing reports whether it only
	// listed what the server offers.
	Probe, Browsing bool
	// Family and Target are the family and the documented name of the tool.
	// Without a Family, Target is the URI of a resource or the name of a
	// prompt.
	Family, Target string
	Started        time.Time
	Took           time.Duration
	// RequestID is the id of the request: a number, or the text of a string.
	// It is set for [Config.Trace] only. Revision governs the request; nil if
	// it could not be determined.
	RequestID string
	Revision  *host.Revision
	// Code is the code of the error answer, 0 if there is a result.
	Code jsonrpc.Code
	// Failed reports whether the result is an error of the tool.
	Failed bool
	// Cancelled reports whether the request was cancelled and is not
	// answered.
	Cancelled bool
	// Task reports whether the call became a task. The end of a task is an
	// event of its own with the Method [TaskEnd], whose Started is the time
	// of the end.
	Task bool
	// LookUp reports whether the request changed nothing and showed neither
	// credentials nor data of another caller, according to the rows of its
	// method and its tool. Everything else counts as a change.
	LookUp bool
	// Details holds the facts from [Tool.Details].
	Details map[string]string
}

// Methods of events that are not requests: the end of a task, and of the session
// that an initialize request started. Started is when it ended, and Took how
// long it lasted.
const (
	TaskEnd    = "task/end"
	SessionEnd = "session/end"
)

// IsRequest reports whether the event is a request, rather than the end of a task
// or session. A request with such an invented method is a request.
func (e *Event) IsRequest() bool {
	return !e.Known || e.Method != TaskEnd && e.Method != SessionEnd
}

// EventKinds calls yield for each kind of request that an [Event] may be of: for each method
// that exists and, for tools/call, each tool of the server.
func (s *Server) EventKinds(yield func(method, family, tool string)) {
	for i := range methods {
		yield(methods[i].name, "", "")
	}
	for _, t := range s.tables {
		for i := range t.Tools {
			yield("tools/call", t.Family, t.Tools[i].Name)
		}
	}
}

// observed handles a request and then calls the observer, even after a panic.
func (h *Handler) observed(ctx context.Context, req *jsonrpc.Request, call *Call, dst []byte) (out []byte, err error) {
	event := Event{Caller: h.caller, Method: req.Method, Started: time.Now(), Code: jsonrpc.CodeInternalError}
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

// looksUp returns [Event.LookUp].
func (c *Call) looksUp() bool {
	switch {
	case c.method == nil:
		return false
	case c.tool != nil:
		return c.tool.LookUp != ""
	case c.method.purpose == work && (c.method.target == targetURI || c.method.target == targetFile):
		src := c.handler.server.source(params.Unquoted(c.params.Other("uri")))
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
	lost := server.cfg.Observe(ctx, &Event{
		Caller: c.handler.caller, Method: TaskEnd, Known: true, Family: c.tool.table.Family, Target: c.tool.Name,
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
	if h.server.cfg.Observe == nil || !h.caller.Unsolicited || s == nil || s.handshake.Load() == nil || s.left.Swap(true) {
		return
	}
	event := Event{Caller: h.caller, Method: SessionEnd, Known: true, Started: time.Now(), Took: s.age(), Revision: s.Revision()}
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

// A TraceContext is the W3C trace context in _meta of a request (SEP-414) as the
// client sent it; it may be invalid.
type TraceContext struct{ Parent, State string }

// traceContextOf returns the trace context of params, or the zero value.
func traceContextOf(raw []byte) (t TraceContext) {
	var p params.Params
	if _, err := p.Parse(raw); err != nil {
		return t
	}
	meta := params.Params{Raw: p.Other("_meta")}
	if params.IsNull(meta.Raw) {
		return t
	}
	return TraceContext{Parent: params.Unquoted(meta.Other("traceparent")), State: params.Unquoted(meta.Other("tracestate"))}
}

// requestIDOf returns the id of a request in the form of [Event.RequestID].
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
