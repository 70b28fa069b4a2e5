package otlp_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/resource"
	collector "go.opentelemetry.io/proto/slim/otlp/collector/logs/v1"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	logs "go.opentelemetry.io/proto/slim/otlp/logs/v1"
	resources "go.opentelemetry.io/proto/slim/otlp/resource/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/triptych-mcp/triptych/transport/telemetry/otlp"
)

// text and number are attributes of the protocol.
func text(name, value string) *common.KeyValue {
	return &common.KeyValue{Key: name, Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: value}}}
}

func number(name string, value int64) *common.KeyValue {
	return &common.KeyValue{Key: name, Value: &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: value}}}
}

// Log records arrive as the messages of the OpenTelemetry project.
func TestLogs(t *testing.T) {
	var got collector.ExportLogsServiceRequest
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = proto.Unmarshal(body, &got)
		}
		if err != nil || r.URL.Path != "/v1/logs" {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
	}))
	defer server.Close()
	to, err := otlp.LogsFromEnvironment(env(), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	x := otlp.NewLogs(to)
	defer x.Close()
	at := time.Date(2024, 12, 5, 12, 34, 56, 789, time.UTC)
	from := otlp.Source{
		Resource: resource.NewWithAttributes("https://example.com/schema", attribute.String("service.name", "triptych")),
		Scope:    instrumentation.Scope{Name: "audit", Version: "1"},
	}
	if err := x.Export(t.Context(), from, []otlp.LogRecord{
		{Time: at, Event: "audit", Severity: otlp.Info, Body: "first", Attributes: []attribute.KeyValue{attribute.String("a", "b"), attribute.Int64("n", 7)}},
		{Time: at.Add(time.Second), Severity: otlp.Warn},
	}); err != nil {
		t.Fatal(err)
	}
	const when = 1733402096_000000789 // date -u -d 2024-12-05T12:34:56 +%s
	body := func(s string) *common.AnyValue { return text("", s).GetValue() }
	want := &collector.ExportLogsServiceRequest{ResourceLogs: []*logs.ResourceLogs{{
		SchemaUrl: "https://example.com/schema",
		Resource:  &resources.Resource{Attributes: []*common.KeyValue{text("service.name", "triptych")}},
		ScopeLogs: []*logs.ScopeLogs{{
			Scope: &common.InstrumentationScope{Name: "audit", Version: "1"},
			LogRecords: []*logs.LogRecord{
				{
					TimeUnixNano: when, ObservedTimeUnixNano: when, EventName: "audit", Body: body("first"),
					SeverityNumber: logs.SeverityNumber_SEVERITY_NUMBER_INFO, Attributes: []*common.KeyValue{text("a", "b"), number("n", 7)},
				},
				{
					TimeUnixNano: when + 1e9, ObservedTimeUnixNano: when + 1e9, Body: body(""),
					SeverityNumber: logs.SeverityNumber_SEVERITY_NUMBER_WARN,
				},
			},
		}},
	}}}
	if d := cmp.Diff(want, &got, protocmp.Transform()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// Logs are sent again as traces are. A receiver that rejects some records has taken the
// request, so that nothing is sent again.
func TestLogsAreSentAgain(t *testing.T) {
	answer := func(rejected int64, reason string) []byte {
		b, err := proto.Marshal(&collector.ExportLogsServiceResponse{
			PartialSuccess: &collector.ExportLogsPartialSuccess{RejectedLogRecords: rejected, ErrorMessage: reason},
		})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for name, tt := range map[string]struct {
		status   []int
		body     []byte
		rejected int64
		failed   bool
	}{
		"busy, then well":    {status: []int{503, 200}},
		"refused":            {status: []int{400}, failed: true},
		"some rejected":      {status: []int{200}, body: answer(3, "too old"), rejected: 3, failed: true},
		"a warning only":     {status: []int{200}, body: answer(0, "use gzip")},
		"no protobuf at all": {status: []int{200}, body: []byte(`{"partialSuccess":{}}`)},
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tt.status[min(calls, len(tt.status)-1)])
				_, _ = w.Write(tt.body)
				calls++
			}))
			defer server.Close()
			err := otlp.NewLogs(otlp.Target{URL: server.URL, Timeout: time.Minute}).Export(t.Context(), otlp.Source{}, []otlp.LogRecord{{Body: "a"}})
			rejected, _ := errors.AsType[*otlp.RejectedError](err)
			if calls != len(tt.status) || (err != nil) != tt.failed || (rejected != nil) != (tt.rejected != 0) || rejected != nil && *rejected != (otlp.RejectedError{Records: 3, Reason: "too old"}) {
				t.Errorf("%d calls, %v", calls, err)
			}
		})
	}
}

// Variables that concern logs do not concern traces and metrics.
func TestLogsFromEnvironment(t *testing.T) {
	for name, tt := range map[string]struct {
		env  []string
		want string
	}{
		"the argument": {want: "http://a:4318/v1/logs"},
		"their own":    {env: []string{"OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", "http://l/x"}, want: "http://l/x"},
		"none":         {env: []string{"OTEL_LOGS_EXPORTER", "none"}},
		"disabled":     {env: []string{"OTEL_SDK_DISABLED", "true"}},
	} {
		to, err := otlp.LogsFromEnvironment(env(tt.env...), "http://a:4318")
		if err != nil || to.URL != tt.want {
			t.Errorf("%s: got %q, %v, want %q", name, to.URL, err, tt.want)
		}
	}
	if _, err := otlp.FromEnvironment(env("OTEL_LOGS_EXPORTER", "console"), "http://a"); err != nil {
		t.Error(err)
	}
}
