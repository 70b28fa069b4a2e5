package httpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/client"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/httpclient"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

const key = "a long secret"

// greeter is a server with a tool that greets, tells how far it is, and fails for an empty name.
func greeter(t testing.TB) (url string) {
	t.Helper()
	type who struct {
		Name string `json:"name" doc:"Whom to greet"`
	}
	server, err := mcp.New(mcp.Config{Name: "greeter", Version: "1.0.0"}, &mcp.Table{
		Family: "greeter",
		Tools: []mcp.Tool{{
			Name: "greet", Doc: "Greets", Hints: mcp.ReadOnly,
			Call: mcp.Typed(func(ctx context.Context, call *mcp.Call, w who) (string, error) {
				if w.Name == "" {
					return "", mcp.ToolError(errors.New("there is no name"))
				}
				call.Progress(ctx, 1, 2, "thinking of "+w.Name)
				return "Hello, " + w.Name, nil
			}),
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	endpoint := streamable.New(streamable.Config{Server: server, Auth: streamable.Key(key), Loopback: true})
	web := httptest.NewServer(endpoint)
	t.Cleanup(func() {
		endpoint.Shutdown(context.WithoutCancel(t.Context()))
		web.Close()
		_ = server.Close() // it has no families that could fail
	})
	return web.URL
}

// A client lists and calls in every revision, and hears of progress.
func TestRevisions(t *testing.T) {
	url := greeter(t)
	for _, rev := range host.Revisions()[1:] {
		t.Run(rev.Name, func(t *testing.T) {
			var mu sync.Mutex
			var heard []string
			conn := &httpclient.Conn{
				Endpoint: httpclient.Endpoint{URL: url, Key: key, HTTP: httpclient.Client(http.DefaultTransport)},
				Notified: func(method string, _ json.RawMessage) {
					mu.Lock()
					defer mu.Unlock()
					heard = append(heard, method)
				},
			}
			c := client.New(conn, client.Config{Name: "test", Version: "1.0.0"})
			if _, err := c.Initialize(t.Context(), rev.Name); err != nil {
				t.Fatal(err)
			}
			tools, err := c.List(t.Context(), "tools")
			if err != nil || len(tools) != 1 || !strings.Contains(string(tools[0]), `"greet"`) {
				t.Errorf("%s, %v", tools, err)
			}
			params := map[string]any{
				"name": "greet", "arguments": map[string]any{"name": "Ann"}, "_meta": map[string]any{"progressToken": 1},
			}
			raw, err := c.Ask(t.Context(), "tools/call", params)
			if err != nil || !strings.Contains(string(raw), "Hello, Ann") {
				t.Errorf("%s, %v", raw, err)
			}
			if !slices.Contains(heard, "notifications/progress") {
				t.Errorf("heard %v", heard)
			}
			result, err := c.CallTool(t.Context(), "greet", map[string]any{"name": ""})
			if err != nil || !result.IsError || result.Text() == "" {
				t.Errorf("%+v, %v", result, err)
			}
			if err := conn.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// What the server refuses is its error.
func TestRefusals(t *testing.T) {
	url := greeter(t)
	stranger := client.New(&httpclient.Conn{Endpoint: httpclient.Endpoint{URL: url, Key: "a guess", HTTP: http.DefaultClient}}, client.Config{})
	if rpc, ok := errors.AsType[*jsonrpc.Error](errorOf(stranger.Initialize(t.Context(), ""))); !ok || rpc.Code != -32001 {
		t.Errorf("a wrong key: %v", rpc)
	}
	c := client.New(&httpclient.Conn{Endpoint: httpclient.Endpoint{URL: url, Key: key, HTTP: http.DefaultClient}}, client.Config{})
	if err := errorOf(c.Initialize(t.Context(), "2001-01-01")); err == nil {
		t.Error("a revision that there is not was begun")
	}
	if err := errorOf(c.List(t.Context(), "resources")); !client.IsMissingMethod(err) {
		t.Errorf("a list that there is not: %v", err)
	}
}

func errorOf[T any](_ T, err error) error { return err }

// A request of the server is refused, so that it does not wait; one that is answered by a stream
// without an answer is an error.
func TestRequestsOfTheServer(t *testing.T) {
	refused := make(chan string, 1)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
			Error  *struct{ Code int }
		}
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			t.Error(err)
		}
		if m.Method == "" {
			refused <- fmt.Sprintf("%s %d", m.ID, m.Error.Code)
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprint(w, `data: {"jsonrpc":"2.0","id":"s1","method":"sampling/createMessage"}`+"\n\n") // the client reads it
		if m.Method == "answered" {
			_, _ = fmt.Fprintf(w, `data: {"jsonrpc":"2.0","id":%s,"result":{}}`+"\n\n", m.ID) // likewise
		}
	}))
	defer web.Close()
	conn := &httpclient.Conn{Endpoint: httpclient.Endpoint{URL: web.URL, HTTP: http.DefaultClient}}
	if _, err := conn.Call(t.Context(), "answered", nil); err != nil {
		t.Error(err)
	}
	if got := <-refused; got != `"s1" -32601` {
		t.Errorf("refused %s", got)
	}
	if _, err := conn.Call(t.Context(), "forgotten", nil); err == nil {
		t.Error("no answer was an answer")
	}
}

func Example() {
	conn := &httpclient.Conn{Endpoint: httpclient.Endpoint{
		URL: "https://rules.example.com/mcp", Key: "kdb_live_…", HTTP: httpclient.Client(http.DefaultTransport),
	}}
	c := client.New(conn, client.Config{Name: "example", Version: "1.0.0"})
	ctx := context.Background()
	if _, err := c.Initialize(ctx, ""); err != nil {
		fmt.Println(err)
		return
	}
	result, err := c.CallTool(ctx, "get_ruleset", map[string]any{"name": "go_style"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Text())
}
