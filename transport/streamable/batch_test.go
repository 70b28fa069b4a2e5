package streamable_test

import (
	"context"
	"net/http"
	"sync"
	"testing"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// A free authenticator counts nothing.
type free struct{ *auth }

func (free) Charge(context.Context, http.Header, *host.Caller, *host.Revision, streamable.Bill) *streamable.Refusal {
	return nil
}

// TestCancelBesideRefusedBatch: a cancellation looks at a batch as it came, also
// while that is being refused. It takes the race detector to fail.
func TestCancelBesideRefusedBatch(t *testing.T) {
	s := serve(t, func(c *streamable.Config) { c.Auth = free{&auth{}} })
	const initialize = `{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{}}}`
	forms := []string{"Content-Type: application/json", "Accept: application/json, text/event-stream"}
	begun, _ := s.ask(t, http.MethodPost, initialize, forms...)
	headers := append(forms, "Mcp-Session-Id: "+begun.Header.Get("Mcp-Session-Id"))
	var all sync.WaitGroup
	all.Go(func() {
		for range 50 {
			if r, text := s.ask(t, http.MethodPost, `[{"jsonrpc":"2.0","id":1,"method":"ping"},`+initialize+`]`, headers...); r.StatusCode != http.StatusBadRequest {
				t.Errorf("status %d: %s", r.StatusCode, text)
			}
		}
	})
	all.Go(func() {
		for range 50 {
			s.ask(t, http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, headers...)
		}
	})
	all.Wait()
}
