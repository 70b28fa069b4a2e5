package streamable_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// TestListenAtTheEnd: a listen gets its answer also when the server is told to
// end after the acknowledgement and before the handler has returned.
func TestListenAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var endpoint *streamable.Handler
		server, err := mcp.New(mcp.Config{Name: "test", Version: "1", Observe: func(context.Context, *host.Event) error {
			go endpoint.Shutdown(context.Background())
			time.Sleep(time.Second)
			return nil
		}}, table(nil))
		if err != nil {
			t.Fatal(err)
		}
		endpoint = streamable.New(streamable.Config{Server: server, Auth: &auth{left: 1}})
		body := `{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + meta + `}}`
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", strings.NewReader(body))
		req.Header = http.Header{
			"Content-Type": {"application/json"}, "Accept": {"text/event-stream"},
			"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"subscriptions/listen"},
		}
		w := httptest.NewRecorder()
		endpoint.ServeHTTP(w, req)
		if got := w.Body.String(); !strings.Contains(got, "acknowledged") || !strings.Contains(got, `"id":7,"result":{"resultType":"complete"`) {
			t.Errorf("the listen was told %s", got)
		}
	})
}
