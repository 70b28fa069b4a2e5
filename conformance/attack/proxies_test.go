package attack_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/conformance/internal/need"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// A proxy is a program that stands before the server and shares its connections
// among clients.
type proxy struct {
	name   string
	config string // with FRONT, BACK and DIR in place of addresses and a folder
	args   []string
}

var proxies = []proxy{
	{"haproxy", `
global
	maxconn 1000
defaults
	mode http
	timeout connect 5s
	timeout client 30s
	timeout server 30s
	http-reuse always
listen all
	bind FRONT
	server one BACK
`, []string{"-db", "-f", "CONFIG"}},
	{"nginx", `
daemon off;
master_process off;
pid DIR/pid;
error_log DIR/error.log;
events {}
http {
	access_log off;
	client_body_temp_path DIR/body; proxy_temp_path DIR/proxy; fastcgi_temp_path DIR/fastcgi;
	uwsgi_temp_path DIR/uwsgi; scgi_temp_path DIR/scgi;
	upstream back { server BACK; keepalive 4; }
	server {
		listen FRONT;
		location / { proxy_pass http://back; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $host; }
	}
}
`, []string{"-p", "DIR", "-e", "DIR/error.log", "-c", "CONFIG"}},
}

// TestProxies sends requests that may hide others through proxies, beside two users
// whose requests go over the same connections to the server. Each user gets the
// answers to its own requests, whatever else does.
func TestProxies(t *testing.T) {
	for _, p := range proxies {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			need.Program(t, p.name)
			data := t.TempDir()
			_, token := key(t, data)
			s := start(t, data, "--plain-http", "--proxy", "127.0.0.1")
			p.before(t, s)
			var users sync.WaitGroup
			ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
			defer users.Wait()
			defer stop()
			var mu sync.Mutex
			answered := 0
			for _, name := range []string{"of_anna", "of_eve"} {
				_, own := key(t, data)
				c := s.client(t, own, "", false)
				c.post(t, create(name)).is(t, "create_ruleset", 200, 0)
				users.Go(func() {
					n := asks(ctx, t, c, name)
					mu.Lock()
					answered += n
					mu.Unlock()
				})
			}
			hidden := s.whole(token, create("smuggled"))
			for range times(2, 40) {
				for _, tc := range s.ambiguous(token, hidden) {
					conn := s.dial(t)
					write(conn, tc.text)
					_, _ = answers(t, conn, 50*time.Millisecond, 50*time.Millisecond) // what the proxy makes of it is its own business
					_ = conn.Close()                                                  // it may be closed already
				}
			}
			stop()
			users.Wait()
			t.Logf("%d answers beside %d ambiguous requests", answered, times(2, 40)*len(s.ambiguous(token, hidden)))
			if answered < 100 {
				t.Errorf("%d answers, want some beside each request", answered)
			}
		})
	}
}

// full reports whether attacks are made with the numbers of the report that they
// come from; the short form shows the same with fewer.
func full() bool { return os.Getenv("TRIPTYCH_TEST_ATTACK") == "full" }

// times returns one of two numbers.
func times(short, long int) int {
	if full() {
		return long
	}
	return short
}

// before starts the proxy before the server, whose address is then the proxy's.
func (p proxy) before(t *testing.T, s *server) {
	t.Helper()
	dir, front := t.TempDir(), valkeytest.FreeAddr(t)
	fill := strings.NewReplacer("FRONT", front, "BACK", s.addr, "DIR", dir, "CONFIG", filepath.Join(dir, "config"))
	if err := os.WriteFile(filepath.Join(dir, "config"), []byte(fill.Replace(p.config)), 0o600); err != nil {
		t.Fatal(err)
	}
	var args []string
	for _, arg := range p.args {
		args = append(args, fill.Replace(arg))
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), p.name, args...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()         // that it was killed is known
		if t.Failed() {
			t.Logf("%s wrote: %.2000s", p.name, &said)
		}
	})
	eventually(t, patience, func() bool {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", front)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
	s.addr, s.url = front, "http://"+front+"/mcp"
}

// asks asks for a user's own ruleset until ctx is done, and returns how often it was
// answered. A proxy may answer itself that it could not; no answer may be of
// another request.
func asks(ctx context.Context, t *testing.T, c *client, name string) (n int) {
	for id := 1; ctx.Err() == nil; id++ {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":"%s-%d","method":"tools/call","params":{"name":"get_ruleset","arguments":{"name":%q}}}`, name, id, name)
		req, err := c.request(context.WithoutCancel(ctx), http.MethodPost, body)
		if err != nil {
			t.Error(err)
			return n
		}
		resp, err := c.Do(req)
		if err != nil {
			if !errors.Is(err, io.EOF) && !strings.Contains(err.Error(), "reset") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		text, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close() // it was read
		switch mine := fmt.Sprintf(`"id":"%s-%d"`, name, id); {
		case strings.Contains(string(text), "smuggled"), strings.Contains(string(text), `"id"`) && !strings.Contains(string(text), mine):
			t.Errorf("%s got %.300s, which is no answer to request %d", name, text, id)
		case resp.StatusCode == http.StatusOK && err == nil && strings.Contains(string(text), mine):
			n++
		case resp.StatusCode < 500:
			t.Errorf("%s got %s %.300s, %v", name, resp.Status, text, err)
		}
	}
	return n
}
