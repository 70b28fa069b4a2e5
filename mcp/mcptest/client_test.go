package mcptest_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/mcp/mcptest"
)

// A client is one of every revision, and of none before it says so.
func TestClientOfEveryRevision(t *testing.T) {
	for _, rev := range host.Revisions() {
		t.Run("revision "+rev.Name, func(t *testing.T) {
			c := mcptest.Connect(t, house(nil))
			if rev.Name != "" {
				info := string(c.Initialize(rev.Name))
				if !strings.Contains(info, `"`+rev.Name+`"`) {
					t.Errorf("the server says %s, want revision %s", info, rev.Name)
				}
			}
			got := c.Call("house/greet", greetArgs{"Ann"})
			if got.Text != "Hello, Ann" || got.IsError || got.Err != nil || len(got.Content) != 1 {
				t.Errorf("got %v with %d items", got, len(got.Content))
			}
			if structured := got.Structured != nil; structured != rev.Has(host.Structured) {
				t.Errorf("structured content %s", got.Structured)
			}
			if modern := strings.Contains(string(got.Raw), `"resultType"`); modern != rev.Modern {
				t.Errorf("the result is %s, modern should be %v", got.Raw, rev.Modern)
			}
		})
	}
}

func TestCallFails(t *testing.T) {
	c := mcptest.Connect(t, house(nil))
	for _, tc := range []struct {
		name, arguments, want string
	}{
		{"the tool says so", `{"name":"nobody"}`, "tool error: nobody is here"},
		{"with a code", `{"name":"ghost"}`, "error -32007: No history"},
		{"no argument", ``, `error -32602: Invalid params: missing required argument "name"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var arguments any
			if tc.arguments != "" {
				arguments = json.RawMessage(tc.arguments)
			}
			if got := c.Call("house_greet", arguments).String(); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func TestListsArePutTogether(t *testing.T) {
	c := mcptest.Connect(t, house(nil))
	c.Initialize(mcptest.Newest())
	for what, want := range map[string]int{"tools": 1, "resources": rooms, "resources/templates": 1} {
		if got := len(c.List(what)); got != want {
			t.Errorf("%s: got %d, want %d", what, got, want)
		}
	}
}

func TestRead(t *testing.T) {
	c := mcptest.Connect(t, house(nil))
	c.Initialize(mcptest.Newest())
	got, err := c.Read("house://hall")
	want := []mcptest.Contents{{URI: "house://hall", MIMEType: "image/png", Blob: []byte{0, 255}}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v, contents (-want +got):\n%s", err, diff)
	}
	if _, err := c.Read("house://attic"); err == nil || err.Message != "there is no attic" {
		t.Errorf("got error %v, want that there is no attic", err)
	}
}

func TestPrincipalHasItsScopesOnly(t *testing.T) {
	cfg := mcptest.Config{Principal: host.Principal{ID: "key", Scopes: []mcp.Scope{"house:write"}}}
	c := cfg.Connect(t, house(nil))
	if got := c.Call("house/greet", greetArgs{"Ann"}); got.Err == nil || got.Err.Code != -32003 {
		t.Errorf("got %v, want error -32003", got)
	}
	if got := c.List("tools"); len(got) != 0 {
		t.Errorf("listed %s, want nothing", got)
	}
}

// The server asks, the client answers.
func TestAnswer(t *testing.T) {
	ask := &mcp.Table{Family: "desk", Tools: []mcp.Tool{{Name: "ask", Doc: "Ask", Call: mcp.Typed(askName)}}}
	for _, tc := range []struct {
		name   string
		answer func(string, json.RawMessage) (any, error)
		want   string
	}{
		{"an answer", func(method string, _ json.RawMessage) (any, error) {
			return map[string]any{"action": "accept", "content": map[string]any{"method": method}}, nil
		}, `"method":"elicitation/create"`},
		{"a refusal", func(string, json.RawMessage) (any, error) { return nil, errors.New("busy") }, ""},
		{"nobody there", nil, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cfg := mcptest.Config{Capabilities: json.RawMessage(`{"elicitation":{}}`), Answer: tc.answer}
			c := cfg.Connect(t, ask)
			c.Initialize("2025-06-18")
			got := c.Call("ask", nil)
			if answered := got.Err == nil && !got.IsError; answered != (tc.want != "") || !strings.Contains(got.Text, tc.want) {
				t.Errorf("got %v, want it to have %s", got, tc.want)
			}
		})
	}
}

// A change is heard of without the real clock, and everything ends with the
// test: a bubble with a goroutine left would not.
func TestHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		doorbell := make(chan struct{})
		c := mcptest.Connect(t, house(doorbell))
		c.Initialize("2025-11-25")
		c.List("resources") // the server has read that we are ready
		doorbell <- struct{}{}
		if got, want := c.Notification().Method, "notifications/resources/list_changed"; got != want {
			t.Errorf("heard %s, want %s", got, want)
		}
	})
}

// What goes wrong fails the test that asked.
func TestFailures(t *testing.T) {
	for _, tc := range []struct {
		name string
		test func(w *checker)
		want string
	}{
		{"a table of no handler", func(w *checker) {
			mcptest.Connect(w, &mcp.Table{Family: "x", Tools: []mcp.Tool{{Name: "x"}}})
		}, "tool x has no handler"},
		{"a revision of another world", func(w *checker) { mcptest.Connect(w, house(nil)).Initialize("1999-01-01") }, `no revision "1999-01-01"`},
		{"a method of no revision", func(w *checker) { mcptest.Connect(w, house(nil)).List("dreams") }, "dreams/list"},
		{"params that are no object", func(w *checker) {
			c := mcptest.Connect(w, house(nil))
			c.Initialize(mcptest.Newest())
			_, _ = c.Ask("tools/list", []int{1}) // it does not return
		}, "params: "},
		{"a silent server", func(w *checker) {
			c := mcptest.Connect(w, house(nil))
			w.stop()
			c.Notification()
		}, "no notification arrived"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newChecker()
			told := strings.Join(w.try(func() { tc.test(w) }), "\n")
			if !strings.Contains(told, tc.want) {
				t.Errorf("told %q, want %q", told, tc.want)
			}
		})
	}
}
