// Package telemetry sends a span for each MCP request, and the metrics of the server, to an
// OpenTelemetry receiver.
//
//	t, err := telemetry.Open(ctx, telemetry.Config{Getenv: os.Getenv})
//	cfg.Trace = t.Start                         // of mcp.Config
//	cfg.Observe = func(…) { t.End(ctx, event) } // likewise
//	handler = t.Handler(handler)                // the traceparent header of HTTP
//	defer t.Close(ctx)
//
// Spans have the names and attributes of the semantic conventions for the Model Context
// Protocol (open-telemetry/semantic-conventions-genai, docs/gen-ai/mcp.md). The parent of a
// span is the trace context in the request's _meta, to which that of the HTTP request is
// linked; without one in _meta, it is that of the HTTP request. Neither arguments nor
// results are sent.
//
// Nothing is done when the package is imported, and a server that sends nothing has no
// [Telemetry]: its methods may be called on nil.
//
// # Concurrency
//
// A Telemetry may be used by any number of goroutines. Its own two, of the OpenTelemetry
// SDK, end with Close.
package telemetry

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	bridge "go.opentelemetry.io/contrib/bridges/prometheus"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/telemetry/otlp"
)

// A Config holds the settings of a [Telemetry]. Only Getenv is required.
type Config struct {
	// Endpoint is the base URL of the receiver; "" leaves that to the variables
	// OTEL_EXPORTER_OTLP_* of the environment.
	Endpoint string
	Getenv   func(string) string
	// Version and Instance are the version of the program and the name of the server.
	Version, Instance string
	// Numbers are further metrics to send; nil is none.
	Numbers prometheus.Gatherer
	// Logger receives failures to send; nil discards them.
	Logger *slog.Logger
}

// A Telemetry sends spans and metrics. Make one with [Open]. Spans are sent in batches and
// metrics once a minute, unless the environment says otherwise (OTEL_BSP_*,
// OTEL_METRIC_EXPORT_INTERVAL): no request waits for the receiver.
type Telemetry struct {
	spans    *sdktrace.TracerProvider // nil when no spans are sent
	numbers  *sdkmetric.MeterProvider // nil when no metrics are sent
	tracer   trace.Tracer
	seconds  metric.Float64Histogram // of requests
	sessions metric.Float64Histogram // their seconds, too
	w3c      propagation.TraceContext
}

// scope names the instrumentation: receivers show which package has made a span.
const scope = "github.com/triptych-mcp/triptych/transport/telemetry"

// maxAttribute bounds the length in characters of the value of an attribute: clients choose
// some of them. The environment may set another bound
// (OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT).
const maxAttribute = 1024

// buckets holds the bounds that the conventions recommend, in seconds.
var buckets = []float64{.01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 30, 60, 120, 300}

// Open returns the telemetry that the configuration and the environment ask for, nil if
// they ask for none. Nothing is sent yet: a receiver that is out of reach is no error. The
// environment may be meant for another program: without an Endpoint in the configuration,
// what it asks for in vain is logged and is no error.
func Open(ctx context.Context, cfg Config) (*Telemetry, error) {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	to, err := otlp.FromEnvironment(cfg.Getenv, cfg.Endpoint)
	if err != nil && cfg.Endpoint == "" {
		cfg.Logger.Warn("no telemetry is sent", "err", err)
		return nil, nil
	}
	if err != nil || !to.On() {
		return nil, err
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { cfg.Logger.Warn("telemetry not sent", "err", err) }))
	about, err := resource.New(ctx, resource.WithAttributes(
		attribute.String("service.name", "triptych"), attribute.String("service.version", cfg.Version),
		attribute.String("service.instance.id", cfg.Instance),
	), resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, err
	}
	t := &Telemetry{}
	t.openSpans(to.Traces, about)
	return t, t.openMetrics(to.Metrics, about, cfg.Numbers)
}

