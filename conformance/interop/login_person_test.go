package interop_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/triptych-mcp/triptych/conformance/internal/binary"
	"github.com/triptych-mcp/triptych/conformance/internal/person"
	"github.com/triptych-mcp/triptych/conformance/internal/sdk"
)

// TestGatewayLogsIn has mcp-remote, through which Claude Desktop and others reach servers, log in
// from nothing, list the tools, and list them again by a new process after a restart of the
// server, without asking the person again.
func TestGatewayLogsIn(t *testing.T) {
	sdk.InstallNode(t, "node")
	server, err := binary.Build()
	if err != nil {
		t.Fatal(err)
	}
	data, addr := t.TempDir(), freePort(t)
	key := keyIn(t, server, data, "--name", "ann")
	first := serveAt(t, server, data, addr, "--oauth")
	g := &gateway{owner: owner{key, filepath.Join(data, "tls", "cert.pem")}, url: "https://" + addr + "/mcp", folder: t.TempDir()}
	if got := g.listTools(t); !strings.Contains(got, `"tools":[{`) || g.asked != 1 {
		t.Fatalf("from nothing: %.300s, %d pages", got, g.asked)
	}
	_ = first.Process.Signal(syscall.SIGTERM)
	_ = first.Wait() // it ends
	serveAt(t, server, data, addr, "--oauth")
	if got := g.listTools(t); !strings.Contains(got, `"tools":[{`) || g.asked != 1 {
		t.Errorf("after a restart: %.300s, %d pages", got, g.asked)
	}
}

// A gateway is mcp-remote with a folder in which it stores its tokens.
type gateway struct {
	owner
	url, folder string
	asked       int // pages that the person had to answer
}

// answer answers a page and goes where the browser is sent.
func (g *gateway) answer(ctx context.Context, page string) error {
	to, err := g.allow(ctx, page)
	if err != nil {
		return err
	}
	answered, err := http.Get(to)
	if err != nil {
		return err
	}
	return answered.Body.Close()
}

// listTools starts the gateway, answers the page that it opens, and returns its answer to
// tools/list.
func (g *gateway) listTools(t *testing.T) string {
	t.Helper()
	cmd := exec.Command("node", "node/node_modules/mcp-remote/dist/proxy.js", g.url)
	cmd.Env = append(withoutCookie(t), "NODE_EXTRA_CA_CERTS="+g.certificate, "MCP_REMOTE_CONFIG_DIR="+g.folder, "BROWSER=true")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	startKilled(t, cmd)
	defer func() { _ = cmd.Process.Kill() }()
	connected := make(chan struct{}, 1)
	go func() {
		defer close(connected) // also when it ends
		for lines := bufio.NewScanner(log); lines.Scan(); {
			if page, ok := strings.CutPrefix(lines.Text(), "https://"); ok && strings.Contains(page, "/oauth/authorize?") {
				g.asked++
				if err := g.answer(t.Context(), "https://"+page); err != nil {
					t.Error(err)
				}
			}
			if strings.Contains(lines.Text(), "Proxy established successfully") {
				connected <- struct{}{}
				break
			}
		}
		_, _ = io.Copy(io.Discard, log) // so that it never waits for a reader
	}()
	<-connected // or the gateway has ended, which the answers show
	answers := bufio.NewReader(out)
	ask := func(message string) (answer string) {
		_, _ = io.WriteString(in, message+"\n") // what it answers is read
		answer, err := answers.ReadString('\n')
		if err != nil {
			t.Fatalf("the gateway ends: %v", err)
		}
		return answer
	}
	ask(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"desktop","version":"1"}}}`)
	_, _ = io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n") // likewise
	got := ask(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	_ = in.Close()
	return got
}

// An owner has a key and a browser that trusts a certificate.
type owner struct{ key, certificate string }

// allow answers a page, and returns where the browser is sent.
func (o owner) allow(ctx context.Context, page string) (to string, err error) {
	return person.Allow(ctx, page, o.key, o.certificate)
}

// TestGoLogsIn has the Go SDK log in from nothing; its token works after a restart of the server,
// and ends with the key.
func TestGoLogsIn(t *testing.T) {
	goClient := sdk.BuildGo(t, "gosdk")
	server, err := binary.Build()
	if err != nil {
		t.Fatal(err)
	}
	data, addr := t.TempDir(), freePort(t)
	ann := owner{keyIn(t, server, data, "--name", "ann"), filepath.Join(data, "tls", "cert.pem")}
	first := serveAt(t, server, data, addr, "--oauth")
	c := restarting{login: true}
	ask := c.start(t, []string{goClient}, "https://"+addr+"/mcp", "", ann.certificate)
	one := func(line string) attempt {
		t.Helper()
		got := ask(line)
		if len(got) != 1 {
			t.Fatalf("%+v", got)
		}
		return got[0]
	}
	to, err := ann.allow(t.Context(), one("").Page)
	if err != nil {
		t.Fatal(err)
	}
	if got := one(to + "\n"); got.Tools == 0 {
		t.Fatalf("from nothing: %+v", got)
	}
	_ = first.Process.Signal(syscall.SIGTERM)
	_ = first.Wait() // it ends
	serveAt(t, server, data, addr, "--oauth")
	if got := one("again\n"); got.Tools == 0 {
		t.Errorf("after a restart: %+v", got)
	}
	if out, err := exec.CommandContext(t.Context(), server, "key", "revoke", "ann", "--data", data).CombinedOutput(); err != nil {
		t.Fatalf("key revoke: %v %s", err, out)
	}
	if got := one("last\n"); got.Page == "" {
		t.Errorf("after the key was revoked: %+v, want another page", got)
	}
}
