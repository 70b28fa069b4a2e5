package streamable_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// auth authenticates every client that names a principal in the header Authorization.
type auth struct {
	mu   sync.Mutex
	left int
	shut atomic.Bool // no credentials are valid any more

	handshakes, broken atomic.Int64
}

func (d *auth) Authenticate(_ http.Header, r *http.Request) (host.Caller, *streamable.Refusal) {
	name := r.Header.Get("Authorization")
	if name == "" {
		name = "anna"
	}
	name, less := strings.CutSuffix(name, " with less")
	principal := host.Principal{ID: name}
	if less {
		principal.Scopes = []host.Scope{"secret:read"}
	}
	if name == "reader" {
		principal.Scopes = []host.Scope{}
	}
	return host.Caller{Principal: principal}, nil
}

func (d *auth) Charge(_ context.Context, header http.Header, _ *host.Caller, rev *host.Revision, bill streamable.Bill) *streamable.Refusal {
	d.handshakes.Add(int64(bill.Handshakes))
	d.broken.Add(int64(bill.Broken))
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.left -= bill.Calls; d.left >= 0 {
		return nil
	}
	header.Set("Retry-After", "7")
	spent := &host.QuotaError{Limit: 10, Used: 10, ResetAt: time.Unix(0, 0)}
	return &streamable.Refusal{Status: http.StatusTooManyRequests, Error: spent.Wire(rev)}
}

func (d *auth) Valid(context.Context, *host.Caller) bool { return !d.shut.Load() }

func (d *auth) Forbid(header http.Header, _ *jsonrpc.Error) {
	header.Set("WWW-Authenticate", "Bearer error=\"insufficient_scope\"")
}

type none struct{}

type echoArgs struct {
	Text string `json:"text" doc:"what to say"`
}

// table has a tool for each way in which a call can go.
func table(changes func() mcp.Changes) *mcp.Table {
	return &mcp.Table{
		Family: "test", Changing: mcp.CapabilityTools | mcp.CapabilityResources,
		Tools: []mcp.Tool{
			{Name: "echo", Doc: "says it", Call: mcp.Typed(func(_ context.Context, _ *mcp.Call, in echoArgs) (string, error) { return in.Text, nil })},
			{Name: "secret", Doc: "needs a right", Scope: "secret:read", Call: mcp.Typed(func(context.Context, *mcp.Call, none) (string, error) { return "", nil })},
			{Name: "panic", Doc: "breaks", Call: mcp.Typed(func(context.Context, *mcp.Call, none) (string, error) { panic("broken") })},
			{Name: "away", Doc: "has no store", Call: mcp.Typed(func(context.Context, *mcp.Call, none) (string, error) {
				return "", &mcp.UnavailableError{Message: "the store is away"}
			})},
			{Name: "progress", Doc: "tells how far it is", Call: mcp.Typed(func(ctx context.Context, call *mcp.Call, _ none) (string, error) {
				call.Progress(ctx, 1, 2, "half")
				call.Progress(ctx, 2, 2, "all")
				return "done", nil
			})},
			{Name: "wait", Doc: "waits until it is cancelled", Interrupts: true, Call: mcp.Typed(func(ctx context.Context, call *mcp.Call, _ none) (string, error) {
				call.Progress(ctx, 1, 2, "waiting")
				<-ctx.Done()
				return "", ctx.Err()
			})},
			{Name: "suspend", Doc: "lets the client come back", Call: mcp.Typed(func(ctx context.Context, call *mcp.Call, _ none) (string, error) {
				if !call.Suspend(20 * time.Millisecond) {
					return "not let go", nil
				}
				time.Sleep(50 * time.Millisecond) // the client is to come back before the answer is there
				return "here it is", nil
			})},
			{Name: "ask", Doc: "asks for a name", Call: mcp.Typed(func(ctx context.Context, call *mcp.Call, _ none) (string, error) {
				answers, err := call.Ask(ctx, map[string]mcp.InputRequest{"name": mcp.Form("Who?", json.RawMessage(`{"type":"object","properties":{}}`))})
				return string(answers["name"]), err
			})},
			{Name: "change", Doc: "changes the list of resources", Call: mcp.Typed(func(context.Context, *mcp.Call, none) (string, error) {
				changes().ResourcesChanged()
				return "changed", nil
			})},
			{Name: "region", Doc: "has an argument with a header", Call: mcp.Raw(
				`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"level":{"type":"integer","x-mcp-header":"Level"}}}`,
				func(context.Context, *mcp.Call, []byte) (*mcp.Result, error) {
					return &mcp.Result{Content: []mcp.Content{mcp.Text("ok")}}, nil
				})},
		},
		Resources: []mcp.ResourceSource{{
			Scheme: "test",
			List: func(context.Context, *mcp.Call, string, int) ([]mcp.Resource, string, error) {
				return []mcp.Resource{{URI: "test://one", Name: "one"}}, "", nil
			},
			Read: func(_ context.Context, _ *mcp.Call, uri string) ([]mcp.Contents, error) {
				return []mcp.Contents{{URI: uri, Text: "text"}}, nil
			},
		}},
	}
}

