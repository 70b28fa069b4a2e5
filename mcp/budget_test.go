package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// frugal is a server that keeps little: each subscription below costs 228 bytes
// of the budget, 128 and those of its URI.
func frugal(t *testing.T) *mcp.Server {
	t.Helper()
	s, err := mcp.New(mcp.Config{Name: "test", Version: "1", StateMemory: 1000, StateMemoryTotal: 1500}, house())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func longURI(i int) string { return fmt.Sprintf("house://%092d", i) } // of 100 bytes

// TestSubscriptionsAreBounded fills the budget of one client, then that of all,
// and gets it back when subscriptions and sessions end.
func TestSubscriptionsAreBounded(t *testing.T) {
	s := frugal(t)
	join := func(who string) *mcp.Handler {
		h := s.Bind(host.Caller{Principal: host.Principal{ID: who}, Connection: true, Send: newWire()}, nil)
		initialize(t, h, "2025-11-25", "{}")
		return h
	}
	subscribe := func(h *mcp.Handler, i int, want string) {
		t.Helper()
		if got := ask(t, h, "resources/subscribe", `{"uri":"`+longURI(i)+`"}`); !strings.Contains(got, want) {
			t.Errorf("subscription %d: got %s, want %q", i, got, want)
		}
	}
	a, b := join("a"), join("b")
	for i := range 4 {
		subscribe(a, i, "{}")
	}
	subscribe(a, 3, "{}") // it has that one
	subscribe(a, 4, `"code":-32602`)
	subscribe(join("a"), 4, `"code":-32602`) // the budget is that of the principal
	subscribe(b, 0, "{}")
	subscribe(b, 1, "{}")
	subscribe(b, 2, "for all clients together") // 6 × 228 = 1368
	ask(t, a, "resources/unsubscribe", `{"uri":"`+longURI(0)+`"}`)
	ask(t, a, "resources/unsubscribe", `{"uri":"`+longURI(0)+`"}`)
	subscribe(b, 2, "{}")
	if got, want := int(s.StateUsage().Used), 6*228; got != want {
		t.Errorf("%d bytes are kept, want %d", got, want)
	}
	initialize(t, a, "2025-06-18", "{}") // begins anew
	b.End(t.Context())
	if got := int(s.StateUsage().Used); got != 0 {
		t.Errorf("%d bytes are kept after the end", got)
	}
	subscribe(b, 0, "has ended")
}

// TestListensAreBounded opens listen requests until the budget is used up, by
// the resources they name and by their ids.
func TestListensAreBounded(t *testing.T) {
	s := frugal(t)
	h := s.Bind(host.Caller{Principal: host.Principal{ID: "a"}, Connection: true, Send: newWire()}, nil)
	listen := func(id, list string) error {
		_, err := h.Handle(t.Context(), &jsonrpc.Request{
			ID: jsonrpc.StringID(id), Method: "subscriptions/listen",
			Params: []byte(`{"notifications":{"resourceSubscriptions":[` + list + `]},` + claim + `}`),
		}, nil)
		return err
	}
	code := func(err error) jsonrpc.Code {
		if rpc, ok := errors.AsType[*jsonrpc.Error](err); ok {
			return rpc.Code
		}
		return 0
	}
	if err := listen("l1", `"`+longURI(1)+`","`+longURI(2)+`"`); !errors.Is(err, jsonrpc.ErrNoAnswer) {
		t.Fatalf("listen: %v, want no answer", err)
	}
	before := int(s.StateUsage().Used)
	for _, tt := range []struct {
		name, id, list string
		want           jsonrpc.Code
	}{
		{"more than the budget", "l2", `"` + longURI(1) + `","` + longURI(2) + `","` + longURI(3) + `"`, -32602},
		{"a long id", strings.Repeat("i", 1000), "", -32602},
		{"an id in use", "l1", "", -32600},
		{"more URIs than a session may watch", "l2", `"u"` + strings.Repeat(`,"u"`, 10_000), -32602},
		{"no strings", "l2", "1", -32602},
	} {
		if err := listen(tt.id, tt.list); code(err) != tt.want {
			t.Errorf("%s: got %v, want %d", tt.name, err, tt.want)
		}
	}
	if got := int(s.StateUsage().Used); got != before || got < 2*228 {
		t.Errorf("%d bytes are kept, want %d", got, before)
	}
	h.Preempt(&jsonrpc.Request{Method: "notifications/cancelled", Params: []byte(`{"requestId":"l1"}`)})
	if got := int(s.StateUsage().Used); got != 0 {
		t.Errorf("%d bytes are kept after the end", got)
	}
	h.End(t.Context())
	if err := listen("l3", ""); !errors.Is(err, jsonrpc.ErrClosed) {
		t.Errorf("listen after the end: %v, want %v", err, jsonrpc.ErrClosed)
	}
}

// TestNamesAreBounded sends names of 256 bytes.
func TestNamesAreBounded(t *testing.T) {
	_, h, _ := connect(t, host.Local())
	long := strings.Repeat("n", 256)
	for method, params := range map[string]string{
		"tools/call":  `{"name":"` + long + `",` + claim + `}`,
		"prompts/get": `{"name":"` + long + `",` + claim + `}`,
		"tasks/get":   `{"taskId":"` + long + `",` + withTasks + `}`,
	} {
		s, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, sleeper(), &mcp.Table{Family: "p", Prompts: []mcp.Prompt{{Name: "p"}}})
		if err != nil {
			t.Fatal(err)
		}
		got := ask(t, s.Bind(host.Caller{}, nil), method, params)
		if !strings.Contains(got, `"code":-32602`) || !strings.Contains(got, "255 bytes") {
			t.Errorf("%s answered %s", method, got)
		}
	}
	if got := ask(t, h, strings.Repeat("m", 1<<20), ""); len(got) > 1000 {
		t.Errorf("an unknown method of 1 MiB is answered with %d bytes", len(got))
	}
}

