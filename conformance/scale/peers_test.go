//go:build unix

package scale_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// sleeper returns a program for debuggers that runs for long.
func sleeper(t *testing.T) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the debugger needs Linux")
	}
	path, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// peersOf starts servers that reach each other.
func peersOf(t *testing.T, store string, names ...string) (servers []*server) {
	t.Helper()
	for _, name := range names {
		servers = append(servers, start(t, store, "--families", "debugger,rulesets", "--server-name", name, "--peer-url", "http://ADDR"))
	}
	return servers
}

// A debugger session is reached from any server: calls are passed on to its own. When
// that is killed, the answer says so, and a new session begins elsewhere.
func TestDebuggerAtAnyServer(t *testing.T) {
	t.Parallel()
	program := sleeper(t)
	store := startNode(t)
	token := newKey(t, store.url())
	servers := peersOf(t, store.url(), "one", "two", "three")
	launch := map[string]any{"path": program, "args": []string{"1000"}}
	for _, c := range []*caller{newCaller(token), session(t, token, servers[0].url())} {
		if err := c.call(t.Context(), servers[0].url(), "debugger_launch", launch); err != nil {
			t.Fatal(err)
		}
		for n, s := range append(servers[1:], servers...) {
			if err := c.call(t.Context(), s.url(), "debugger_registers", map[string]any{}); err != nil {
				t.Errorf("call %d: %v", n, err)
			}
		}
		if err := c.call(t.Context(), servers[2].url(), "debugger_detach", map[string]any{"kill": true}); err != nil {
			t.Error(err)
		}
		refused(t, c, servers[1], "Not attached", "")
	}
	c := newCaller(token)
	if err := c.call(t.Context(), servers[1].url(), "debugger_launch", launch); err != nil {
		t.Fatal(err)
	}
	servers[1].kill()
	refused(t, c, servers[0], `the server \"two\"`, "cannot be reached")
	servers[1].launch(t)
	servers[1].await(t)
	for _, s := range servers {
		refused(t, c, s, "Not attached", `the server \"two\", which had the process of this session, has ended`)
	}
	if err := c.call(t.Context(), servers[2].url(), "debugger_launch", launch); err != nil {
		t.Fatal(err)
	}
	if err := c.call(t.Context(), servers[0].url(), "debugger_registers", map[string]any{}); err != nil {
		t.Error(err)
	}
	if err := c.call(t.Context(), servers[0].url(), "debugger_detach", map[string]any{"kill": true}); err != nil {
		t.Error(err)
	}
}

// refused fails the test unless a call for registers is refused with these parts.
func refused(t *testing.T, c *caller, s *server, parts ...string) {
	t.Helper()
	got, err := c.send(t.Context(), s.url(), `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"debugger_registers","arguments":{}}}`)
	for _, part := range parts {
		if err != nil || !strings.Contains(got.body, part) {
			t.Errorf("at %s: status %d, %v: %s, want %s", s.addr, got.status, err, got.body, part)
		}
	}
}

// Programs that are launched at several servers at once are all at one of them.
func TestLaunchesAtOnce(t *testing.T) {
	t.Parallel()
	program := sleeper(t)
	store := startNode(t)
	c := newCaller(newKey(t, store.url()))
	servers := peersOf(t, store.url(), "one", "two", "three")
	var launching sync.WaitGroup
	var launched atomic.Int64
	for n := range 3 {
		launching.Go(func() {
			if err := c.call(t.Context(), servers[n].url(), "debugger_launch", map[string]any{"path": program, "args": []string{"1000"}}); err != nil {
				t.Logf("launch: %v", err)
				return
			}
			launched.Add(1)
		})
	}
	launching.Wait()
	for _, s := range servers {
		got, err := c.send(t.Context(), s.url(), `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"debugger_sessions","arguments":{}}}`)
		if n := strings.Count(got.body, `dbg-`); err != nil || got.status != http.StatusOK || n < int(launched.Load()) {
			t.Errorf("at %s: status %d, %v: %s, want %d sessions", s.addr, got.status, err, got.body, launched.Load())
		}
	}
}

