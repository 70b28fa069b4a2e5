package streamable_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// A holder is a client whose connection ended in the middle of an answer that is
// still being sent, as it may be over HTTP/2.
type holder struct {
	nobody
	held []byte
}

func (h *holder) Write(p []byte) (int, error) {
	h.held = p
	return 0, errors.New("the stream is closed")
}

// TestHeldAnswer: the memory of an answer that may still be on its way is nobody
// else's.
func TestHeldAnswer(t *testing.T) {
	server, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, table(nil))
	if err != nil {
		t.Fatal(err)
	}
	endpoint := streamable.New(streamable.Config{Server: server, Door: &door{left: 1 << 60}})
	ask := func(w http.ResponseWriter, text string) {
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"` + text + `"}}}`
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", strings.NewReader(body))
		req.Header.Set("Content-Type", "application/json")
		endpoint.ServeHTTP(w, req)
	}
	client := &holder{nobody: nobody{header: http.Header{}}}
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
	endpoint := streamable.New(streamable.Config{Server: server, Door: &door{left: 1 << 60}})
	body := []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", nil)
	req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}}
	req.ContentLength = int64(len(body))
	w := &nobody{header: http.Header{}}
	const most = 12
	if got := testing.AllocsPerRun(200, func() {
		clear(w.header)
		req.Body = io.NopCloser(bytes.NewReader(body))
		endpoint.ServeHTTP(w, req)
	}); got > most {
		t.Errorf("%v allocations, want at most %d", got, most)
	}
}