// TestListChangesReachWhoMaySeeTheList changes the resources of one table of
// two: a client that may read the other one only hears nothing.
func TestListChangesReachWhoMaySeeTheList(t *testing.T) {
	watch := make(chan mcp.Changes, 1)
	shared := func(family string, scope mcp.Scope) *mcp.Table {
		return &mcp.Table{Family: family, Changing: mcp.CapabilityResources, Resources: []mcp.ResourceSource{{Scheme: family, Scope: scope}}}
	}
	house, garden := shared("house", "house:read"), shared("garden", "garden:read")
	house.Watch = func(ctx context.Context, changes mcp.Changes) error {
		watch <- changes
		<-ctx.Done()
		return nil
	}
	s, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, house, garden)
	if err != nil {
		t.Fatal(err)
	}
	wires := map[mcp.Scope]*wire{}
	for _, scope := range []mcp.Scope{"house:read", "garden:read"} {
		w := newWire()
		wires[scope] = w
		h := s.Bind(host.Caller{Principal: host.Principal{ID: string(scope), Scopes: []mcp.Scope{scope}}, Connection: true, Send: w}, nil)
		initialize(t, h, "2025-11-25", "{}")
		listen := jsonrpc.Request{
			ID: jsonrpc.StringID("l"), Method: "subscriptions/listen",
			Params: []byte(`{"notifications":{"resourcesListChanged":true},` + claim + `}`),
		}
		if _, err := h.Handle(t.Context(), &listen, nil); !errors.Is(err, jsonrpc.ErrNoAnswer) {
			t.Fatal(err)
		}
		<-w.arrived // the acknowledgement
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	(<-watch).ResourcesChanged()
	<-wires["house:read"].arrived // to the session
	<-wires["house:read"].arrived // to the listen request
	s.Changes().ResourcesChanged()
	for range 2 { // what comes first is the change of all lists
		<-wires["house:read"].arrived
		<-wires["garden:read"].arrived
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	for scope, want := range map[mcp.Scope]int{"house:read": 5, "garden:read": 3} {
		if got := wires[scope].messages(); len(got) != want {
			t.Errorf("%s heard %q, want %d messages", scope, got, want)
		}
	}
}

// TestResultBeyondTheBudgetFailsItsTask has a task whose result is larger than
// what may be kept.
func TestResultBeyondTheBudgetFailsItsTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := mcp.New(mcp.Config{Name: "test", Version: "1", StateMemory: 10_000}, sleeper())
		if err != nil {
			t.Fatal(err)
		}
		b := &bedside{server: s, handler: s.Bind(host.Caller{Principal: host.Principal{ID: "key_1"}}, nil)}
		id := b.nap(t, `{"ms":1100,"size":20000}`).ID
		time.Sleep(time.Second)
		if got := b.get(t, id); got.Status != "failed" || got.Error == nil || got.Error.Code != -32603 {
			t.Errorf("got %+v, want a failed task with -32603", got)
		}
		if kept := int(s.StateUsage().Used); kept == 0 || kept > 10_000 {
			t.Errorf("%d bytes are kept", kept)
		}
		s.Forget("key_1")
		if kept := int(s.StateUsage().Used); kept != 0 {
			t.Errorf("%d bytes are kept after the principal was forgotten", kept)
		}
	})
}
