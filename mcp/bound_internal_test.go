package mcp

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// nowhere drops messages.
type nowhere struct{}

func (nowhere) Notify(context.Context, string, []byte) error         { return nil }
func (nowhere) Call(context.Context, string, []byte) ([]byte, error) { return nil, ErrCannotAsk }

// TestEndWhileListening ends a handler while a listen request is being opened: the
// server forgets the handler, and gives the bytes of the request back.
func TestEndWhileListening(t *testing.T) {
	s, err := New(Config{Name: "test", Version: "1"})
	if err != nil {
		t.Fatal(err)
	}
	h := s.Bind(host.Caller{Principal: host.Principal{ID: "a"}, Send: nowhere{}}, nil)
	request := jsonrpc.Request{
		ID: jsonrpc.StringID("l"), Method: "subscriptions/listen", Params: []byte(`{"notifications":{},"_meta":{` +
			`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}`),
	}
	var both sync.WaitGroup
	s.listeners.mu.Lock() // the request comes as far as binding its handler
	both.Go(func() {
		if _, err := h.Handle(t.Context(), &request, nil); !errors.Is(err, jsonrpc.ErrNoAnswer) {
			t.Errorf("listen: %v, want no answer", err)
		}
	})
	for s.StateUsage().Used == 0 {
		runtime.Gosched()
	}
	both.Go(func() { h.End(t.Context()) })
	for range 1000 { // so that End comes as far as it can
		runtime.Gosched()
	}
	s.listeners.mu.Unlock()
	both.Wait()
	if n := len(s.listeners.all()); n != 0 {
		t.Errorf("%d handlers are bound after the end", n)
	}
	if used := s.StateUsage().Used; used != 0 {
		t.Errorf("%d bytes are charged after the end", used)
	}
}

// Tasks are counted while clients can ask for them. Tasks beyond a limit are counted as refused.
func TestTaskUsage(t *testing.T) {
	s, err := New(Config{Name: "test", Version: "1", StateMemory: 1000})
	if err != nil {
		t.Fatal(err)
	}
	nothing := func() {}
	small, large := newTask("a", nothing, nil), newTask("a", nothing, nil)
	if !s.tasks.start(small, 600, nothing) || s.tasks.start(large, 600, nothing) {
		t.Fatal("600 of 1,000 bytes are charged once")
	}
	if got, want := s.TaskUsage(), (host.Usage{Used: 1, Limit: 10_000, Owners: 1, Refused: 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	s.tasks.forget(small)
	if got := s.TaskUsage().Used; got != 0 {
		t.Errorf("%d tasks after the end", got)
	}
}
