package recorder

import (
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/valkeyconn"
	"github.com/triptych-mcp/triptych/transport/metrics"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// Requests to the store are counted with their failures; a key that is not there is none.
func TestStoreIsMeasured(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	r := New(metrics.New("1"), log, 0)
	server := valkeytest.Start(t)
	client, _, err := valkeyconn.Dial(valkeyconn.WithHook(t.Context(), r.StoreHook()), "redis://"+server.Addr, log)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	if err := client.Set(t.Context(), "text", "a", time.Minute).Err(); err != nil {
		t.Fatal(err)
	}
	if err := client.Get(t.Context(), "none").Err(); err == nil {
		t.Error("there is a key none")
	}
	if shown := numbers(r); !strings.Contains(shown, "\ntriptych_store_failures_total 0\n") {
		t.Error("failures before there were any")
	}
	if err := client.LPush(t.Context(), "text", "b").Err(); err == nil {
		t.Error("a text is a list")
	}
	shown := numbers(r)
	for _, want := range []string{"\ntriptych_store_failures_total 1\n", "\ntriptych_store_seconds_count 4\n"} { // with the ping of Dial
		if !strings.Contains(shown, want) {
			t.Errorf("%q is missing", want)
		}
	}
}

// numbers returns the metrics as Prometheus reads them.
func numbers(r *Recorder) string {
	w := httptest.NewRecorder()
	r.Metrics().Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	return w.Body.String()
}