type setup struct {
	*httptest.Server
	endpoint *streamable.Handler
	auth     *auth
}

// serve starts the endpoint; with changes the configuration may be changed.
func serve(t *testing.T, changes ...func(*streamable.Config)) setup {
	t.Helper()
	var server *mcp.Server
	server, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, table(func() mcp.Changes { return server.Changes() }))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ran := make(chan error, 1)
	go func() { ran <- server.Run(ctx) }()
	d := &auth{left: 1000}
	cfg := streamable.Config{Server: server, Auth: d, Loopback: true, Timeout: 10 * time.Second}
	for _, change := range changes {
		change(&cfg)
	}
	endpoint := streamable.New(cfg)
	web := httptest.NewServer(leavesAlone(t, endpoint))
	t.Cleanup(func() {
		last, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		endpoint.Shutdown(last)
		web.Close()
		stop()
		<-ran
	})
	return setup{web, endpoint, d}
}

// leavesAlone checks that a handler does not change the header and the URL of a
// request: the next one on the connection may share them.
func leavesAlone(t *testing.T, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header, url := r.Header.Clone(), *r.URL
		h.ServeHTTP(w, r)
		if !maps.EqualFunc(r.Header, header, slices.Equal) || *r.URL != url {
			t.Errorf("a request of %s, %v became %s, %v", &url, header, r.URL, r.Header)
		}
	})
}

// ask sends a request with headers, given as "Name: value", and reads all of
// the answer.
func (s setup) ask(t *testing.T, method, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	resp := s.open(t, method, body, headers...)
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(text)
}

func (s setup) open(t *testing.T, method, body string, headers ...string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		switch {
		case name == "Host":
			req.Host = value
		case value == "":
			req.Header.Del(name)
		default:
			req.Header.Set(name, value)
		}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() }) // read to its end, or left on purpose
	return resp
}

const (
	both     = "Accept: application/json, text/event-stream"
	ping     = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	pong     = `{"jsonrpc":"2.0","id":1,"result":{}}`
	modern   = "MCP-Protocol-Version: 2026-07-28"
	meta     = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	discover = `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + meta + `}}`
)

func call(tool, more string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":{}` + more + `}}`
}

// session initializes and returns the header of the session.
func (s setup) session(t *testing.T, revision string, headers ...string) string {
	t.Helper()
	resp, body := s.ask(t, "POST", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+revision+
		`","capabilities":{"elicitation":{}},"clientInfo":{"name":"t","version":"1"}}}`, append(headers, both)...)
	id := resp.Header.Get("Mcp-Session-Id")
	if resp.StatusCode != 200 || id == "" {
		t.Fatalf("initialize: %s, session %q, %s", resp.Status, id, body)
	}
	session := "Mcp-Session-Id: " + id
	if resp, _ := s.ask(t, "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, append(headers, session, both)...); resp.StatusCode != 202 {
		t.Fatalf("initialized: %s", resp.Status)
	}
	return session
}

