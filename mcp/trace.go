package mcp

import "github.com/triptych-mcp/triptych/jsonrpc"

// A TraceContext is the W3C trace context that a client has put into the _meta of its
// request (SEP-414), as it was sent: it may be invalid.
type TraceContext struct{ Parent, State string }

// traceContextOf returns the trace context of params, zero if they have none.
func traceContextOf(raw []byte) (t TraceContext) {
	var p params
	if _, err := p.parse(raw); err != nil {
		return t
	}
	meta := params{raw: p.other("_meta")}
	if isNull(meta.raw) {
		return t
	}
	return TraceContext{Parent: unquoted(meta.other("traceparent")), State: unquoted(meta.other("tracestate"))}
}

// requestIDOf returns the id of a request as [Event.RequestID] has it.
func requestIDOf(req *jsonrpc.Request) string {
	raw := req.ID.Raw()
	switch {
	case isString(raw):
		return jsonrpc.Unquote(raw)
	case isNumber(raw):
		return string(raw)
	}
	return ""
}
