package app

import (
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/transport/audit"
)

// Events are classified by what is known of them: a look-up that was refused, and
// whatever is not known to be a look-up, is a change.
func TestClassOfRecords(t *testing.T) {
	trail := audit.New(audit.Config{Dir: filepath.Join(t.TempDir(), "audit")})
	r := &Recorder{trail: trail}
	defer r.close(slog.New(slog.DiscardHandler))
	tests := []struct {
		name   string
		event  mcp.Event
		change bool
	}{
		{"a look-up", mcp.Event{Method: "tools/call", LookUp: true}, false},
		{"a look-up that failed", mcp.Event{Method: "tools/call", LookUp: true, Failed: true, Code: jsonrpc.CodeInvalidParams}, false},
		{"a look-up that was refused", mcp.Event{Method: "tools/call", LookUp: true, Code: mcp.CodePermissionDenied}, true},
		{"a change", mcp.Event{Method: "tools/call"}, true},
		{"an unknown method", mcp.Event{Method: "nonsense", Code: jsonrpc.CodeMethodNotFound}, true},
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