// TestDoor goes through the checks before a message is looked at, and the
// statuses of SERVER requirements for each of them.
func TestDoor(t *testing.T) {
	s := serve(t)
	for _, tt := range []struct {
		name, method, body string
		headers            []string
		status             int
		want               string // part of the answer
	}{
		{"curl", "POST", ping, []string{"Accept: */*"}, 200, pong},
		{"a script without Accept", "POST", ping, nil, 200, pong},
		{"both forms", "POST", ping, []string{both}, 200, pong},
		{"a charset", "POST", ping, []string{"Content-Type: application/json; charset=utf-8"}, 200, pong},
		{"neither form", "POST", ping, []string{"Accept: text/html"}, 406, "-32600"},
		{"a form that is refused by q=0", "POST", ping, []string{"Accept: application/json;q=0"}, 406, "-32600"},
		{"a form is no text", "POST", ping, []string{"Content-Type: text/plain"}, 415, "-32600"},
		{"no type", "POST", ping, []string{"Content-Type: "}, 415, "-32600"},
		{"a body that is compressed", "POST", "\x1f\x8b\x08", []string{"Content-Encoding: gzip"}, 415, "without Content-Encoding"},
		{"a body that is as it is", "POST", ping, []string{"Content-Encoding: identity"}, 200, pong},
		{"PUT", "PUT", ping, nil, 405, "-32600"},
		{"a foreign host", "POST", ping, []string{"Host: evil.example.com"}, 403, "-32600"},
		{"localhost", "POST", ping, []string{"Host: localhost:8443"}, 200, pong},
		{"IPv6 loopback", "POST", ping, []string{"Host: [::1]:8443"}, 200, pong},
		{"a foreign origin", "POST", ping, []string{"Origin: https://evil.example.com"}, 403, "-32600"},
		{"an origin that hides loopback", "POST", ping, []string{"Origin: https://localhost.evil.example.com"}, 403, "-32600"},
		{"the origin null", "POST", ping, []string{"Origin: null"}, 403, "-32600"},
		{"a local origin", "POST", ping, []string{"Origin: http://localhost:3000"}, 200, pong},
		{"no JSON", "POST", `{"jsonrpc":`, nil, 400, `"id":null,"error":{"code":-32700,"message":"Parse error","data":{"details":"expected a value at byte 11"}}`},
		{"no JSON, with a revision", "POST", `{"jsonrpc":`, []string{"MCP-Protocol-Version: 2025-11-25"}, 400, `{"jsonrpc":"2.0","error":{"code":-32700`},
		{"an empty body", "POST", ``, nil, 400, "-32700"},
		{"an empty batch", "POST", `[]`, nil, 400, "-32600"},
		{"no request", "POST", `{"id":7}`, nil, 400, `"id":7,"error":{"code":-32600`},
		{"a batch", "POST", `[` + ping + `]`, nil, 200, `[` + pong + `]`},
		{"a batch where there are none", "POST", `[` + ping + `]`, []string{"MCP-Protocol-Version: 2025-06-18"}, 400, "-32600"},
		{"a batch with a claim", "POST", `[` + discover + `]`, nil, 400, "-32600"},
		{"a notification", "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil, 202, ""},
		{"an answer to nobody", "POST", `{"jsonrpc":"2.0","id":5,"result":{}}`, nil, 202, ""},
		{"an unknown revision", "POST", ping, []string{"MCP-Protocol-Version: 1999-01-01"}, 400, `"supported":["2026-07-28"],"requested":"1999-01-01"`},
		{"an unknown method", "POST", `{"jsonrpc":"2.0","id":1,"method":"nope"}`, nil, 200, "-32601"},
		{"an unknown tool", "POST", call("nope", ""), nil, 200, "-32602"},
		{"a panic", "POST", call("panic", ""), nil, 500, `"code":-32603,"message":"Internal error"`},
		{"a panic, with a revision", "POST", call("panic", ""), []string{"MCP-Protocol-Version: 2025-06-18"}, 200, "-32603"},
		{"a store that is away", "POST", call("away", ""), nil, 503, "the store is away"},
		{"a right that is missing", "POST", call("secret", ""), []string{"Authorization: reader"}, 403, "-32003"},
		{"GET without a session", "GET", "", []string{"Accept: text/event-stream"}, 400, "-32600"},
		{"DELETE without a session", "DELETE", "", nil, 400, "-32600"},
		{"a session nobody has", "POST", ping, []string{"Mcp-Session-Id: x"}, 404, "-32600"},
		{"modern GET", "GET", "", []string{"Accept: text/event-stream", modern}, 405, "-32600"},
		{"modern DELETE", "DELETE", "", []string{modern}, 405, "-32600"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			resp, got := s.ask(t, tt.method, tt.body, tt.headers...)
			if resp.StatusCode != tt.status || !strings.Contains(got, tt.want) {
				t.Errorf("got %d %s\nwant %d … %s", resp.StatusCode, got, tt.status, tt.want)
			}
			if kind := resp.Header.Get("Content-Type"); got != "" && kind != "application/json" {
				t.Errorf("Content-Type %q", kind)
			}
		})
	}
}

