package debugger_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// spanKey is the key of the name of the span in a context.
type spanKey struct{}

// A spanList has the spans that have ended, as "parent > name" with the error.
type spanList struct {
	mu    sync.Mutex
	ended []string
}

func (l *spanList) start(ctx context.Context, name string) (context.Context, func(error)) {
	parent, _ := ctx.Value(spanKey{}).(string)
	return context.WithValue(ctx, spanKey{}, name), func(err error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.ended = append(l.ended, fmt.Sprintf("%s > %s: %v", parent, name, err != nil))
	}
}

// take returns the spans that have ended since it was last called.
func (l *spanList) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.ended
	l.ended = nil
	return all
}

// A call of a tool has spans of its wait for the session, of its use, and of a run of the process.
func TestSpansOfCalls(t *testing.T) {
	var spans spanList
	opened, err := new(debugger.Config).Open(t.Context(), host.Env{
		Logger: slog.New(slog.DiscardHandler), Now: time.Now, Data: t.TempDir(), Getenv: func(string) string { return "" }, Span: spans.start,
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
	c.ok("launch", args{"path": debuggertest.Build(t, "busy-loop.c")})
	spans.take()
	c.ok("get_stack_trace", nil)
	if got, want := spans.take(), []string{" > debugger wait: false", " > debugger use: false"}; !slices.Equal(got, want) {
		t.Errorf("a look-up has the spans %q, want %q", got, want)
	}
	c.ok("step_forward", nil)
	want := []string{" > debugger wait: false", "debugger use > debugger run: false", " > debugger use: false"}
	if got := spans.take(); !slices.Equal(got, want) {
		t.Errorf("a step has the spans %q, want %q", got, want)
	}
}