// The stream of a session's call goes on at another server from the last event that the
// client has got.
func TestStreamAtAnotherServer(t *testing.T) {
	t.Parallel()
	store := startNode(t)
	token := newKey(t, store.url())
	servers := peersOf(t, store.url(), "one", "two")
	c := session(t, token, servers[0].url())
	for n, s := range append(servers, servers...) {
		heard := c.listen(t, s.url(), "")
		name := fmt.Sprintf("streamed_%d", n)
		if err := c.create(t.Context(), servers[0].url(), name); err != nil {
			t.Fatal(err)
		}
		last := heard.next(t)
		heard.stop()
		if err := c.create(t.Context(), servers[1].url(), name+"_more"); err != nil {
			t.Fatal(err)
		}
		again := c.listen(t, servers[(n+1)%2].url(), last)
		if id := again.next(t); id == last || id[:13] != last[:13] {
			t.Errorf("after event %s came %s, want the next one of the same server", last, id)
		}
		again.stop()
	}
}

// A hearing is the stream of a session that a test reads.
type hearing struct {
	stop  func()
	lines *bufio.Scanner
}

// listen opens the stream of a session after an event.
func (c *caller) listen(t *testing.T, url, last string) *hearing {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = c.header.Clone()
	req.Header.Set("Authorization", "Bearer "+c.token)
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	var resp *http.Response
	until(t, patience, "the stream opens", func() error { // the server may not have seen the end of the last one
		if resp, err = c.client.Do(req); err == nil && resp.StatusCode != http.StatusOK {
			err = fmt.Errorf("status %d", resp.StatusCode)
			_ = resp.Body.Close()
		}
		return err
	})
	return &hearing{lines: bufio.NewScanner(resp.Body), stop: func() {
		cancel()
		_ = resp.Body.Close()
	}}
}

// next returns the id of the next event.
func (h *hearing) next(t *testing.T) string {
	t.Helper()
	for h.lines.Scan() {
		if id, ok := strings.CutPrefix(h.lines.Text(), "id: "); ok {
			return id
		}
	}
	t.Fatalf("the stream ends: %v", h.lines.Err())
	return ""
}

// modern sends a request of revision 2026-07-28 by a client that knows tasks, and returns
// what is in its answer.
func (c *caller) modern(t *testing.T, url, method, name, params string) (reply struct {
	Result struct {
		Status string
		TaskID string `json:"taskId"`
	}
}) {
	t.Helper()
	one := &caller{token: c.token, client: c.client, header: http.Header{
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {method}, "Mcp-Name": {name},
	}}
	const meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` +
		`{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`
	got, err := one.send(t.Context(), url, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+params+meta+`}}`)
	if err == nil {
		err = json.Unmarshal([]byte(got.body), &reply)
	}
	if err != nil || got.status != http.StatusOK || method == "tools/call" && reply.Result.TaskID == "" {
		t.Fatalf("%s: status %d, %v: %s", method, got.status, err, got.body)
	}
	return reply
}

// A task that was made at one server is read and cancelled at the others. When its server
// was killed, it has failed.
func TestTaskAtAnyServer(t *testing.T) {
	t.Parallel()
	program := sleeper(t)
	store := startNode(t)
	c := newCaller(newKey(t, store.url()))
	servers := peersOf(t, store.url(), "one", "two", "three")
	begin := func() (id string) {
		t.Helper()
		if err := c.call(t.Context(), servers[0].url(), "debugger_launch", map[string]any{"path": program, "args": []string{"1000"}}); err != nil {
			t.Fatal(err)
		}
		return c.modern(t, servers[1].url(), "tools/call", "debugger_continue", `"name":"debugger_continue","arguments":{"wait_ms":60000}`).Result.TaskID
	}
	status := func(s *server, id string) string {
		t.Helper()
		return c.modern(t, s.url(), "tasks/get", id, `"taskId":"`+id+`"`).Result.Status
	}
	id := begin()
	for _, s := range servers {
		if got := status(s, id); got != "working" {
			t.Errorf("the task is %q at %s", got, s.addr)
		}
	}
	c.modern(t, servers[2].url(), "tasks/cancel", id, `"taskId":"`+id+`"`)
	for _, s := range servers {
		until(t, patience, "the task is cancelled", func() error {
			if got := status(s, id); got != "cancelled" {
				return fmt.Errorf("it is %q at %s", got, s.addr)
			}
			return nil
		})
	}
	until(t, patience, "the call has ended", func() error {
		return c.call(t.Context(), servers[1].url(), "debugger_detach", map[string]any{"kill": true})
	})
	id = begin()
	servers[0].end(t)
	for _, s := range servers[1:] {
		if got := status(s, id); got != "failed" {
			t.Errorf("after the end of its server the task is %q at %s", got, s.addr)
		}
	}
}