// TestModern checks claims and mirrored headers (2026-07-28).
func TestModern(t *testing.T) {
	s := serve(t)
	echo := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"},` + meta + `}}`
	region := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"region","arguments":{"region":"Zürich","level":10},` + meta + `}}`
	mirrors := []string{modern, "Mcp-Method: tools/call", "Mcp-Name: region", "Mcp-Param-Level: 10"}
	for _, tt := range []struct {
		name, body string
		headers    []string
		status     int
		want       string
	}{
		{"discover", discover, []string{modern, "Mcp-Method: server/discover"}, 200, `"supportedVersions":["2026-07-28"]`},
		{"no header", discover, []string{"Mcp-Method: server/discover"}, 400, "-32020"},
		{"another header", discover, []string{"MCP-Protocol-Version: 2025-11-25", "Mcp-Method: server/discover"}, 400, "-32020"},
		{"no method", discover, []string{modern}, 400, "-32020"},
		{"another method", discover, []string{modern, "Mcp-Method: ping"}, 400, "-32020"},
		{"the method's case", discover, []string{modern, "Mcp-Method: SERVER/DISCOVER"}, 400, "-32020"},
		{"blanks", discover, []string{modern, "mcp-method:  server/discover "}, 200, "resultType"},
		{"an unknown claim", strings.Replace(discover, "2026-07-28", "v999.0.0", 1), []string{"MCP-Protocol-Version: v999.0.0", "Mcp-Method: server/discover"}, 400, `-32022`},
		{"a legacy claim", strings.Replace(discover, "2026-07-28", "2025-11-25", 1), []string{"MCP-Protocol-Version: 2025-11-25", "Mcp-Method: server/discover"}, 400, `-32022`},
		{"no claim", ping, []string{modern}, 400, `"id":1,"error":{"code":-32602,"message":"Invalid params: params._meta must have `},
		{"no claim, initialize", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, []string{modern}, 400, "-32602"},
		{"a notification without a claim", `{"jsonrpc":"2.0","method":"notifications/x"}`, []string{modern}, 202, ""},
		{"no capabilities", `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, []string{modern, "Mcp-Method: server/discover"}, 400, `"Invalid params: _meta[`},
		{"a method that is gone", strings.Replace(discover, "server/discover", "ping", 1), []string{modern, "Mcp-Method: ping"}, 404, `"id":1,"error":{"code":-32601`},
		{"a tool", echo, []string{modern, "Mcp-Method: tools/call", "Mcp-Name: echo"}, 200, `"text":"hi"`},
		{"a tool without its name", echo, []string{modern, "Mcp-Method: tools/call"}, 400, "-32020"},
		{"a tool by another name", echo, []string{modern, "Mcp-Method: tools/call", "Mcp-Name: region"}, 400, "-32020"},
		{"a name in Base64", echo, []string{modern, "Mcp-Method: tools/call", "Mcp-Name: =?base64?ZWNobw==?="}, 200, `"text":"hi"`},
		{"a name in Base64 without padding", echo, []string{modern, "Mcp-Method: tools/call", "Mcp-Name: =?base64?ZWNobw?="}, 400, "-32020"},
		{"a name with only the prefix", echo, []string{modern, "Mcp-Method: tools/call", "Mcp-Name: =?base64?ZWNobw=="}, 400, "-32020"},
		{"an unknown tool", strings.Replace(echo, `"echo"`, `"nope"`, 1), []string{modern, "Mcp-Method: tools/call", "Mcp-Name: nope"}, 200, "-32602"},
		{"arguments with headers", region, append(mirrors, "Mcp-Param-Region: =?base64?WsO8cmljaA==?="), 200, `"ok"`},
		{"a number written differently", region, append(mirrors[:3:3], "Mcp-Param-Level: 1e1", "Mcp-Param-Region: =?base64?WsO8cmljaA==?="), 200, `"ok"`},
		{"another number", region, append(mirrors[:3:3], "Mcp-Param-Level: 11", "Mcp-Param-Region: =?base64?WsO8cmljaA==?="), 400, "-32020"},
		{"an argument without its header", region, mirrors, 400, "-32020"},
		{"an argument that differs", region, append(mirrors, "Mcp-Param-Region: Bern"), 400, "-32020"},
		{"a session id is ignored", discover, []string{modern, "Mcp-Method: server/discover", "Mcp-Session-Id: x"}, 200, "resultType"},
		{"a resource", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"test://one",` + meta + `}}`, []string{modern, "Mcp-Method: resources/read", "Mcp-Name: test://one"}, 200, `"text":"text"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			resp, got := s.ask(t, "POST", tt.body, append(tt.headers, both)...)
			if resp.StatusCode != tt.status || !strings.Contains(got, tt.want) {
				t.Errorf("got %d %s\nwant %d … %s", resp.StatusCode, got, tt.status, tt.want)
			}
			if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
				t.Errorf("a session %q began", id)
			}
		})
	}
}

