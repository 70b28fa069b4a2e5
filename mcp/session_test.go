package mcp_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// The end of a session that initialize began is an event, once; a client that
// began none has no end.
func TestEndOfASessionIsObserved(t *testing.T) {
	var seen []string
	var last host.Event
	s, err := mcp.New(mcp.Config{Name: "test", Version: "1", Observe: func(_ context.Context, e *host.Event) error {
		seen, last = append(seen, e.Method), *e
		return nil
	}}, house())
	if err != nil {
		t.Fatal(err)
	}
	h := s.Bind(host.Caller{Principal: host.Local(), Connection: true, Send: newWire()}, nil)
	ask(t, h, "ping", "")
	h.End(t.Context())
	h = s.Bind(host.Caller{Principal: host.Local(), Connection: true, Send: newWire()}, nil)
	initialize(t, h, "2025-06-18", "{}")
	time.Sleep(time.Millisecond)
	h.End(t.Context())
	h.End(t.Context())
	if last.Took < time.Millisecond || last.Revision.Name != "2025-06-18" {
		t.Errorf("the session lasted %s in revision %s", last.Took, last.Revision.Name)
	}
	if want := []string{"ping", "initialize", host.SessionEnd}; !slices.Equal(seen, want) {
		t.Errorf("events %q, want %q", seen, want)
	}
}
