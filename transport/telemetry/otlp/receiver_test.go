package otlp_test

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/triptych-mcp/triptych/transport/telemetry/otlp"
)

// env returns a getenv of variables.
func env(pairs ...string) func(string) string {
	all := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		all[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return all[name] }
}

// The variables have the meanings of the specification of the OTLP exporter: the endpoint
// of a signal is used as it is, the common one gets the path of the signal.
func TestFromEnvironment(t *testing.T) {
	const common = "OTEL_EXPORTER_OTLP_ENDPOINT"
	tests := []struct {
		name, base      string
		env             []string
		traces, metrics string
		bad             string
	}{
		{name: "nothing is asked for"},
		{name: "the flag", base: "http://a:4318", traces: "http://a:4318/v1/traces", metrics: "http://a:4318/v1/metrics"},
		{name: "the common endpoint", env: []string{common, "https://a/otlp/"}, traces: "https://a/otlp/v1/traces", metrics: "https://a/otlp/v1/metrics"},
		{name: "that of a signal", env: []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://t/x"}, traces: "http://t/x"},
		{name: "both", env: []string{common, "http://a", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "http://m"}, traces: "http://a/v1/traces", metrics: "http://m"},
		{name: "no metrics", base: "http://a", env: []string{"OTEL_METRICS_EXPORTER", "none"}, traces: "http://a/v1/traces"},
		{name: "disabled", base: "http://a", env: []string{"OTEL_SDK_DISABLED", "true"}},
		{name: "gRPC", base: "http://a", env: []string{"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"}, bad: "want http/protobuf"},
		{name: "another exporter without an endpoint", env: []string{"OTEL_METRICS_EXPORTER", "prometheus", "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"}},
		{name: "no URL", base: "localhost:4318", bad: "not the URL of an OTLP receiver"},
		{name: "another exporter", base: "http://a", env: []string{"OTEL_TRACES_EXPORTER", "zipkin"}, bad: "want otlp or none"},
		{name: "a bad time", base: "http://a", env: []string{"OTEL_EXPORTER_OTLP_TIMEOUT", "10s"}, bad: "milliseconds"},
		{name: "bad headers", base: "http://a", env: []string{"OTEL_EXPORTER_OTLP_HEADERS", "secret"}, bad: "name=value"},
		{name: "no file", base: "http://a", env: []string{"OTEL_EXPORTER_OTLP_CERTIFICATE", "/nowhere"}, bad: "/nowhere"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			to, err := otlp.FromEnvironment(env(tt.env...), tt.base)
			if tt.bad != "" {
				if err == nil || !strings.Contains(err.Error(), tt.bad) {
					t.Errorf("got the error %v, want one with %q", err, tt.bad)
				}
				return
			}
			if err != nil || to.Traces.URL != tt.traces || to.Metrics.URL != tt.metrics {
				t.Errorf("got %q and %q, %v", to.Traces.URL, to.Metrics.URL, err)
			}
			if to.On() != (tt.traces+tt.metrics != "") {
				t.Errorf("On is %v", to.On())
			}
		})
	}
}

// one is a span to send.
func one() []trace.ReadOnlySpan {
	return tracetest.SpanStubs{{Name: "a", StartTime: time.Unix(1, 0), EndTime: time.Unix(2, 0)}}.Snapshots()
}

// Headers are sent decoded, and bodies compressed if asked.
func TestHeadersAndGzip(t *testing.T) {
	var got http.Header
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got = maps.Clone(r.Header)
		z, err := gzip.NewReader(r.Body)
		if err == nil {
			_, err = io.ReadAll(z)
		}
		if err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	to, err := otlp.FromEnvironment(env("OTEL_EXPORTER_OTLP_HEADERS", "api-key=a%20b%3D, x = y", "OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	if err := otlp.NewSpans(to.Traces).ExportSpans(t.Context(), one()); err != nil {
		t.Fatal(err)
	}
	if got.Get("Api-Key") != "a b=" || got.Get("X") != "y" || got.Get("Content-Type") != "application/x-protobuf" {
		t.Errorf("got the headers %v", got)
	}
}

// A busy receiver is asked again; one that refuses is not, and the time is bounded.
func TestRetries(t *testing.T) {
	tests := []struct {
		name   string
		status []int
		calls  int
		failed bool
	}{
		{"busy, then well", []int{503, 429, 200}, 3, false},
		{"refused", []int{400, 200}, 1, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			calls := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tt.status[calls])
				calls++
			}))
			defer server.Close()
			err := otlp.NewSpans(otlp.Target{URL: server.URL, Timeout: time.Minute}).ExportSpans(t.Context(), one())
			if calls != tt.calls || (err != nil) != tt.failed {
				t.Errorf("%d calls, %v", calls, err)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := otlp.NewSpans(otlp.Target{URL: "http://127.0.0.1:1", Timeout: time.Minute}).ExportSpans(ctx, one())
	if !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}