// TestQuota: what is refused has the status, the code of its revision and the
// id; what must never be refused is not.
func TestQuota(t *testing.T) {
	s := serve(t)
	s.auth.left = 0
	resp, got := s.ask(t, "POST", `{"jsonrpc":"2.0","id":"x","method":"tools/list"}`)
	const data = `"data":{"limit":10,"used":10,"reset_at":"1970-01-01T00:00:00Z"`
	if want := `{"jsonrpc":"2.0","id":"x","error":{"code":-32002,"message":"Quota exceeded",` + data + `}}}`; resp.StatusCode != 429 || got != want {
		t.Errorf("got %d %s\nwant 429 %s", resp.StatusCode, got, want)
	}
	s.auth.left = 0
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta + `}}`
	resp, got = s.ask(t, "POST", list, modern, "Mcp-Method: tools/list")
	if want := `"code":-31002,"message":"Quota exceeded",` + data + `,"code":-32002}`; resp.StatusCode != 429 || !strings.Contains(got, want) {
		t.Errorf("got %d %s\nwant 429 %s", resp.StatusCode, got, want)
	}
	s.auth.left = 0
	for _, free := range []string{ping, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`} {
		if resp, got := s.ask(t, "POST", free); resp.StatusCode != 200 {
			t.Errorf("%s: %d %s", free, resp.StatusCode, got)
		}
	}
}

// TestSession is the life of a session, and what others may not do to it.
func TestSession(t *testing.T) {
	s := serve(t)
	session := s.session(t, "2025-06-18")
	for _, tt := range []struct {
		name, method, body string
		headers            []string
		status             int
	}{
		{"a request", "POST", ping, []string{session}, 200},
		{"a header with its revision", "POST", ping, []string{session, "MCP-Protocol-Version: 2025-06-18"}, 200},
		{"a header with another revision", "POST", ping, []string{session, "MCP-Protocol-Version: 2024-11-05"}, 200},
		{"a header with an unknown revision", "POST", ping, []string{session, "MCP-Protocol-Version: x"}, 400},
		{"a foreign key", "POST", ping, []string{session, "Authorization: mallory"}, 404},
		{"a foreign key, GET", "GET", "", []string{session, "Authorization: mallory", "Accept: text/event-stream"}, 404},
		{"a foreign key, DELETE", "DELETE", "", []string{session, "Authorization: mallory"}, 404},
		{"a second initialize", "POST", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, []string{session}, 400},
		{"a batch", "POST", `[` + ping + `]`, []string{session}, 400},
		{"an event of nobody", "GET", "", []string{session, "Accept: text/event-stream", "Last-Event-ID: 99_1"}, 400},
		{"no event", "GET", "", []string{session, "Accept: text/event-stream", "Last-Event-ID: x"}, 400},
		{"the end", "DELETE", "", []string{session}, 204},
		{"a request after it", "POST", ping, []string{session}, 404},
		{"a second end", "DELETE", "", []string{session}, 404},
	} {
		if resp, got := s.ask(t, tt.method, tt.body, tt.headers...); resp.StatusCode != tt.status {
			t.Errorf("%s: got %d %s, want %d", tt.name, resp.StatusCode, got, tt.status)
		}
	}
}

// events reads server-sent events and returns them as "id|data".
func events(t *testing.T, resp *http.Response) func() string {
	t.Helper()
	if kind := resp.Header.Get("Content-Type"); kind != "text/event-stream" {
		text, _ := io.ReadAll(resp.Body) // for the message only
		t.Fatalf("%s, Content-Type %q: %s", resp.Status, kind, text)
	}
	scanner := bufio.NewScanner(resp.Body)
	return func() string {
		var id, data string
		comment := false // keep-alives come when they come
		for scanner.Scan() {
			name, value, _ := strings.Cut(scanner.Text(), ": ")
			switch name {
			case ":":
				comment = true
			case "id":
				id = value
			case "data":
				data = value
			case "":
				if !comment {
					return id + "|" + data
				}
				comment = false
			}
		}
		return "end"
	}
}

func expect(t *testing.T, next func() string, want ...string) {
	t.Helper()
	for _, w := range want {
		if got := next(); got != w {
			t.Fatalf("got event %s\nwant %s", got, w)
		}
	}
}

const token = `,"_meta":{"progressToken":"p"}`

func progress(n int, message string) string {
	return `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":` + string(rune('0'+n)) + `,"total":2,"message":"` + message + `"}}`
}

const done = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"done"}]}}`

// TestStreamedAnswer: the first message turns the answer into a stream, with
// event ids in a session and an event without data first where the revision
// has that.
func TestStreamedAnswer(t *testing.T) {
	s := serve(t)
	t.Run("without a session", func(t *testing.T) {
		next := events(t, s.open(t, "POST", call("progress", token), both, "MCP-Protocol-Version: 2025-03-26"))
		expect(t, next, "|"+progress(1, "half"), "|"+progress(2, "all"), "|"+done, "end")
	})
	t.Run("2025-06-18", func(t *testing.T) {
		next := events(t, s.open(t, "POST", call("progress", token), both, s.session(t, "2025-06-18")))
		expect(t, next, "1_1|"+progress(1, "half"), "1_2|"+progress(2, "all"), "1_3|"+done, "end")
	})
	t.Run("2025-11-25", func(t *testing.T) {
		next := events(t, s.open(t, "POST", call("progress", token), both, s.session(t, "2025-11-25")))
		expect(t, next, "1_1|", "1_2|"+progress(1, "half"), "1_3|"+progress(2, "all"), "1_4|"+done, "end")
	})
	t.Run("a client that takes only streams", func(t *testing.T) {
		next := events(t, s.open(t, "POST", ping, "Accept: text/event-stream"))
		expect(t, next, "|"+pong, "end")
	})
	t.Run("a client that takes none", func(t *testing.T) {
		if _, got := s.ask(t, "POST", call("progress", token)); got != done {
			t.Errorf("got %s", got)
		}
	})
}

// TestComeBack: the server lets go of the connection, and the client gets the
// answer by GET.
func TestComeBack(t *testing.T) {
	s := serve(t)
	session := s.session(t, "2025-11-25")
	next := events(t, s.open(t, "POST", call("suspend", ""), both, session))
	expect(t, next, "1_1|", "1_2|", "end")
	const answer = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"here it is"}]}}`
	next = events(t, s.open(t, "GET", "", "Accept: text/event-stream", "Last-Event-ID: 1_2", session))
	expect(t, next, "1_3|"+answer, "end")

	older := s.session(t, "2025-06-18")
	if _, got := s.ask(t, "POST", call("suspend", ""), both, older); !strings.Contains(got, "not let go") {
		t.Errorf("2025-06-18: %s", got)
	}
}

