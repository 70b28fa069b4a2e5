package recorder

import (
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/audit"
	"github.com/triptych-mcp/triptych/transport/telemetry"
)

// Events are classified by what is known of them: a look-up that was refused, and
// whatever is not known to be a look-up, is a change.
func TestClassOfRecords(t *testing.T) {
	trail := audit.New(audit.Config{Dir: filepath.Join(t.TempDir(), "audit")})
	r := &Recorder{trail: trail}
	defer r.Close(slog.New(slog.DiscardHandler))
	tests := []struct {
		name   string
		event  host.Event
		change bool
	}{
		{"a look-up", host.Event{Method: "tools/call", LookUp: true}, false},
		{"a look-up that failed", host.Event{Method: "tools/call", LookUp: true, Failed: true, Code: jsonrpc.CodeInvalidParams}, false},
		{"a look-up that was refused", host.Event{Method: "tools/call", LookUp: true, Code: host.CodePermissionDenied}, true},
		{"a change", host.Event{Method: "tools/call"}, true},
		{"an unknown method", host.Event{Method: "nonsense", Code: jsonrpc.CodeMethodNotFound}, true},
	}
	for _, tt := range tests {
		before := r.changed.Load()
		if err := r.observe(t.Context(), &tt.event); err != nil {
			t.Fatal(err)
		}
		if changed := r.changed.Load() > before; changed != tt.change {
			t.Errorf("%s is recorded as a change: %v, want %v", tt.name, changed, tt.change)
		}
	}
	if err := r.Commit(t.Context()); err != nil {
		t.Error(err)
	}
}

// A request waits for its record from when that was appended: not for one that was held
// back, or that could not be appended. A commit ends the waits that began before it.
func TestWaits(t *testing.T) {
	trail := audit.New(audit.Config{Dir: filepath.Join(t.TempDir(), "audit")})
	r := &Recorder{trail: trail, telemetry: &telemetry.Telemetry{}, deferring: true}
	waiting := func(after string, want int) {
		t.Helper()
		if got := len(r.waits.ends); got != want {
			t.Errorf("after %s %d requests wait, want %d", after, got, want)
		}
	}
	observe := func(e *host.Event) error { return r.observe(t.Context(), e) }
	if err := observe(&host.Event{Method: "tools/list", Browsing: true}); err != nil {
		t.Fatal(err)
	}
	waiting("a record that is held back", 0)
	if err := observe(&host.Event{Method: "tools/call"}); err != nil {
		t.Fatal(err)
	}
	waiting("a record", 1)
	if err := r.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	waiting("a commit", 0)
	r.Close(slog.New(slog.DiscardHandler))
	if err := observe(&host.Event{Method: "tools/call"}); err == nil {
		t.Error("a record was appended to a trail that is closed")
	}
	waiting("a record that was not appended", 0)
}
