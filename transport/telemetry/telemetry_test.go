package telemetry_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	collectormetrics "go.opentelemetry.io/proto/slim/otlp/collector/metrics/v1"
	collectortraces "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/slim/otlp/metrics/v1"
	traces "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/requestid"
	"github.com/triptych-mcp/triptych/transport/telemetry"
)

// A receiver decodes what is sent to it with the types of the OpenTelemetry project.
type receiver struct {
	*httptest.Server
	mu       sync.Mutex
	spans    map[string]*traces.Span // by name
	metrics  map[string]*metrics.Metric
	resource map[string]string
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{spans: map[string]*traces.Span{}, metrics: map[string]*metrics.Metric{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/traces", func(_ http.ResponseWriter, req *http.Request) {
		var body collectortraces.ExportTraceServiceRequest
		r.read(t, req, &body)
		for _, of := range body.GetResourceSpans() {
			r.resource = texts(of.GetResource().GetAttributes())
			for _, scope := range of.GetScopeSpans() {
				for _, span := range scope.GetSpans() {
					r.spans[span.GetName()] = span
				}
			}
		}
	})
	mux.HandleFunc("POST /v1/metrics", func(_ http.ResponseWriter, req *http.Request) {
		var body collectormetrics.ExportMetricsServiceRequest
		r.read(t, req, &body)
		for _, of := range body.GetResourceMetrics() {
			for _, scope := range of.GetScopeMetrics() {
				for _, m := range scope.GetMetrics() {
					r.metrics[m.GetName()] = m
				}
			}
		}
	})
	r.Server = httptest.NewServer(mux)
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) read(t *testing.T, req *http.Request, into proto.Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	text, err := io.ReadAll(req.Body)
	if err == nil {
		err = proto.Unmarshal(text, into)
	}
	if err != nil {
		t.Error(err)
	}
	if len(into.ProtoReflect().GetUnknown()) > 0 {
		t.Errorf("%s has fields that do not exist", req.URL)
	}
}

// texts returns attributes with their values as texts; numbers and lists with the form of
// their messages.
func texts(all []*common.KeyValue) map[string]string {
	m := map[string]string{}
	for _, kv := range all {
		if s, ok := kv.GetValue().GetValue().(*common.AnyValue_StringValue); ok {
			m[kv.GetKey()] = s.StringValue
		} else {
			m[kv.GetKey()] = strings.Join(strings.Fields(kv.GetValue().String()), " ")
		}
	}
	return m
}

// open returns a telemetry that sends to the receiver.
func open(t *testing.T, r *receiver, numbers prometheus.Gatherer) *telemetry.Telemetry {
	t.Helper()
	one, err := telemetry.Open(t.Context(), telemetry.Config{
		Endpoint: r.URL, Getenv: func(string) string { return "" }, Version: "1.2.3", Instance: "here", Numbers: numbers,
	})
	if err != nil {
		t.Fatal(err)
	}
	return one
}

// table has a tool that succeeds and one that fails.
func table() *mcp.Table {
	return &mcp.Table{Family: "demo", Tools: []mcp.Tool{
		{Name: "works", Doc: "works", Call: mcp.Typed(func(context.Context, *mcp.Call, struct{}) (string, error) { return "fine", nil })},
		{Name: "fails", Doc: "fails", Call: mcp.Typed(func(context.Context, *mcp.Call, struct{}) (string, error) {
			return "", mcp.ToolError(errors.New("no"))
		})},
	}}
}

// ask sends requests to a server whose requests are traced.
func ask(ctx context.Context, t *testing.T, one *telemetry.Telemetry, lines ...string) {
	t.Helper()
	server, err := mcp.New(mcp.Config{
		Name: "demo", Version: "1", Trace: one.Start,
		Observe: func(ctx context.Context, e *host.Event) error {
			one.End(ctx, e)
			return nil
		},
	}, table())
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		body, bad := jsonrpc.Decode([]byte(line), jsonrpc.Config{})
		if bad != nil {
			t.Fatal(bad)
		}
		body.Answer(ctx, server.Bind(host.Caller{Principal: host.Local()}, nil), nil)
	}
	if err := one.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Spans have the names and attributes of the semantic conventions for the
