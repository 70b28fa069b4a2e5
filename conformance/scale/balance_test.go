//go:build unix

package scale_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/conformance/internal/need"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// balancers are the proxies, with the configurations that docs/clusters.md shows.
var balancers = []struct {
	name  string
	block string // the language of its block in the document
	args  []string
}{
	{"haproxy", "haproxy", []string{"-db", "-f", "CONFIG"}},
	{"nginx", "nginx", []string{"-p", "DIR", "-e", "DIR/error.log", "-c", "CONFIG"}},
}

// documented returns the block of the document in a language.
func documented(t *testing.T, language string) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/clusters.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), "```"+language+"\n")
	block, _, end := strings.Cut(rest, "```")
	if !ok || !end {
		t.Fatalf("docs/clusters.md has no block %s", language)
	}
	return block
}

// balance starts a proxy before servers, as the document says, and returns its URL.
func balance(t *testing.T, which int, servers ...*server) string {
	t.Helper()
	b := balancers[which]
	need.Program(t, b.name)
	front, dir := valkeytest.FreeAddr(t), t.TempDir()
	config := documented(t, b.block)
	for i, s := range servers {
		config = strings.ReplaceAll(config, fmt.Sprintf("10.0.0.%d:8443", i+1), s.addr)
	}
	// On one machine there is no certificate and no port 443.
	config = strings.NewReplacer(
		"bind :443 ssl crt /etc/haproxy/triptych.pem", "bind "+front,
		"listen 443 ssl;", "listen "+front+";",
		"ssl_certificate /etc/nginx/triptych.crt;", "", "ssl_certificate_key /etc/nginx/triptych.key;", "",
		"/var/lib/nginx", dir, "/var/log/nginx", dir, "/run/nginx.pid", dir+"/pid",
	).Replace(config)
	file := filepath.Join(dir, "config")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	var args []string
	for _, arg := range b.args {
		args = append(args, strings.NewReplacer("CONFIG", file, "DIR", dir).Replace(arg))
	}
	daemon(t, b.name, args...)
	url := "http://" + front + "/mcp"
	until(t, patience, b.name+" serves", func() error {
		got, err := newCaller("none").send(t.Context(), url, `{}`)
		if err == nil && got.status != http.StatusUnauthorized {
			err = fmt.Errorf("status %d: %s", got.status, got.body)
		}
		return err
	})
	return url
}

const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"scale","version":"1"}}}`

// session begins a session and returns the caller of its requests.
func session(t *testing.T, token, url string) *caller {
	t.Helper()
	c := newCaller(token)
	c.header.Set("Accept", "application/json, text/event-stream")
	got, err := c.send(t.Context(), url, initialize)
	if err != nil || got.status != http.StatusOK || got.header.Get("Mcp-Session-Id") == "" {
		t.Fatalf("initialize: status %d, %v: %s", got.status, err, got.body)
	}
	c.header.Set("Mcp-Session-Id", got.header.Get("Mcp-Session-Id"))
	c.header.Set("Mcp-Protocol-Version", "2025-06-18")
	if got, err := c.send(t.Context(), url, `{"jsonrpc":"2.0","method":"notifications/initialized"}`); err != nil || got.status != http.StatusAccepted {
		t.Fatalf("initialized: status %d, %v: %s", got.status, err, got.body)
	}
	return c
}

// Sessions of the revisions that have them work at every server, behind proxies that
// send each request to another one, and end at all of them.
func TestSessionsAtAnyServer(t *testing.T) {
	t.Parallel()
	store := startNode(t)
	token := newKey(t, store.url())
	flags := []string{"--proxy", "127.0.0.1", "--server-name"}
	var servers []*server
	for _, name := range []string{"one", "two", "three"} {
		servers = append(servers, start(t, store.url(), append(flags, name)...))
	}
	for i := range balancers {
		t.Run(balancers[i].name, func(t *testing.T) {
			url := balance(t, i, servers...)
			c := session(t, token, url)
			for n := range 9 {
				if err := c.create(t.Context(), url, fmt.Sprintf("%s_%d", balancers[i].name, n)); err != nil {
					t.Error(err)
				}
			}
			other := newCaller(newKey(t, store.url()))
			other.header = c.header.Clone()
			if got, err := other.send(t.Context(), url, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); err != nil || got.status != http.StatusNotFound {
				t.Errorf("another key has the session: status %d, %v", got.status, err)
			}
			hears(t, c, servers, url)
			c.end(t, url)
			for _, s := range servers {
				until(t, patience, "the session ends", func() error {
					got, err := c.send(t.Context(), s.url(), `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
					if err == nil && got.status != http.StatusNotFound {
						err = fmt.Errorf("status %d at %s", got.status, s.addr)
					}
					return err
				})
			}
		})
	}
}

// end ends a session.
func (c *caller) end(t *testing.T, url string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = c.header.Clone()
	req.Header.Set("Authorization", "Bearer "+c.token)
	if got, err := c.do(req); err != nil || got.status != http.StatusNoContent {
		t.Errorf("DELETE: status %d, %v: %s", got.status, err, got.body)
	}
}