// TestReadByGet: a stream that was read to its end by GET is forgotten.
func TestReadByGet(t *testing.T) {
	s := serve(t)
	session := s.session(t, "2025-11-25")
	expect(t, events(t, s.open(t, "POST", call("suspend", ""), both, session)), "1_1|", "1_2|", "end")
	get := []string{"Accept: text/event-stream", "Last-Event-ID: 1_2", session}
	if resp, _ := s.ask(t, "GET", "", get...); resp.StatusCode != 200 {
		t.Fatal(resp.Status)
	}
	waitFor(t, "400 for another GET", func() bool { // the client may see the end before the server has
		resp, _ := s.ask(t, "GET", "", get...)
		return resp.StatusCode == 400
	})
}

// TestEventsToCome: an event that was not sent yet is none to go on from; who
// has tried still gets what comes.
func TestEventsToCome(t *testing.T) {
	s := serve(t)
	session := s.session(t, "2025-06-18")
	for _, id := range []string{"0_1", "0_9223372036854775807", "0_-1", "0_99999999999999999999", "1_0"} {
		if resp, _ := s.ask(t, "GET", "", "Accept: text/event-stream", "Last-Event-ID: "+id, session); resp.StatusCode != 400 {
			t.Fatalf("%s: %s, want 400", id, resp.Status)
		}
	}
	next := events(t, s.open(t, "GET", "", "Accept: text/event-stream", session))
	s.ask(t, "POST", call("change", ""))
	expect(t, next, `0_1|{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`)
}

