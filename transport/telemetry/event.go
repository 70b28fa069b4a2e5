package telemetry

import (
	"context"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/requestid"
)

// otherMethod stands for methods that do not exist: a client can make up any number.
const otherMethod = "_OTHER"

// End ends the span that [Telemetry.Start] has put into ctx, and counts the request. It is
// called from [mcp.Config.Observe], once for each event. The ends of tasks and sessions are no
// requests; how long a session lasted is a metric.
func (t *Telemetry) End(ctx context.Context, e *host.Event) {
	if t == nil {
		return
	}
	if !e.IsRequest() {
		t.endSession(ctx, e)
		return
	}
	common := commonAttributes(e)
	if t.seconds != nil {
		t.seconds.Record(ctx, e.Took.Seconds(), metric.WithAttributes(common...))
	}
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return
	}
	span.SetName(spanName(e))
	span.SetAttributes(common...)
	span.SetAttributes(ownAttributes(ctx, e)...)
	if errorType(e) != "" {
		span.SetStatus(codes.Error, "")
	}
	span.End(trace.WithTimestamp(e.Started.Add(e.Took)))
}

// StartStore begins the span of a request to the store, by the conventions for databases, if
// it is for a request that has a span. The caller calls the function, which is never nil, once
// when the store has answered. The span has the name of the operation, and neither keys nor
// values.
func (t *Telemetry) StartStore(ctx context.Context, operation string) (context.Context, func(failed bool)) {
	if t == nil || t.spans == nil || !trace.SpanFromContext(ctx).IsRecording() {
		return ctx, func(bool) {}
	}
	ctx, span := t.tracer.Start(ctx, strings.ToUpper(operation), trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		attribute.String("db.system.name", "redis"), attribute.String("db.operation.name", strings.ToUpper(operation)),
	))
	return ctx, func(failed bool) {
		if failed {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

// StartPart begins the span of a part of a request, such as a wait, if the request has a span.
// The function ends it with the error of the part.
func (t *Telemetry) StartPart(ctx context.Context, name string) (context.Context, func(error)) {
	if t == nil || t.spans == nil || !trace.SpanFromContext(ctx).IsRecording() {
		return ctx, func(error) {}
	}
	ctx, span := t.tracer.Start(ctx, name)
	return ctx, func(err error) {
		if err != nil {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

// endSession records how long a session lasted. An end by time-out or with the key is none by
// an error. Other events are ignored.
func (t *Telemetry) endSession(ctx context.Context, e *host.Event) {
	if t.sessions != nil && e.Method == host.SessionEnd {
		t.sessions.Record(ctx, e.Took.Seconds(), metric.WithAttributes(connectionAttributes(e)...))
	}
}

// TraceID returns the id of the trace of a context in 32 hexadecimal digits, "" without one.
// Logs have it to be found from a trace.
func TraceID(ctx context.Context) string {
	if c := trace.SpanContextFromContext(ctx); c.IsValid() {
		return c.TraceID().String()
	}
	return ""
}

// spanName returns the method and its target, if that is one of a few.
func spanName(e *host.Event) string {
	return strings.TrimSuffix(methodName(e)+" "+tool(e)+prompt(e), " ")
}

// methodName returns the method of a request, or otherMethod for one that does not exist.
func methodName(e *host.Event) string {
	if !e.Known {
		return otherMethod
	}
	return e.Method
}

// tool returns the name of the event's tool, "" without one: names of tools that do not
// exist could be any.
func tool(e *host.Event) string {
	if e.Family == "" {
		return ""
	}
	return e.Target
}

// prompt returns the name of the event's prompt, "" without one that exists.
func prompt(e *host.Event) string {
	if e.Method != "prompts/get" || e.Code != 0 {
		return ""
	}
	return e.Target
}

// errorType returns the error code, or tool_error for a result that is an error; "" if the
// request succeeded.
func errorType(e *host.Event) string {
	switch {
	case e.Code != 0:
		return strconv.Itoa(int(e.Code))
	case e.Failed:
		return "tool_error"
	}
	return ""
}

// commonAttributes returns the attributes of the span and of the metric, which have few
// values: each combination is a time series of its own at the receiver, so no attribute here
// may have a value that a client chooses.
func commonAttributes(e *host.Event) []attribute.KeyValue {
	all := append(connectionAttributes(e), attribute.String("mcp.method.name", methodName(e)))
	add := func(key, value string) {
		if value != "" {
			all = append(all, attribute.String(key, value))
		}
	}
	if e.Family != "" {
		add("gen_ai.operation.name", "execute_tool")
	}
	add("gen_ai.tool.name", tool(e))
	add("gen_ai.prompt.name", prompt(e))
	add("error.type", errorType(e))
	if e.Code != 0 {
		add("rpc.response.status_code", strconv.Itoa(int(e.Code)))
	}
	return all
}

// connectionAttributes returns the attributes of what requests of a client have in common.
func connectionAttributes(e *host.Event) []attribute.KeyValue {
	all := []attribute.KeyValue{attribute.String("network.transport", transportOf(e))}
	if e.Caller.Addr.IsValid() {
		all = append(all, attribute.String("network.protocol.name", "http"))
	}
	if e.Revision != nil && e.Revision.Name != "" {
		all = append(all, attribute.String("mcp.protocol.version", e.Revision.Name))
	}
	return all
}

// transportOf returns tcp for HTTP and pipe for standard input and output.
func transportOf(e *host.Event) string {
	if e.Caller.Addr.IsValid() {
		return "tcp"
	}
	return "pipe"
}

// ownAttributes returns the attributes of one request, which only its span has: who has sent
// it, from where, and its ids.
func ownAttributes(ctx context.Context, e *host.Event) []attribute.KeyValue {
	all := []attribute.KeyValue{attribute.String("user.id", e.Caller.Principal.ID)}
	if e.RequestID != "" {
		all = append(all, attribute.String("jsonrpc.request.id", e.RequestID))
	}
	if s := e.Caller.Session; s != nil {
		all = append(all, attribute.String("mcp.session.id", s.ID))
	}
	if addr := e.Caller.Addr; addr.IsValid() {
		all = append(all, attribute.String("client.address", addr.Addr().String()))
		if addr.Port() != 0 { // a proxy does not tell it
			all = append(all, attribute.Int("client.port", int(addr.Port())))
		}
	}
	if strings.HasPrefix(e.Method, "resources/") && e.Code == 0 && e.Target != "" {
		all = append(all, attribute.String("mcp.resource.uri", e.Target))
	}
	if id := requestid.FromContext(ctx); id != "" {
		all = append(all, attribute.StringSlice("http.request.header.x-request-id", []string{id}))
	}
	return all
}