// openSpans makes what sends spans, nothing for a target without a URL.
func (t *Telemetry) openSpans(to otlp.Target, about *resource.Resource) {
	if to.URL == "" {
		return
	}
	limits := sdktrace.NewSpanLimits() // of the environment
	if limits.AttributeValueLengthLimit < 0 {
		limits.AttributeValueLengthLimit = maxAttribute
	}
	t.spans = sdktrace.NewTracerProvider(
		sdktrace.WithResource(about), sdktrace.WithRawSpanLimits(limits), sdktrace.WithBatcher(otlp.NewSpans(to)),
	)
	t.tracer = t.spans.Tracer(scope)
}

// openMetrics makes what sends metrics, the further ones of a Prometheus registry included.
// Their times are in seconds, in the names and units of the conventions.
func (t *Telemetry) openMetrics(to otlp.Target, about *resource.Resource, further prometheus.Gatherer) (err error) {
	if to.URL == "" {
		return nil
	}
	var options []sdkmetric.PeriodicReaderOption
	if further != nil {
		options = append(options, sdkmetric.WithProducer(bridge.NewMetricProducer(bridge.WithGatherer(further))))
	}
	t.numbers = sdkmetric.NewMeterProvider(
		sdkmetric.WithResource(about), sdkmetric.WithReader(sdkmetric.NewPeriodicReader(otlp.NewMetrics(to), options...)),
	)
	t.seconds, err = t.histogram("mcp.server.operation.duration", "Time from an MCP request to its result.")
	if err != nil {
		return err
	}
	t.sessions, err = t.histogram("mcp.server.session.duration", "The duration of the MCP session as observed on the MCP server.")
	return err
}

// histogram makes a metric of seconds with the buckets of the conventions. Receivers compare
// servers by these names and bounds, so none is our own.
func (t *Telemetry) histogram(name, about string) (metric.Float64Histogram, error) {
	return t.numbers.Meter(scope).Float64Histogram(name,
		metric.WithUnit("s"), metric.WithDescription(about), metric.WithExplicitBucketBoundaries(buckets...))
}

// Close sends what waits, until ctx is done, and ends the telemetry. What a receiver has not
// taken by then is lost. Spans and metrics are sent side by side, so that one receiver that is
// away does not use up the time of the other.
func (t *Telemetry) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	var spans, numbers error
	var both sync.WaitGroup
	if t.spans != nil {
		both.Go(func() { spans = t.spans.Shutdown(ctx) })
	}
	if t.numbers != nil {
		both.Go(func() { numbers = t.numbers.Shutdown(ctx) })
	}
	both.Wait()
	return errors.Join(spans, numbers)
}

// Handler returns a handler that finds the trace context in the headers of each request (W3C
// Trace Context, traceparent and tracestate) and puts it into the context of the request. A
// header that is not valid counts as none. Without spans it returns next itself.
func (t *Telemetry) Handler(next http.Handler) http.Handler {
	if t == nil || t.spans == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.Header["Traceparent"]) > 0 {
			r = r.WithContext(t.w3c.Extract(r.Context(), propagation.HeaderCarrier(r.Header)))
		}
		next.ServeHTTP(w, r)
	})
}

// Start begins the span of a request and returns a context with it. It implements
// [mcp.Config.Trace]; from is the trace context in the request's _meta. Each Start is followed
// by an [Telemetry.End] with the returned context.
func (t *Telemetry) Start(ctx context.Context, method string, from host.TraceContext) context.Context {
	if t == nil || t.spans == nil {
		return ctx
	}
	options := []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindServer)}
	if from.Parent != "" {
		ofHTTP := trace.SpanContextFromContext(ctx)
		ctx = t.w3c.Extract(ctx, propagation.MapCarrier{"traceparent": from.Parent, "tracestate": from.State})
		if ofHTTP.IsValid() && !ofHTTP.Equal(trace.SpanContextFromContext(ctx)) {
			options = append(options, trace.WithLinks(trace.Link{SpanContext: ofHTTP}))
		}
	}
	ctx, _ = t.tracer.Start(ctx, method, options...)
	return ctx
}
