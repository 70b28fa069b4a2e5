package otlp

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/trace"
	oteltrace "go.opentelemetry.io/otel/trace"
	"google.golang.org/protobuf/encoding/protowire"
)

// A spans exporter sends spans.
type spans struct{ *client }

// NewSpans returns an exporter of spans to a target. Nothing is sent yet. The SDK calls it
// from one goroutine at a time.
func NewSpans(to Target) trace.SpanExporter { return spans{newClient(to)} }

// ExportSpans implements [trace.SpanExporter].
func (s spans) ExportSpans(ctx context.Context, all []trace.ReadOnlySpan) error {
	if len(all) == 0 {
		return nil
	}
	_, err := s.post(ctx, tracesData(all))
	return err
}

// Shutdown implements [trace.SpanExporter]. Nothing waits to be sent here: the SDK has the
// batches.
func (s spans) Shutdown(context.Context) error {
	s.close()
	return nil
}

// A source is the resource and the scope that some spans share. OTLP groups spans by both, so
// that a batch names them once.
type source struct {
	resource attribute.Distinct
	scope    instrumentation.Scope
}

// tracesData encodes an ExportTraceServiceRequest (collector/trace/v1/trace_service.proto),
// one ResourceSpans for each source, in the order in which they come first.
//
//	ExportTraceServiceRequest  resource_spans 1
//	ResourceSpans              resource 1, scope_spans 2, schema_url 3
//	ScopeSpans                 scope 1, spans 2, schema_url 3
func tracesData(all []trace.ReadOnlySpan) (m message) {
	var order []source
	bySource := map[source][]trace.ReadOnlySpan{}
	for _, span := range all {
		of := source{span.Resource().Equivalent(), span.InstrumentationScope()}
		if bySource[of] == nil {
			order = append(order, of)
		}
		bySource[of] = append(bySource[of], span)
	}
	for _, of := range order {
		some := bySource[of]
		var scoped, resourced message
		scoped.bytes(1, scopeOf(of.scope))
		for _, span := range some {
			scoped.bytes(2, spanOf(span))
		}
		scoped.text(3, of.scope.SchemaURL)
		resourced.bytes(1, resourceOf(some[0].Resource()))
		resourced.bytes(2, scoped)
		resourced.text(3, some[0].Resource().SchemaURL())
		m.bytes(1, resourced)
	}
	return m
}

// spanOf encodes a Span (trace/v1/trace.proto). Events (11) are left out: nothing here makes
// any.
//
//	trace_id 1, span_id 2, trace_state 3, parent_span_id 4, name 5, kind 6,
//	start_time_unix_nano 7, end_time_unix_nano 8, attributes 9,
//	dropped_attributes_count 10, links 13, status 15, flags 16
func spanOf(s trace.ReadOnlySpan) (m message) {
	context, parent := s.SpanContext(), s.Parent()
	m.ids(1, context)
	m.text(3, context.TraceState().String())
	if id := parent.SpanID(); id.IsValid() {
		m.bytes(4, id[:])
	}
	m.text(5, s.Name())
	m.varint(6, uint64(s.SpanKind())) // the kinds have the numbers of the protocol
	m.time(7, s.StartTime())
	m.time(8, s.EndTime())
	m.attributes(9, s.Attributes())
	m.varint(10, uint64(s.DroppedAttributes())) // a count
	for _, link := range s.Links() {
		m.bytes(13, linkOf(link))
	}
	m.bytes(15, statusOf(s.Status()))
	m.fixed32(16, flagsOf(context, parent.IsRemote()))
	return m
}

// ids appends the ids of a span's trace and of the span in two fields.
func (m *message) ids(field protowire.Number, of oteltrace.SpanContext) {
	traceID, spanID := of.TraceID(), of.SpanID()
	m.bytes(field, traceID[:])
	m.bytes(field+1, spanID[:])
}

// linkOf encodes a Link: trace_id 1, span_id 2, trace_state 3, attributes 4, flags 6.
func linkOf(l trace.Link) (m message) {
	m.ids(1, l.SpanContext)
	m.text(3, l.SpanContext.TraceState().String())
	m.attributes(4, l.Attributes)
	m.fixed32(6, flagsOf(l.SpanContext, l.SpanContext.IsRemote()))
	return m
}

// The flags beyond those of W3C: whether it is known that the parent is another process's,
// and whether it is.
const (
	hasIsRemote = 0x100
	isRemote    = 0x200
)

// flagsOf returns the flags of a span or link. remote says whether the parent, or the linked
// span, is of another process.
func flagsOf(c oteltrace.SpanContext, remote bool) uint32 {
	flags := uint32(c.TraceFlags()) | hasIsRemote
	if remote {
		flags |= isRemote
	}
	return flags
}

// statusOf encodes a Status: message 2, code 3. The codes have other numbers than those of the
// SDK: 1 is ok, 2 an error.
func statusOf(s trace.Status) (m message) {
	m.text(2, s.Description)
	switch s.Code {
	case codes.Ok:
		m.varint(3, 1)
	case codes.Error:
		m.varint(3, 2)
	}
	return m
}
