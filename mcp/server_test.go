package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// A wire records what a server sends of its own accord, and answers its
// requests from a table.
type wire struct {
	mu      sync.Mutex
	sent    []string
	arrived chan string
	answers map[string]string
}

func newWire() *wire { return &wire{arrived: make(chan string, 100), answers: map[string]string{}} }

func (w *wire) Notify(_ context.Context, method string, params []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	message := method + " " + string(params)
	w.sent = append(w.sent, message)
	w.arrived <- message
	return nil
}

func (w *wire) Call(_ context.Context, method string, params []byte) ([]byte, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent = append(w.sent, method+" "+string(params))
	return []byte(w.answers[method]), nil
}

func (w *wire) messages() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.sent...)
}

type greetArgs struct {
	Name string `json:"name" doc:"Whom to greet"`
}

type greeting struct {
	Text_ string `json:"text"`
}

func (g greeting) Text() string { return g.Text_ }

type noArgs struct{}

// house is a table with one of everything.
func house() *mcp.Table {
	return &mcp.Table{
		Family: "house",
		Documented: &mcp.Documented{
			Identity:     mcp.Implementation{Name: "houseMCP", Version: "1.0.0"},
			Capabilities: mcp.CapabilityTools | mcp.CapabilityResources,
		},
		Changing:    mcp.CapabilityTools | mcp.CapabilityResources,
		ModelErrors: []jsonrpc.Code{-32007},
		Tools: []mcp.Tool{
			{
				Name: "house/greet", Title: "Greet", Doc: "Greet somebody", Scope: "house:read", Hints: mcp.ReadOnly,
				Call: mcp.Typed(func(_ context.Context, _ *mcp.Call, in greetArgs) (greeting, error) {
					return greeting{"Hello, " + in.Name}, nil
				}),
			},
			{
				Name: "house/fail", Doc: "Fail", Scope: "house:write",
				Call: mcp.Typed(func(context.Context, *mcp.Call, noArgs) (string, error) {
					return "", &jsonrpc.Error{Code: -32007, Message: "History unavailable", Data: []byte(`{"details":"nothing is recorded"}`)}
				}),
			},
			{
				Name: "house/bytes", Doc: "Give bytes",
				Call: mcp.Typed(func(context.Context, *mcp.Call, noArgs) (*mcp.Result, error) {
					blob := mcp.Contents{URI: "house://bytes", MIMEType: "application/octet-stream", Blob: []byte("abc")}
					return &mcp.Result{Content: []mcp.Content{mcp.Embedded(blob)}}, nil
				}),
			},
			{Name: "house/ask", Doc: "Ask the user", Call: mcp.Typed(askName)},
			{
				Name: "house/progress", Doc: "Tell of progress",
				Call: mcp.Typed(func(ctx context.Context, call *mcp.Call, _ noArgs) (string, error) {
					call.Progress(ctx, 1, 2, "half")
					call.Progress(ctx, 1, 2, "no rise")
					call.Progress(ctx, 2, 2, "done")
					call.Log(ctx, mcp.LevelInfo, "house", "working")
					return "ok", nil
				}),
			},
		},
		Resources: []mcp.ResourceSource{{
			Scheme: "house", List: listRooms, Read: readRoom,
			Templates: []mcp.ResourceTemplate{{URITemplate: "house://{room}", Name: "room"}},
			Complete: func(context.Context, *mcp.Call, string, string, string, map[string]string) ([]string, int, error) {
				return []string{"hall", "kitchen"}, 2, nil
			},
		}},
	}
}

