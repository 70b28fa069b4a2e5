package streamable_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// A holder is a client whose connection ended in the middle of an answer that is
// still being sent, as it may be over HTTP/2.
type holder struct {
	discard
	held []byte
}

func (h *holder) Write(p []byte) (int, error) {
	h.held = p
	return 0, errors.New("the stream is closed")
}

// TestHeldAnswer: the memory of an answer that may still be sent is not used
// for another.
func TestHeldAnswer(t *testing.T) {
	server, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, table(nil))
	if err != nil {
		t.Fatal(err)
	}
	endpoint := streamable.New(streamable.Config{Server: server, Auth: &auth{left: 1 << 60}})
	ask := func(w http.ResponseWriter, text string) {
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"` + text + `"}}}`
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", strings.NewReader(body))
		req.Header.Set("Content-Type", "application/json")
		endpoint.ServeHTTP(w, req)
	}
	client := &holder{discard: discard{header: http.Header{}}}
	ask(client, "mine")
	before := string(client.held)
	for range 100 {
		w := httptest.NewRecorder()
		if ask(w, "ours"); !strings.Contains(w.Body.String(), "ours") {
			t.Fatalf("got %s", w.Body)
		}
	}
	if got := string(client.held); !strings.Contains(before, "mine") || got != before {
		t.Errorf("the answer %s became %s", before, got)
	}
}

// TestPostAllocatesLittle: what the endpoint itself makes of a request is its
// body, the exchange, the head of its answer and what other packages make of it.
func TestPostAllocatesLittle(t *testing.T) {
	server, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, table(nil))
	if err != nil {
		t.Fatal(err)
	}
	endpoint := streamable.New(streamable.Config{Server: server, Auth: &auth{left: 1 << 60}})
	body := []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", nil)
	req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}}
	req.ContentLength = int64(len(body))
	w := &discard{header: http.Header{}}
	const most = 19
	if got := testing.AllocsPerRun(200, func() {
		clear(w.header)
		req.Body = arrived{bytes.NewReader(body)}
		endpoint.ServeHTTP(w, req)
	}); got > most {
		t.Errorf("%v allocations, want at most %d", got, most)
	}
}

// arrived is a body that is in memory, as most are.
type arrived struct{ *bytes.Reader }

func (arrived) Close() error { return nil }

// callSlow is the body of a call that becomes a task, but for its argument.
const callSlow = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{"text":"TEXT"},
	"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},
	"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}}}`

// TestTaskKeepsNoBody: a task, which can be asked for long after it is over, does
// not keep the body of its call, whose context it has.
func TestTaskKeepsNoBody(t *testing.T) {
	done := make(chan struct{}, 1)
	job := func(context.Context, *mcp.Call) (*mcp.Result, error) {
		done <- struct{}{}
		return &mcp.Result{}, nil
	}
	slow := mcp.Typed(func(context.Context, *mcp.Call, echoArgs) (*mcp.Result, error) { return &mcp.Result{Job: job}, nil })
	server, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, &mcp.Table{
		Family: "test", Tools: []mcp.Tool{{Name: "slow", Doc: "goes on", Task: mcp.TaskRequired, Call: slow}},
	})
	if err != nil {
		t.Fatal(err)
	}
	endpoint := streamable.New(streamable.Config{Server: server, Auth: &auth{left: 1 << 60}})
	const size, calls = 1 << 20, 16
	body := strings.Replace(callSlow, "TEXT", strings.Repeat("x", size), 1)
	before := inUse()
	for range calls {
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", strings.NewReader(body))
		req.Header = http.Header{"Content-Type": {"application/json"}, "Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"slow"}}
		w := httptest.NewRecorder()
		if endpoint.ServeHTTP(w, req); !strings.Contains(w.Body.String(), `"taskId"`) {
			t.Fatalf("got %s", w.Body)
		}
		<-done
	}
	if kept := inUse() - before; kept > size*calls/2 {
		t.Errorf("%d tasks that are over keep %d bytes", calls, kept)
	}
	runtime.KeepAlive(endpoint)
}

// inUse returns the bytes of live memory.
func inUse() int64 {
	runtime.GC()
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	return int64(now.HeapAlloc)
}