// Model Context Protocol, and the parent is the context in _meta (W3C Trace Context's
// example), to which that of HTTP is linked.
func TestSpans(t *testing.T) {
	r := newReceiver(t)
	one := open(t, r, nil)
	var ctx context.Context
	req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", nil)
	req.Header.Set("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	one.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { ctx = r.Context() })).ServeHTTP(nil, req)
	ask(requestid.NewContext(ctx, "req-1"), t, one,
		`{"jsonrpc":"2.0","id":"call-7","method":"tools/call","params":{"name":"works","arguments":{},"_meta":{"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01","tracestate":"rojo=00f067aa0ba902b7"}}}`,
		`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"fails","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"made up","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":10,"method":"made/up","params":{"_meta":{"traceparent":"nonsense"}}}`,
	)
	if got := r.resource["service.name"] + " " + r.resource["service.version"] + " " + r.resource["service.instance.id"]; got != "triptych 1.2.3 here" {
		t.Errorf("the resource is %v", r.resource)
	}
	works := r.spans["tools/call works"]
	want := map[string]string{
		"mcp.method.name": "tools/call", "gen_ai.tool.name": "works", "gen_ai.operation.name": "execute_tool",
		"jsonrpc.request.id": "call-7", "network.transport": "pipe", "user.id": "local",
		"http.request.header.x-request-id": `array_value:{values:{string_value:"req-1"}}`,
	}
	if diff := cmp.Diff(want, texts(works.GetAttributes())); diff != "" {
		t.Error(diff)
	}
	if got := hex.EncodeToString(works.GetTraceId()) + hex.EncodeToString(works.GetParentSpanId()); got != "4bf92f3577b34da6a3ce929d0e0e473600f067aa0ba902b7" {
		t.Errorf("the parent is %s", got)
	}
	if works.GetTraceState() != "rojo=00f067aa0ba902b7" || works.GetKind() != traces.Span_SPAN_KIND_SERVER || works.GetStatus().GetCode() != 0 {
		t.Errorf("got the span %v", works)
	}
	if len(works.GetLinks()) != 1 || hex.EncodeToString(works.GetLinks()[0].GetTraceId()) != "0af7651916cd43dd8448eb211c80319c" {
		t.Errorf("the links are %v", works.GetLinks())
	}
	if works.GetEndTimeUnixNano() < works.GetStartTimeUnixNano() || works.GetStartTimeUnixNano() < 1_700_000_000e9 {
		t.Errorf("from %d to %d", works.GetStartTimeUnixNano(), works.GetEndTimeUnixNano())
	}
	fails := r.spans["tools/call fails"]
	if got := texts(fails.GetAttributes())["error.type"]; got != "tool_error" || fails.GetStatus().GetCode() != traces.Status_STATUS_CODE_ERROR {
		t.Errorf("a tool that fails: %q, %v", got, fails.GetStatus())
	}
	if got := hex.EncodeToString(fails.GetTraceId()) + hex.EncodeToString(fails.GetParentSpanId()); got != "0af7651916cd43dd8448eb211c80319cb7ad6b7169203331" {
		t.Errorf("without a context in _meta the parent is %s, want that of HTTP", got)
	}
	if r.spans["tools/call"] == nil || r.spans["_OTHER"] == nil {
		t.Error("names that clients make up are names of spans")
	}
	if got := texts(r.spans["_OTHER"].GetAttributes()); got["rpc.response.status_code"] != "-32601" || got["error.type"] != "-32601" {
		t.Errorf("an unknown method has %v", got)
	}
}

// Requests to the store are spans below that of the request that they are for, and no spans
// without one.
func TestStoreSpans(t *testing.T) {
	r := newReceiver(t)
	one := open(t, r, nil)
	_, end := one.StartStore(t.Context(), "get")
	end(false)
	ctx := one.Start(t.Context(), "tools/call", host.TraceContext{})
	_, end = one.StartStore(ctx, "hgetall")
	end(true)
	one.End(ctx, &host.Event{Method: "tools/call", Known: true, Family: "demo", Target: "works", Started: time.Now()})
	if err := one.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	store, parent := r.spans["HGETALL"], r.spans["tools/call works"]
	if len(r.spans) != 2 || store == nil || parent == nil {
		t.Fatalf("%d spans: %v", len(r.spans), r.spans)
	}
	if !bytes.Equal(store.GetParentSpanId(), parent.GetSpanId()) || !bytes.Equal(store.GetTraceId(), parent.GetTraceId()) {
		t.Errorf("%v is not below %v", store, parent)
	}
	if store.GetKind() != traces.Span_SPAN_KIND_CLIENT || store.GetStatus().GetCode() != traces.Status_STATUS_CODE_ERROR {
		t.Errorf("got the span %v", store)
	}
	want := map[string]string{"db.system.name": "redis", "db.operation.name": "HGETALL"}
	if diff := cmp.Diff(want, texts(store.GetAttributes())); diff != "" {
		t.Error(diff)
	}
}

// Parts of a request are internal spans below it, also those that end after it.
func TestPartSpans(t *testing.T) {
	r := newReceiver(t)
	one := open(t, r, nil)
	_, end := one.StartPart(t.Context(), "without a request")
	end(nil)
	ctx := one.Start(t.Context(), "tools/call", host.TraceContext{})
	inside, endUse := one.StartPart(ctx, "use")
	_, endRun := one.StartPart(inside, "run")
	endRun(errors.New("no"))
	_, endWait := one.StartPart(ctx, "wait")
	endUse(nil)
	one.End(ctx, &host.Event{Method: "tools/call", Known: true, Family: "demo", Target: "works", Started: time.Now()})
	_, end = one.StartPart(ctx, "after the request")
	end(nil)
	endWait(nil)
	if err := one.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	call, use, run, wait := r.spans["tools/call works"], r.spans["use"], r.spans["run"], r.spans["wait"]
	if len(r.spans) != 4 || call == nil || use == nil || run == nil || wait == nil {
		t.Fatalf("%d spans: %v", len(r.spans), r.spans)
	}
	for _, tt := range []struct{ child, parent *traces.Span }{{use, call}, {run, use}, {wait, call}} {
		if !bytes.Equal(tt.child.GetParentSpanId(), tt.parent.GetSpanId()) || tt.child.GetKind() != traces.Span_SPAN_KIND_INTERNAL {
			t.Errorf("%v is not below %v", tt.child, tt.parent)
		}
	}
	if run.GetStatus().GetCode() != traces.Status_STATUS_CODE_ERROR || use.GetStatus().GetCode() != 0 {
		t.Errorf("the status of one that failed is %v, of another %v", run.GetStatus(), use.GetStatus())
	}
}

// Requests are counted by the conventions' histogram, and the other metrics of the server
// are sent as Prometheus gets them.
func TestMetrics(t *testing.T) {
	r := newReceiver(t)
	numbers := prometheus.NewRegistry()
	total := prometheus.NewCounter(prometheus.CounterOpts{Name: "triptych_tests_total", Help: "Tests."})
	total.Add(5)
	numbers.MustRegister(total)
	spread := prometheus.NewSummary(prometheus.SummaryOpts{Name: "triptych_spread", Objectives: map[float64]float64{.5: .05}})
	spread.Observe(3)
	numbers.MustRegister(spread)
	ask(t.Context(), t, open(t, r, numbers),
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"works","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"works","arguments":{}}}`,
	)
	seconds := r.metrics["mcp.server.operation.duration"]
	points := seconds.GetHistogram().GetDataPoints()
	if seconds.GetUnit() != "s" || len(points) != 1 || points[0].GetCount() != 2 {
		t.Fatalf("got %v", seconds)
	}
	bounds := []float64{.01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 30, 60, 120, 300} // of the conventions
	if diff := cmp.Diff(bounds, points[0].GetExplicitBounds()); diff != "" || len(points[0].GetBucketCounts()) != len(bounds)+1 {
		t.Error(diff)
	}
	if got := texts(points[0].GetAttributes()); got["mcp.method.name"] != "tools/call" || got["gen_ai.tool.name"] != "works" || got["jsonrpc.request.id"] != "" {
		t.Errorf("the attributes are %v", got)
	}
	sum := r.metrics["triptych_tests_total"].GetSum()
	if sum == nil {
		sum = r.metrics["triptych_tests"].GetSum()
	}
	if len(sum.GetDataPoints()) != 1 || sum.GetDataPoints()[0].GetAsDouble() != 5 || !sum.GetIsMonotonic() ||
		sum.GetAggregationTemporality() != metrics.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE {
		t.Errorf("a counter arrives as %v", sum)
	}
	quantiles := r.metrics["triptych_spread"].GetSummary().GetDataPoints()
	if len(quantiles) != 1 || quantiles[0].GetCount() != 1 || quantiles[0].GetSum() != 3 || quantiles[0].GetQuantileValues()[0].GetValue() != 3 {
		t.Errorf("a summary arrives as %v", quantiles)
	}
}

// The end of a session is a metric of the conventions, and no span.
func TestSession(t *testing.T) {
	r := newReceiver(t)
	one := open(t, r, nil)
	caller := host.Caller{Addr: netip.MustParseAddrPort("192.0.2.1:9")}
	one.End(t.Context(), &host.Event{Caller: caller, Method: host.SessionEnd, Known: true, Took: 90 * time.Second, Revision: host.RevisionNamed("2025-06-18")})
	one.End(t.Context(), &host.Event{Caller: caller, Method: host.TaskEnd, Known: true, Took: time.Hour})
	if err := one.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	seconds := r.metrics["mcp.server.session.duration"]
	points := seconds.GetHistogram().GetDataPoints()
	if seconds.GetUnit() != "s" || len(points) != 1 || points[0].GetCount() != 1 || points[0].GetSum() != 90 {
		t.Fatalf("got %v", seconds)
	}
	want := map[string]string{"network.transport": "tcp", "network.protocol.name": "http", "mcp.protocol.version": "2025-06-18"}
	if diff := cmp.Diff(want, texts(points[0].GetAttributes())); diff != "" {
		t.Error(diff)
	}
	if r.metrics["mcp.server.operation.duration"] != nil || len(r.spans) > 0 {
		t.Errorf("it counts as a request: %v, %v", r.metrics, r.spans)
	}
}

// Without an endpoint there is no telemetry, whose methods do nothing.
func TestOff(t *testing.T) {
	one, err := telemetry.Open(t.Context(), telemetry.Config{Getenv: func(string) string { return "" }})
	if one != nil || err != nil {
		t.Fatalf("got %v, %v", one, err)
	}
	if ctx := one.Start(t.Context(), "ping", host.TraceContext{Parent: "x"}); ctx != t.Context() {
		t.Error("the context was changed")
	}
	one.End(t.Context(), &host.Event{Method: "ping"})
	if err := one.Close(t.Context()); err != nil || one.Handler(nil) != nil {
		t.Error("it does something")
	}
}
