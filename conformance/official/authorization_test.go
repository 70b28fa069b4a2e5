package official

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	program "github.com/triptych-mcp/triptych/conformance/internal/binary"
	"github.com/triptych-mcp/triptych/conformance/internal/person"
)

// authorizationChecks is the number of checks of the two scenarios for authorization servers,
// authorization-server-metadata-endpoint and authorization-code-grant.
const authorizationChecks = 3

// TestAuthorization runs the scenarios for authorization servers against the login of a server.
func TestAuthorization(t *testing.T) {
	node := install(t)
	triptych, err := program.Build()
	if err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	key, err := exec.CommandContext(t.Context(), triptych, "key", "create", "--data", data).Output()
	if err != nil {
		t.Fatal(err)
	}
	endpoint := login(t, triptych, data)
	issuer := strings.TrimSuffix(endpoint, "/mcp")
	port := freePort(t)
	cmd := exec.CommandContext(t.Context(), node, binary(t, "@modelcontextprotocol/conformance"), "authorization", "--url", issuer,
		"--client-id", register(t, issuer, "http://127.0.0.1:"+port+"/callback"), "--resource", endpoint, "-p", port, "-o", t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	page := ""
	for lines := bufio.NewScanner(out); lines.Scan(); {
		said.WriteString(lines.Text() + "\n")
		if strings.HasPrefix(lines.Text(), issuer+"/oauth/authorize?") {
			page = lines.Text()
		}
		if page != "" && strings.HasPrefix(lines.Text(), "Callback server started") {
			allow(t, page, strings.TrimSpace(string(key)))
			page = ""
		}
	}
	err = cmd.Wait()
	if n := passed(t, []byte(said.String())); err != nil || n != authorizationChecks {
		t.Errorf("%v; %d checks passed, want %d\n%s", err, n, authorizationChecks, said.String())
	}
}

// login starts a server with a login and returns the URL of its endpoint.
func login(t *testing.T, triptych, data string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), triptych, "serve", "--plain-http", "--listen", "127.0.0.1:0", "--oauth", "--data", data)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		if url, ok := strings.CutPrefix(lines.Text(), "triptych: serving "); ok {
			drained := make(chan struct{})
			go func() {
				_, _ = io.Copy(io.Discard, log) // so that it never waits for a reader
				close(drained)
			}()
			t.Cleanup(func() {
				<-drained // the context of the test has ended
				_ = cmd.Wait()
			})
			return url
		}
	}
	t.Fatal("the server ends without serving")
	return ""
}

// freePort returns a port that no program listens at.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// register registers the suite as a client and returns its id.
func register(t *testing.T, issuer, redirect string) string {
	t.Helper()
	resp, err := http.Post(issuer+"/oauth/register", "application/json", strings.NewReader(`{"client_name":"suite","redirect_uris":["`+redirect+`"]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var got struct {
		ID string `json:"client_id"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&got); err != nil || got.ID == "" {
		t.Fatalf("%s: %v", resp.Status, err)
	}
	return got.ID
}

// allow is the person with a key.
func allow(t *testing.T, page, key string) {
	t.Helper()
	to, err := person.Allow(t.Context(), page, key, "")
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Get(to)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close() // the suite has the answer
}
