package interop_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/conformance/internal/binary"
	"github.com/triptych-mcp/triptych/conformance/internal/sdk"
)

// A restarting is a client whose server is started again.
type restarting struct {
	name    string
	mode    string   // of node/restart.mjs; "" is the client of the Go SDK
	gateway []string // the arguments of node; $url and $key stand for those of the server
	// attempts bounds the calls that it needs after kill -9, when it still holds a connection
	// that is dead: some do not send a request again by themselves.
	attempts int
	login    bool // it logs in by the page of the server
}

var restartings = []restarting{
	{"Go SDK", "", nil, 1, false},
	{"TypeScript SDK v1", "v1", nil, 1, false},
	{"TypeScript SDK v2", "legacy", nil, 1, false},
	{"TypeScript SDK v2, 2026-07-28", "auto", nil, 1, false},
	{"mcp-remote", "gateway", []string{"node/node_modules/mcp-remote/dist/proxy.js", "$url", "--header", "Authorization: Bearer $key"}, 2, false},
	{"supergateway", "gateway", []string{"node/node_modules/supergateway/dist/index.js", "--streamableHttp", "$url", "--oauth2Bearer", "$key"}, 2, false},
}

// TestRestart starts a server again on its data folder, after SIGTERM and after kill -9. Every
// client goes on in its session.
func TestRestart(t *testing.T) {
	sdk.InstallNode(t, "node")
	goClient := sdk.BuildGo(t, "gosdk")
	server, err := binary.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range restartings {
		for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
			t.Run(fmt.Sprintf("%s/%v", c.name, signal), func(t *testing.T) {
				t.Parallel()
				command := []string{"node", "node/restart.mjs"}
				if c.mode == "" {
					command = []string{goClient}
				}
				c.outlives(t, command, server, signal)
			})
		}
	}
}

// An attempt is one call of a client.
type attempt struct {
	Tools int
	Error string
	Asked int    // pages that the person had to answer, of login.mjs
	Page  string // that the person has to answer, of gosdk
}

func (c *restarting) outlives(t *testing.T, command []string, server string, signal syscall.Signal) {
	data := t.TempDir()
	key := keyIn(t, server, data)
	addr := freePort(t)
	first := serveAt(t, server, data, addr)
	ask := c.start(t, command, "https://"+addr+"/mcp", key, filepath.Join(data, "tls", "cert.pem"))
	before := ask("")
	if len(before) != 1 || before[0].Tools == 0 {
		t.Fatalf("before: %+v", before)
	}
	_ = first.Process.Signal(signal)
	_ = first.Wait() // after kill -9 it returns an error
	serveAt(t, server, data, addr)
	after := ask("again\n")
	allowed := 1
	if signal == syscall.SIGKILL {
		allowed = c.attempts
	}
	if n := len(after); n == 0 || n > allowed || after[n-1] != before[0] {
		t.Errorf("afterwards %+v, want %+v after %d attempts at most", after, before[0], allowed)
	}
}

// start starts the client. The function that it returns writes a line to it and reads what came
// of its next calls.
func (c *restarting) start(t *testing.T, command []string, url, key, certificate string) func(line string) []attempt {
	t.Helper()
	var gateway []string
	for _, arg := range c.gateway {
		gateway = append(gateway, strings.NewReplacer("$url", url, "$key", key).Replace(arg))
	}
	run, err := json.Marshal(map[string]any{"mode": c.mode, "url": url, "key": key, "gateway": gateway, "certificate": certificate, "restart": true, "login": c.login})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(command[0], append(command[1:], string(run))...)
	cmd.Env = append(withoutCookie(t), "NODE_EXTRA_CA_CERTS="+certificate)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	startKilled(t, cmd)
	lines := bufio.NewReader(out)
	return func(line string) (attempts []attempt) {
		t.Helper()
		_, _ = in.Write([]byte(line)) // what it answers is read
		text, err := lines.ReadString('\n')
		if err != nil || json.Unmarshal([]byte(text), &attempts) != nil {
			t.Fatalf("the client says %q, %v", text, err)
		}
		return attempts
	}
}

// startKilled starts a program that is killed when the test ends, or hangs.
func startKilled(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	killer := time.AfterFunc(2*patience, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() { killer.Stop(); _ = cmd.Process.Kill(); _ = cmd.Wait() }) // it may have ended
}

// serveAt starts a server that ends with the test, and waits until it serves.
func serveAt(t *testing.T, server, data, addr string, more ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(server, append(append([]string{"serve", "--listen", addr}, flags(data)...), more...)...)
	cmd.Env = withoutCookie(t)
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	startKilled(t, cmd)
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "triptych: serving ") {
			go func() {
				for lines.Scan() { // so that the pipe does not fill up
				}
			}()
			return cmd
		}
	}
	t.Fatalf("the server ends without serving at %s", addr)
	return nil
}

// freePort returns an address that no program listens at.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// keyIn makes a key in a data folder.
func keyIn(t *testing.T, server, data string, more ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), server, append([]string{"key", "create", "--data", data}, more...)...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("key create: %v", err)
	}
	return strings.TrimSpace(string(out))
}