func askName(ctx context.Context, call *mcp.Call, _ noArgs) (string, error) {
	if kept, err := call.AskState(); err != nil {
		return "", err
	} else if kept != nil {
		return "kept " + string(kept), nil
	}
	answers, err := call.AskWithState(ctx, map[string]mcp.InputRequest{
		"user_name": mcp.Form("What is your name?", json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}}}`)),
	}, []byte("round one"))
	if err != nil {
		return "", err
	}
	return "answer " + string(answers["user_name"]), nil
}

const rooms = 1201 // more than two pages

func listRooms(_ context.Context, _ *mcp.Call, after string, limit int) ([]mcp.Resource, string, error) {
	from := 0
	if after != "" {
		if _, err := fmt.Sscanf(after, "%d", &from); err != nil {
			return nil, "", err
		}
	}
	var list []mcp.Resource
	for i := from; i < rooms && len(list) < limit; i++ {
		list = append(list, mcp.Resource{URI: fmt.Sprintf("house://room%d", i), Name: fmt.Sprintf("room%d", i)})
	}
	if from+len(list) == rooms {
		return list, "", nil
	}
	return list, fmt.Sprint(from + len(list)), nil
}

func readRoom(_ context.Context, _ *mcp.Call, uri string) ([]mcp.Contents, error) {
	if uri != "house://hall" {
		return nil, &mcp.ResourceNotFoundError{URI: uri, Baseline: -1, Message: "no such room"}
	}
	return []mcp.Contents{{URI: uri, MIMEType: "text/plain", Text: "a hall"}}, nil
}

// connect binds a client on a connection of its own.
func connect(t *testing.T, who host.Principal) (*mcp.Server, *mcp.Handler, *wire) {
	t.Helper()
	s, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, house())
	if err != nil {
		t.Fatal(err)
	}
	w := newWire()
	return s, s.Bind(host.Caller{Principal: who, Connection: true, Send: w}, nil), w
}

// ask sends one request and returns the member of the answer that is there:
// the result, or the error.
func ask(t *testing.T, h *mcp.Handler, method, params string) string {
	t.Helper()
	req := jsonrpc.Request{ID: jsonrpc.NumberID(7), Method: method}
	if params != "" {
		req.Params = []byte(params)
	}
	raw := jsonrpc.Answer(t.Context(), h, &req, nil)
	var answer struct{ Result, Error json.RawMessage }
	if err := json.Unmarshal(raw, &answer); err != nil {
		t.Fatalf("answer %s: %v", raw, err)
	}
	if answer.Error != nil {
		return string(answer.Error)
	}
	return string(answer.Result)
}

func same(t *testing.T, got, want string) {
	t.Helper()
	var g, w any
	if err := json.Unmarshal([]byte(got), &g); err != nil {
		t.Fatalf("got %s: %v", got, err)
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatalf("want %s: %v", want, err)
	}
	if diff := cmp.Diff(w, g); diff != "" {
		t.Errorf("answer differs (-want +got):\n%s", diff)
	}
}

func initialize(t *testing.T, h *mcp.Handler, version, capabilities string) {
	t.Helper()
	got := ask(t, h, "initialize", `{"protocolVersion":"`+version+`","capabilities":`+capabilities+`,"clientInfo":{"name":"c","version":"1"}}`)
	if !strings.Contains(got, `"protocolVersion":"`+version+`"`) {
		t.Fatalf("initialize %s answered %s", version, got)
	}
	h.Preempt(&jsonrpc.Request{Method: "notifications/initialized"})
}

const claim = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`

func TestBaselineInitializeIsAsDocumented(t *testing.T) {
	_, h, _ := connect(t, host.Local())
	same(t, ask(t, h, "initialize", `{}`), `{"protocolVersion":"2024-11-05",
		"capabilities":{"resources":{"subscribe":false,"listChanged":false},"tools":{}},
		"serverInfo":{"name":"houseMCP","version":"1.0.0"}}`)
}

// TestNegotiation follows the lifecycle rules: a legacy version that is served
// is answered, anything else gets the newest legacy one.
func TestNegotiation(t *testing.T) {
	for asked, want := range map[string]string{
		"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-06-18": "2025-06-18",
		"2025-11-25": "2025-11-25", "2026-07-28": "2025-11-25", "1999-01-01": "2025-11-25", "": "2025-11-25",
	} {
		_, h, _ := connect(t, host.Local())
		got := ask(t, h, "initialize", `{"protocolVersion":"`+asked+`","capabilities":{}}`)
		if !strings.Contains(got, `"protocolVersion":"`+want+`"`) {
			t.Errorf("asked %q, got %s, want %s", asked, got, want)
		}
	}
}

func TestToolNamesFollowTheRevision(t *testing.T) {
	for _, tc := range []struct{ version, name string }{
		{"", "house/greet"}, {"2024-11-05", "house/greet"}, {"2025-03-26", "house_greet"}, {"2025-11-25", "house_greet"},
	} {
		_, h, _ := connect(t, host.Local())
		if tc.version != "" {
			initialize(t, h, tc.version, "{}")
		}
		if got := ask(t, h, "tools/list", ""); !strings.Contains(got, `{"name":"`+tc.name+`"`) {
			t.Errorf("%s lists %s, want %s", tc.version, got, tc.name)
		}
		for _, spelling := range []string{"house/greet", "house_greet"} {
			got := ask(t, h, "tools/call", `{"name":"`+spelling+`","arguments":{"name":"Ann"}}`)
			if !strings.Contains(got, `"text":"Hello, Ann"`) {
				t.Errorf("%s: calling %s gives %s", tc.version, spelling, got)
			}
		}
	}
}

func TestStructuredContentFromItsRevisionOn(t *testing.T) {
	for version, want := range map[string]bool{"2025-03-26": false, "2025-06-18": true, "2025-11-25": true} {
		_, h, _ := connect(t, host.Local())
		initialize(t, h, version, "{}")
		called := ask(t, h, "tools/call", `{"name":"house_greet","arguments":{"name":"Ann"}}`)
		listed := ask(t, h, "tools/list", "")
		if strings.Contains(called, "structuredContent") != want || strings.Contains(listed, "outputSchema") != want {
			t.Errorf("%s: call %s\nlist %s", version, called, listed)
		}
	}
}

func TestModernResultsCarryTheirTypeAndServer(t *testing.T) {
	_, h, _ := connect(t, host.Local())
	same(t, ask(t, h, "tools/call", `{"name":"house_greet","arguments":{"name":"Ann"},`+claim+`}`),
		`{"content":[{"type":"text","text":"Hello, Ann"}],"structuredContent":{"text":"Hello, Ann"},"resultType":"complete",
		"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"test","version":"1"}}}`)
	same(t, ask(t, h, "resources/read", `{"uri":"house://hall",`+claim+`}`),
		`{"contents":[{"uri":"house://hall","mimeType":"text/plain","text":"a hall"}],"resultType":"complete","ttlMs":0,
		"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"test","version":"1"}}}`)
}

func TestModernRequestsAreChecked(t *testing.T) {
	_, h, _ := connect(t, host.Local())
	const version = `"io.modelcontextprotocol/protocolVersion"`
	for _, tc := range []struct{ name, method, params, want string }{
		{
			"unknown version", "tools/list", `{"_meta":{` + version + `:"v999.0.0","io.modelcontextprotocol/clientCapabilities":{}}}`,
			`{"code":-32022,"message":"Unsupported protocol version: v999.0.0","data":{"supported":["2026-07-28"],"requested":"v999.0.0"}}`,
		},
		{
			"no capabilities", "tools/list", `{"_meta":{` + version + `:"2026-07-28"}}`,
			`{"code":-32602,"message":"Invalid params: _meta[\"io.modelcontextprotocol/clientCapabilities\"] must be an object","data":{"details":"_meta[\"io.modelcontextprotocol/clientCapabilities\"] must be an object"}}`,
		},
		{"removed method", "ping", `{` + claim + `}`, `{"code":-32601,"message":"Method not found: ping"}`},
		{"modern method without a claim", "server/discover", `{}`, `{"code":-32601,"message":"Method not found: server/discover"}`},
	} {
		t.Run(tc.name, func(t *testing.T) { same(t, ask(t, h, tc.method, tc.params), tc.want) })
	}
}

func TestUnknownResourceByRevision(t *testing.T) {
	_, h, _ := connect(t, host.Local())
	same(t, ask(t, h, "resources/read", `{"uri":"house://attic"}`), `{"code":-1,"message":"no such room"}`)
	same(t, ask(t, h, "resources/read", `{"uri":"house://attic",`+claim+`}`),
		`{"code":-32602,"message":"no such room","data":{"uri":"house://attic"}}`)
	initialize(t, h, "2025-06-18", "{}")
	same(t, ask(t, h, "resources/read", `{"uri":"house://attic"}`),
		`{"code":-32002,"message":"no such room","data":{"uri":"house://attic"}}`)
}

func TestErrorsOfToolsByRevision(t *testing.T) {
	_, h, _ := connect(t, host.Local())
	const rpc = `{"code":-32007,"message":"History unavailable","data":{"details":"nothing is recorded"}}`
	same(t, ask(t, h, "tools/call", `{"name":"house/fail"}`), rpc)
	initialize(t, h, "2025-06-18", "{}")
	same(t, ask(t, h, "tools/call", `{"name":"house_fail"}`), strings.Replace(rpc, "unavailable", "unavailable: nothing is recorded", 1))
	initialize(t, h, "2025-11-25", "{}")
	same(t, ask(t, h, "tools/call", `{"name":"house_fail"}`), `{"isError":true,
		"content":[{"type":"text","text":"History unavailable: nothing is recorded"}],
		"_meta":{"io.github.triptych-mcp/error":{"code":-32007,"data":{"details":"nothing is recorded"}}}}`)
	same(t, ask(t, h, "tools/call", `{"name":"nope"}`), `{"code":-32602,"message":"Unknown tool: nope"}`)
}

func TestBytesByRevision(t *testing.T) {
	_, h, _ := connect(t, host.Local())
	same(t, ask(t, h, "tools/call", `{"name":"house/bytes"}`),
		`{"content":[{"type":"blob","blob":"YWJj","mimeType":"application/octet-stream"}]}`)
	initialize(t, h, "2024-11-05", "{}")
	same(t, ask(t, h, "tools/call", `{"name":"house/bytes"}`), `{"content":[{"type":"resource",
		"resource":{"uri":"house://bytes","mimeType":"application/octet-stream","blob":"YWJj"}}]}`)
}

func TestScopesHideAndRefuse(t *testing.T) {
	_, h, _ := connect(t, host.Principal{ID: "reader", Scopes: []mcp.Scope{"house:read"}})
	if got := ask(t, h, "tools/list", ""); strings.Contains(got, "house/fail") || !strings.Contains(got, "house/greet") {
		t.Errorf("a reader is shown %s", got)
	}
	same(t, ask(t, h, "tools/call", `{"name":"house/fail"}`), `{"code":-32003,"message":"Permission denied",
		"data":{"details":"this needs the scope house:write, which the key does not have","scope":"house:write"}}`)
}

func TestPagesJoinToTheWholeList(t *testing.T) {
	_, h, _ := connect(t, host.Local())
	seen, cursor := 0, ""
	for range 10 {
		var page struct {
			Resources []struct {
				URI string `json:"uri"`
			} `json:"resources"`
			NextCursor *string `json:"nextCursor"`
		}
		params := `{}`
		if cursor != "" {
			params = `{"cursor":"` + cursor + `"}`
		}
		if err := json.Unmarshal([]byte(ask(t, h, "resources/list", params)), &page); err != nil {
			t.Fatal(err)
		}
		for _, r := range page.Resources {
			if want := fmt.Sprintf("house://room%d", seen); r.URI != want {
				t.Fatalf("resource %d is %s, want %s", seen, r.URI, want)
			}
			seen++
		}
		if page.NextCursor == nil {
			break
		}
		cursor = *page.NextCursor
	}
	if seen != rooms {
		t.Errorf("%d resources on all pages, want %d", seen, rooms)
	}
	_, other, _ := connect(t, host.Principal{ID: "somebody else"})
	if got := ask(t, other, "resources/list", `{"cursor":"`+cursor+`"}`); !strings.Contains(got, "-32602") {
		t.Errorf("somebody else's cursor gives %.80s", got)
	}
}

func TestLegacyClientIsAskedByRequest(t *testing.T) {
	_, h, w := connect(t, host.Local())
	w.answers["elicitation/create"] = `{"action":"accept","content":{"name":"Ann"}}`
	initialize(t, h, "2025-06-18", `{"elicitation":{}}`)
	same(t, ask(t, h, "tools/call", `{"name":"house_ask"}`), `{"content":[{"type":"text",
		"text":"answer {\"action\":\"accept\",\"content\":{\"name\":\"Ann\"}}"}]}`)
	initialize(t, h, "2025-06-18", `{}`)
	if got := ask(t, h, "tools/call", `{"name":"house_ask"}`); !strings.Contains(got, `"isError":true`) {
		t.Errorf("a client that cannot be asked gets %s", got)
	}
}

func TestModernClientIsAskedByResult(t *testing.T) {
	_, h, _ := connect(t, host.Local())
	var first struct{ ResultType, RequestState string }
	raw := ask(t, h, "tools/call", `{"name":"house_ask",`+claim+`}`)
	if err := json.Unmarshal([]byte(raw), &first); err != nil || first.ResultType != "input_required" {
		t.Fatalf("first answer %s, %v", raw, err)
	}
	answered := ask(t, h, "tools/call", `{"name":"house_ask","inputResponses":{"user_name":{"action":"accept"}},`+claim+`}`)
	if !strings.Contains(answered, `answer {\"action\":\"accept\"}`) {
		t.Errorf("answers without a state give %s", answered)
	}
	kept := ask(t, h, "tools/call", `{"name":"house_ask","requestState":"`+first.RequestState+`",`+claim+`}`)
	if !strings.Contains(kept, "kept round one") {
		t.Errorf("the state comes back as %s", kept)
	}
	for name, params := range map[string]string{
		"forged":  `{"name":"house_ask","requestState":"` + first.RequestState + `-TAMPERED",` + claim + `}`,
		"null":    `{"name":"house_ask","inputResponses":null,` + claim + `}`,
		"numbers": `{"name":"house_ask","inputResponses":{"user_name":1},` + claim + `}`,
	} {
		if got := ask(t, h, "tools/call", params); !strings.Contains(got, `"code":-32602`) && !strings.Contains(got, `input_required`) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestProgressAndLogsAreAskedFor(t *testing.T) {
	_, h, w := connect(t, host.Local())
	initialize(t, h, "2025-03-26", "{}")
	ask(t, h, "tools/call", `{"name":"house_progress"}`)
	if got := w.messages(); len(got) != 0 {
		t.Errorf("nobody asked, yet %q was sent", got)
	}
	ask(t, h, "logging/setLevel", `{"level":"info"}`)
	ask(t, h, "tools/call", `{"name":"house_progress","_meta":{"progressToken":"p"}}`)
	want := []string{
		`notifications/progress {"progressToken":"p","progress":1,"total":2,"message":"half"}`,
		`notifications/progress {"progressToken":"p","progress":2,"total":2,"message":"done"}`,
		`notifications/message {"level":"info","logger":"house","data":"working"}`,
	}
	if diff := cmp.Diff(want, w.messages()); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

func TestChangesReachSessionsAndListens(t *testing.T) {
	s, h, w := connect(t, host.Local())
	initialize(t, h, "2025-11-25", "{}")
	ask(t, h, "resources/subscribe", `{"uri":"house://hall"}`)
	listen := jsonrpc.Request{
		ID: jsonrpc.StringID("l1"), Method: "subscriptions/listen",
		Params: []byte(`{"notifications":{"resourceSubscriptions":["house://hall"],"toolsListChanged":true,"promptsListChanged":true},` + claim + `}`),
	}
	if _, err := h.Handle(t.Context(), &listen, nil); !errors.Is(err, jsonrpc.ErrNoAnswer) {
		t.Fatalf("listen ended with %v, want no answer", err)
	}
	const meta = `"_meta":{"io.modelcontextprotocol/subscriptionId":"l1"}`
	want := []string{
		`notifications/subscriptions/acknowledged {"notifications":{"toolsListChanged":true,"resourceSubscriptions":["house://hall"]},` + meta + `}`,
		`notifications/resources/updated {"uri":"house://hall"}`,
		`notifications/resources/updated {"uri":"house://hall",` + meta + `}`,
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	s.Changes().ResourceUpdated("house://hall")
	s.Changes().ResourceUpdated("house://attic")
	var got []string
	for range want {
		got = append(got, <-w.arrived)
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	h.Preempt(&jsonrpc.Request{Method: "notifications/cancelled", Params: []byte(`{"requestId":"l1"}`)})
	h.End(t.Context())
	if got := w.messages(); len(got) != len(want) {
		t.Errorf("after its cancellation the listen still got %q", got[len(want):])
	}
}

func TestBatchesByRevision(t *testing.T) {
	_, h, _ := connect(t, host.Local())
	ping := []jsonrpc.Request{{ID: jsonrpc.NumberID(1), Method: "ping"}}
	for _, tc := range []struct {
		version string
		allowed bool
	}{{"", true}, {"2024-11-05", true}, {"2025-03-26", true}, {"2025-06-18", false}, {"2025-11-25", false}} {
		if tc.version != "" {
			initialize(t, h, tc.version, "{}")
		}
		if err, _ := h.GuardBatch(ping); (err == nil) != tc.allowed {
			t.Errorf("%s: batch refused with %v", tc.version, err)
		}
	}
	initialize(t, h, "2025-03-26", "{}")
	if err, _ := h.GuardBatch([]jsonrpc.Request{{Method: "initialize"}}); err == nil {
		t.Error("initialize in a batch was taken")
	}
	if err, null := h.GuardBatch([]jsonrpc.Request{{Method: "tools/list", Params: []byte(`{` + claim + `}`)}}); err == nil || null {
		t.Error("a modern request in a batch was taken")
	}
}

func TestLanes(t *testing.T) {
	_, h, _ := connect(t, host.Local())
	for _, tc := range []struct{ method, params, want string }{
		{"tools/call", `{"name":"house/greet"}`, "house"},
		{"tools/call", `{"name":"nope"}`, ""},
		{"resources/read", `{"uri":"house://hall"}`, "house"},
		{"resources/list", ``, "house"},
		{"ping", ``, ""},
	} {
		if got := h.Sequence(&jsonrpc.Request{Method: tc.method, Params: []byte(tc.params)}); got != tc.want {
			t.Errorf("%s %s runs in lane %q, want %q", tc.method, tc.params, got, tc.want)
		}
	}
}

func TestNewReportsEveryMistake(t *testing.T) {
	twice := house()
	twice.Tools = append(twice.Tools, twice.Tools[0], mcp.Tool{Name: "empty"})
	_, err := mcp.New(mcp.Config{}, twice, house())
	for _, want := range []string{"tool house_greet", "empty has no handler", "family house", "scheme house"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("New says %v, want it to name %q", err, want)
		}
	}
}

// A badArgs has no schema, for a channel has no JSON form.
type badArgs struct {
	Wait chan int `json:"wait"`
}

// A type without a schema is found by Check; in a server it is the mistake of
// its own tool, and of lists that it would be in.
func TestTypesWithoutSchema(t *testing.T) {
	bad := &mcp.Table{Family: "bad", Tools: []mcp.Tool{{
		Name: "bad/wait", Call: mcp.Typed(func(context.Context, *mcp.Call, badArgs) (string, error) { return "", nil }),
	}}}
	const want = "tool bad/wait: mcp_test.badArgs.Wait: type chan int has no JSON form here"
	if err := mcp.Check(house(), bad); err == nil || err.Error() != want {
		t.Errorf("Check says %v, want %s", err, want)
	}
	if err := mcp.Check(house()); err != nil {
		t.Error(err)
	}
	s, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, house(), bad)
	if err != nil {
		t.Fatal(err)
	}
	h := s.Bind(host.Caller{Principal: host.Local()}, nil)
	for method, params := range map[string]string{"tools/list": "", "tools/call": `{"name":"bad/wait"}`} {
		answer, err := h.Handle(t.Context(), &jsonrpc.Request{Method: method, Params: []byte(params)}, nil)
		if err == nil && !strings.Contains(string(answer), `"isError":true`) {
			t.Errorf("%s answers %s", method, answer)
		}
	}
}