// TestLostConnection: a session's call goes on when its client is gone, and
// its events are there when the client comes back.
func TestLostConnection(t *testing.T) {
	s := serve(t)
	session := s.session(t, "2025-06-18")
	resp := s.open(t, "POST", call("wait", token), both, session)
	expect(t, events(t, resp), "1_1|"+progress(1, "waiting"))
	_ = resp.Body.Close() // the client is gone
	again := s.open(t, "GET", "", "Accept: text/event-stream", "Last-Event-ID: 1_0", session)
	next := events(t, again)
	expect(t, next, "1_1|"+progress(1, "waiting"))
	s.ask(t, "POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, session)
	expect(t, next, "end") // cancelled: nothing more is said
}

// TestAsk: a tool's question goes out on its stream, the answer comes by
// another POST; a stateless client is asked by a result.
func TestAsk(t *testing.T) {
	s := serve(t)
	session := s.session(t, "2025-06-18")
	next := events(t, s.open(t, "POST", call("ask", ""), both, session))
	expect(t, next, `1_1|{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"Who?","requestedSchema":{"type":"object","properties":{}}}}`)
	other := s.session(t, "2025-06-18")
	if resp, _ := s.ask(t, "POST", `{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"name":"forged"}}}`, other); resp.StatusCode != 202 {
		t.Errorf("an answer in another session: %s", resp.Status)
	}
	if resp, _ := s.ask(t, "POST", `{"jsonrpc":"2.0","id":1,"result":{"action":"accept"}}`, session); resp.StatusCode != 202 {
		t.Errorf("the answer: %s", resp.Status)
	}
	expect(t, next, `1_2|{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"action\":\"accept\"}"}]}}`, "end")

	body := strings.Replace(call("ask", ","+meta), `clientCapabilities":{}`, `clientCapabilities":{"elicitation":{}}`, 1)
	if _, got := s.ask(t, "POST", body, both, modern, "Mcp-Method: tools/call", "Mcp-Name: ask"); !strings.Contains(got, `"resultType":"input_required"`) {
		t.Errorf("modern: %s", got)
	}
	resp, got := s.ask(t, "POST", call("ask", ","+meta), both, modern, "Mcp-Method: tools/call", "Mcp-Name: ask")
	if resp.StatusCode != 400 || !strings.Contains(got, "-32021") {
		t.Errorf("modern without the capability: %d %s", resp.StatusCode, got)
	}
}

// TestChanges reach a session's own stream and listens, and only those who
// asked for them.
func TestChanges(t *testing.T) {
	s := serve(t)
	session := s.session(t, "2025-06-18")
	older := events(t, s.open(t, "GET", "", "Accept: text/event-stream", session))
	own := events(t, s.open(t, "GET", "", "Accept: text/event-stream", session))
	expect(t, older, "end") // the newer GET replaces it
	listen := func(id, filter string) func() string {
		next := events(t, s.open(t, "POST", `{"jsonrpc":"2.0","id":`+id+`,"method":"subscriptions/listen","params":{"notifications":`+filter+`,`+meta+`}}`,
			both, modern, "Mcp-Method: subscriptions/listen"))
		expect(t, next, `|{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":`+filter+`,"_meta":{"io.modelcontextprotocol/subscriptionId":`+id+`}}}`)
		return next
	}
	resources := listen("7", `{"resourcesListChanged":true}`)
	tools := listen(`"t"`, `{"toolsListChanged":true}`)
	s.ask(t, "POST", call("change", ""))
	expect(t, own, `0_1|{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`)
	expect(t, resources, `|{"jsonrpc":"2.0","method":"notifications/resources/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7}}}`)

	last, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	s.endpoint.Shutdown(last)
	expect(t, resources, `|{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":7}}}`, "end")
	expect(t, tools, `|{"jsonrpc":"2.0","id":"t","result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":"t"}}}`, "end")
	expect(t, own, "end")
	if resp, _ := s.ask(t, "POST", call("say", token), both); resp.StatusCode != 503 {
		t.Errorf("what may stream, after the end: %s", resp.Status)
	}
	if resp, _ := s.ask(t, "POST", ping, both); resp.StatusCode != 200 {
		t.Errorf("what was half sent, after the end: %s", resp.Status)
	}
}

// TestShutOut: a caller who would not be let in any more hears nothing further
// on streams that are open, whether something happens or not.
func TestShutOut(t *testing.T) {
	for name, keepAlive := range map[string]time.Duration{"changes": time.Minute, "silence": 20 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(cfg *streamable.Config) { cfg.KeepAlive = keepAlive })
			own := events(t, s.open(t, "GET", "", "Accept: text/event-stream", s.session(t, "2025-06-18")))
			listen := events(t, s.open(t, "POST", `{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{"notifications":{"resourcesListChanged":true},`+meta+`}}`,
				both, modern, "Mcp-Method: subscriptions/listen"))
			listen() // that it listens
			s.auth.shut.Store(true)
			if name == "changes" {
				s.ask(t, "POST", call("change", ""))
			}
			expect(t, own, "end")
			expect(t, listen, "end")
		})
	}
}

// TestFewerRights: a session hears what it may by the rights with which it was
// begun, so one who has fewer by now has to begin another.
func TestFewerRights(t *testing.T) {
	s := serve(t)
	const less = "Authorization: anna with less"
	broad, narrow := s.session(t, "2025-06-18"), s.session(t, "2025-06-18", less)
	tests := []struct {
		name    string
		headers []string
		want    int
	}{
		{"all rights, in their session", []string{broad}, 200},
		{"few rights, in their session", []string{narrow, less}, 200},
		{"all rights, in the session of few", []string{narrow}, 200},
		{"few rights, in the session of all", []string{broad, less}, 404},
	}
	for _, tc := range tests {
		if resp, got := s.ask(t, "POST", ping, tc.headers...); resp.StatusCode != tc.want {
			t.Errorf("%s: %d %s, want %d", tc.name, resp.StatusCode, got, tc.want)
		}
	}
	if resp, _ := s.ask(t, "GET", "", broad, less, "Accept: text/event-stream"); resp.StatusCode != 404 {
		t.Errorf("few rights, the stream of all: %d, want 404", resp.StatusCode)
	}
}

// TestTimeout: a call without a sign of life ends; what it says tells how to
// keep it going.
func TestTimeout(t *testing.T) {
	s := serve(t, func(cfg *streamable.Config) {
		cfg.Timeout = 50 * time.Millisecond
		cfg.Barrier = func(ctx context.Context) error { return ctx.Err() } // the record has time of its own
	})
	resp, got := s.ask(t, "POST", call("wait", ""))
	if resp.StatusCode != 200 || !strings.Contains(got, "took longer than 50ms") {
		t.Errorf("got %d %s", resp.StatusCode, got)
	}
}