// hears opens the session's stream at the first server, subscribes to a resource at the
// second and changes it at the third.
func hears(t *testing.T, c *caller, servers []*server, url string) {
	t.Helper()
	name := fmt.Sprintf("watched_%d", time.Now().UnixNano())
	if err := c.create(t.Context(), url, name); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, servers[0].url(), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = c.header.Clone()
	req.Header.Set("Authorization", "Bearer "+c.token)
	resp, err := c.client.Do(req)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("GET: %v, %v", resp, err)
	}
	defer resp.Body.Close()
	var heard lockedBuffer
	var reading sync.WaitGroup
	reading.Go(func() {
		part := make([]byte, 4096)
		for {
			n, err := resp.Body.Read(part)
			_, _ = heard.Write(part[:n]) // never fails
			if err != nil {
				return
			}
		}
	})
	subscribe := `{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"ruleset://` + name + `"}}`
	if got, err := c.send(ctx, servers[1].url(), subscribe); err != nil || !strings.Contains(got.body, `"result"`) {
		t.Errorf("subscribe: %v: %s", err, got.body)
	}
	n := 0
	until(t, patience, "the update is heard at another server", func() error {
		n++
		if err := c.call(ctx, servers[2].url(), "update_ruleset", map[string]any{"name": name, "markdown": fmt.Sprint(n)}); err != nil {
			return err
		}
		time.Sleep(50 * time.Millisecond)
		if !strings.Contains(heard.String(), `"notifications/resources/updated"`) {
			return fmt.Errorf("heard %q", heard.String())
		}
		return nil
	})
	stop()
	reading.Wait()
}

// A debugger session belongs to one server. A call that arrives at another one is
// answered with the name of the first.
func TestDebuggerAtAnotherServer(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the debugger needs Linux")
	}
	store := startNode(t)
	token := newKey(t, store.url())
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	one := start(t, store.url(), "--families", "debugger", "--server-name", "one")
	two := start(t, store.url(), "--families", "debugger", "--server-name", "two")
	c := session(t, token, one.url())
	if err := c.call(t.Context(), one.url(), "debugger_launch", map[string]any{"path": sleep, "args": []string{"100"}}); err != nil {
		t.Fatal(err)
	}
	registers := `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"debugger_registers","arguments":{}}}`
	got, err := c.send(t.Context(), two.url(), registers)
	if err != nil || !strings.Contains(got.body, `"code":-32005`) || !strings.Contains(got.body, `server \"one\"`) {
		t.Errorf("status %d, %v: %s, want the name of the server", got.status, err, got.body)
	}
	if err := c.call(t.Context(), one.url(), "debugger_detach", map[string]any{}); err != nil {
		t.Error(err)
	}
	got, err = c.send(t.Context(), two.url(), registers)
	if err != nil || !strings.Contains(got.body, `"code":-32005`) || strings.Contains(got.body, "at the server") {
		t.Errorf("status %d, %v: %s, want no other server", got.status, err, got.body)
	}
}

// long reports whether the tests run in their long form.
func long() bool { return os.Getenv("TRIPTYCH_TEST_SCALE") == "long" }

// Servers are replaced one by one behind a proxy that does not try again. No call
// fails.
func TestRollingRestart(t *testing.T) {
	t.Parallel()
	store := startNode(t)
	token := newKey(t, store.url())
	var servers []*server
	for _, name := range []string{"one", "two", "three"} {
		servers = append(servers, start(t, store.url(), "--proxy", "127.0.0.1", "--drain-delay", "2s", "--server-name", name))
	}
	url := balance(t, 0, servers...)
	calls := 1000
	if long() {
		calls = 10_000
	}
	var failed, done atomic.Int64
	var calling sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	defer calling.Wait()
	defer stop()
	for range 4 {
		c := session(t, token, url)
		calling.Go(func() {
			for ctx.Err() == nil {
				err := c.list(t.Context(), url)
				if done.Add(1); err != nil {
					failed.Add(1)
					t.Logf("a call failed: %v", err)
				}
				time.Sleep(5 * time.Millisecond)
			}
		})
	}
	for round := 0; round == 0 || done.Load() < int64(calls); round++ {
		s := servers[round%len(servers)]
		s.end(t)
		s.launch(t)
		s.await(t)
		until(t, patience, "the server is ready", func() error {
			if got := get(t, "http://"+s.addr+"/readyz"); got != http.StatusOK {
				return fmt.Errorf("status %d", got)
			}
			return nil
		})
		time.Sleep(1500 * time.Millisecond) // the proxy sees it, too
	}
	stop()
	calling.Wait()
	t.Logf("%d calls, %d failed", done.Load(), failed.Load())
	if failed.Load() > 0 {
		t.Errorf("%d of %d calls failed", failed.Load(), done.Load())
	}
	var chains []struct{ Chain string }
	out, _, _ := run(t, servers[0].data, store.url(), "audit", "verify", "--json") // other servers' keys are not trusted
	if json.Unmarshal([]byte(out), &chains) != nil || len(chains) > len(servers)+1 {
		t.Errorf("%d chains, want one for each server and one for commands: %s", len(chains), out)
	}
}
