package debugger_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// An operator sees where each process is, and the next answer of its client still has
// the state.
func TestOverview(t *testing.T) {
	cfg := debugger.Config{}
	if got := cfg.Overview(t.Context()); len(got) != 0 {
		t.Errorf("before the family is opened: %+v", got)
	}
	opened, err := cfg.Open(t.Context(), host.Env{
		Logger: slog.New(slog.DiscardHandler), Now: time.Now, Data: t.TempDir(), Getenv: func(string) string { return "" },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	})
	c := connect(t, opened)
	p := debuggertest.Start(t, "shapes.c")
	var a answer
	c.data("attach", args{"pid": p.PID}, &a)
	all := cfg.Overview(t.Context())
	if len(all) != 1 {
		t.Fatalf("%d sessions, want 1", len(all))
	}
	got := all[0]
	if got.PID != p.PID || got.Session != a.State.Session || got.Status != "stopped" || got.Client == "" || len(got.Frames) == 0 {
		t.Errorf("got %+v", got)
	}
	if last := got.Frames[len(got.Frames)-1].Function; last != "_start" && len(got.Frames) < 16 {
		t.Errorf("the stack ends in %q, want _start", last)
	}
	c.ok("detach", nil)
	if got := cfg.Overview(t.Context()); len(got) != 0 {
		t.Errorf("after detaching: %+v", got)
	}
	free(t, p)
}