// TestBarrier: nothing leaves that could not be recorded; of a batch, not even
// when its last request failed anyhow.
func TestBarrier(t *testing.T) {
	s := serve(t, func(cfg *streamable.Config) {
		cfg.Barrier = func(ctx context.Context) error {
			if err := ctx.Err(); err != nil {
				t.Errorf("the wait for the record was cut short: %v", err)
			}
			return errors.New("the disk is full")
		}
	})
	echo := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"unrecorded"}}}`
	unknown := `{"jsonrpc":"2.0","id":2,"method":"nope"}`
	for _, body := range []string{echo, "[" + echo + "," + unknown + "]", "[" + unknown + "," + echo + "]"} {
		if _, got := s.ask(t, "POST", body); strings.Contains(got, "unrecorded") || !strings.Contains(got, "-32603") {
			t.Errorf("%s: %s, want -32603 instead of the result", body, got)
		}
	}
}

// TestBody: sizes are bounded whether the client states them or not.
func TestBody(t *testing.T) {
	s := serve(t, func(cfg *streamable.Config) { cfg.MaxBody = 100 })
	long := `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", 100) + `"}}`
	if resp, got := s.ask(t, "POST", long); resp.StatusCode != 413 || !strings.Contains(got, "100 bytes") {
		t.Errorf("stated: %d %s", resp.StatusCode, got)
	}
	req, err := http.NewRequestWithContext(t.Context(), "POST", s.URL, io.MultiReader(strings.NewReader(long)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 413 {
		t.Errorf("not stated: %s", resp.Status)
	}
}

// TestNotificationsRunNothing: a call without an id is an unknown notification, in a
// batch too. It is not run and not charged.
func TestNotificationsRunNothing(t *testing.T) {
	s := serve(t)
	session := s.session(t, "2025-03-26")
	own := events(t, s.open(t, "GET", "", "Accept: text/event-stream", session))
	change := `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"change","arguments":{}}}`
	if _, got := s.ask(t, "POST", `[`+change+`,`+change+`,`+ping+`]`, session); got != `[`+pong+`]` {
		t.Errorf("got %s", got)
	}
	s.ask(t, "POST", call("echo", ""), session)
	s.ask(t, "DELETE", "", session)
	expect(t, own, "end") // the list was not changed
}

// TestTakeOver: a client that lost the session's stream gets it back though the
// server has not noticed yet; one that never had it does not.
func TestTakeOver(t *testing.T) {
	s := serve(t)
	session := s.session(t, "2025-06-18")
	first := events(t, s.open(t, "GET", "", "Accept: text/event-stream", session))
	s.ask(t, "POST", call("change", ""))
	const changed = `|{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`
	expect(t, first, "0_1"+changed)
	second := events(t, s.open(t, "GET", "", "Accept: text/event-stream", session, "Last-Event-ID: 0_1"))
	expect(t, first, "end")
	s.ask(t, "POST", call("change", ""))
	expect(t, second, "0_2"+changed)
	third := events(t, s.open(t, "GET", "", "Accept: text/event-stream", session))
	expect(t, second, "end")
	s.ask(t, "POST", call("change", ""))
	got := third()
	if got == "0_2"+changed { // again: whether the old connection had it is not known
		got = third()
	}
	if got != "0_3"+changed {
		t.Errorf("got %s, want 0_3%s", got, changed)
	}
}

// TestTooManyStreams: a stream that is refused leaves nothing behind.
func TestTooManyStreams(t *testing.T) {
	s := serve(t, func(cfg *streamable.Config) { cfg.MaxStreams = 1 })
	listen := `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + meta + `}}`
	headers := []string{both, modern, "Mcp-Method: subscriptions/listen"}
	first := events(t, s.open(t, "POST", listen, headers...))
	first()
	for range 20 {
		if resp, _ := s.ask(t, "POST", listen, headers...); resp.StatusCode != 429 {
			t.Fatalf("another stream: %s", resp.Status)
		}
	}
	if n := s.endpoint.Listens(); n != 1 {
		t.Errorf("%d listens are kept, want 1", n)
	}
}

// TestCORS: only listed origins get the headers.
func TestCORS(t *testing.T) {
	s := serve(t, func(cfg *streamable.Config) { cfg.Origins = []string{"https://app.example.com"} })
	preflight := []string{"Origin: https://app.example.com", "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization, mcp-param-region"}
	resp, _ := s.ask(t, "OPTIONS", "", preflight...)
	if resp.StatusCode != 204 || resp.Header.Get("Access-Control-Allow-Origin") != "https://app.example.com" ||
		!strings.Contains(resp.Header.Get("Access-Control-Allow-Headers"), "mcp-param-region") {
		t.Errorf("preflight: %s %v", resp.Status, resp.Header)
	}
	if resp, _ := s.ask(t, "POST", ping, preflight[0]); resp.StatusCode != 200 || resp.Header.Get("Access-Control-Expose-Headers") == "" {
		t.Errorf("listed: %s %v", resp.Status, resp.Header)
	}
	if resp, _ := s.ask(t, "POST", ping, "Origin: http://localhost:1"); resp.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("not listed: %v", resp.Header)
	}
}
