package browser_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/conformance/internal/need"
	"github.com/triptych-mcp/triptych/conformance/internal/sdk"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// A run holds the parameters of node/pages.mjs, or of node/login.mjs.
type run struct {
	Chromium string   `json:"chromium"`
	Link     string   `json:"link,omitempty"`
	Pages    []string `json:"pages,omitempty"`
	URL      string   `json:"url,omitempty"`
	Links    []string `json:"links,omitempty"`
	Pictures string   `json:"pictures"`
}

// The pages of one of two servers of a store have no violations, and all that is in them can be
// read and done.
func TestConsole(t *testing.T) {
	chromium := need.Program(t, "chromium")
	sdk.InstallNode(t, "node")
	program := filepath.Join(t.TempDir(), "triptych")
	command(t, "../..", "go", "build", "-o", program, "./cmd/triptych")
	t.Setenv("TRIPTYCH_DATA", t.TempDir())
	store := "redis://" + valkeytest.Start(t, "--appendonly", "yes").Addr
	t.Setenv("TRIPTYCH_STORE", store)
	fill(t, program)
	url, key := serve(t, program, "--server-name", "first")
	other, _ := serve(t, program, "--server-name", "second", "--data", t.TempDir())
	beginSession(t, other, key)
	awaitSessions(t, store)
	id := strings.TrimSpace(keyID(t, program))
	link := strings.TrimSpace(command(t, ".", program, "console", "--url", url, "--key", key))
	look(t, "pages.mjs", run{Chromium: chromium, Link: link, Pictures: pictures(t), Pages: []string{
		"/", "/rules", "/rules/python_style", "/rules/python_style/diff?from=1&to=2", "/rules/python_style/edit",
		"/rules/python_style/revisions/1", "/new", "/lint", "/behind?all=1", "/proposals", "/proposals/1", "/speeds", "/keys", "/keys/" + id, "/audit", "/sessions", "/debugger",
	}})
}

// look runs a program of the folder node, which prints what is wrong.
func look(t *testing.T, name string, asked run, env ...string) {
	t.Helper()
	text, err := json.Marshal(asked)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", name)
	cmd.Dir = "node"
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdin = bytes.NewReader(text)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v: %s", name, err, &complaint)
	}
	var wrong []string
	if err := json.Unmarshal(out, &wrong); err != nil {
		t.Fatal(err)
	}
	for _, text := range wrong {
		t.Error(text)
	}
}

// pictures returns the folder for screenshots, "" for none.
func pictures(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("TRIPTYCH_TEST_PICTURES")
	if folder == "" {
		return ""
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	return folder
}

// fill writes what the pages show.
func fill(t *testing.T, program string) {
	t.Helper()
	for _, text := range []string{"# Python\n\nUse `ruff`.\n\n| tool | use |\n| --- | --- |\n| ruff | lint |\n", "# Python\n\nUse `ruff` and `uv`.\n"} {
		args, err := json.Marshal(map[string]string{"name": "python_style", "description": "How we write Python", "markdown": text})
		if err != nil {
			t.Fatal(err)
		}
		tool := "create_ruleset"
		if strings.Contains(text, "uv") {
			tool = "update_ruleset"
		}
		command(t, ".", program, "call", tool, string(args))
	}
	command(t, ".", program, "rulesets", "label", "python_style", "production", "1")
	command(t, ".", program, "call", "create_ruleset", `{"name":"leaky","description":"d","markdown":"AKIAIOSFODNN7EXAMPLQ"}`)
	command(t, ".", program, "call", "apply_rulesets",
		`{"propose":true,"message":"why","operations":[{"op":"update","name":"python_style","markdown":"# Python\n\nUse `+"`uv`"+`.\n"}]}`)
	for _, run := range [][]string{{"1", "1", "quick", "900"}, {"1", "2", "quick", "1800"}, {"1", "1", "slow", "65000"}} {
		command(t, ".", program, append([]string{"aoc", "record"}, run...)...)
	}
	command(t, ".", program, "key", "create", "--name", "build-server", "--plan", "team")
}

// keyID returns the id of the newest key.
func keyID(t *testing.T, program string) string {
	t.Helper()
	var all []struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal([]byte(command(t, ".", program, "key", "list", "--json")), &all); err != nil {
		t.Fatal(err)
	}
	return all[len(all)-1].ID
}

// serve starts a server and returns its address and a key.
func serve(t *testing.T, program string, flags ...string) (url, key string) {
	t.Helper()
	key = strings.TrimSpace(command(t, ".", program, "key", "create", "--scopes",
		"rulesets:read,rulesets:propose,rulesets:write,rulesets:admin,aoc:read,audit:read,server:admin"))
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program, append([]string{"serve", "--listen", "127.0.0.1:0", "--consumers"}, flags...)...)
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(log)
	for url == "" {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("the server ended: %v", err)
		}
		url, _ = strings.CutPrefix(strings.TrimSpace(line), "triptych: serving ")
		if !strings.HasPrefix(url, "https://") {
			url = ""
		}
	}
	drained := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, lines) // so that it never waits for us
		close(drained)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended; the context of the test has
		<-drained
		if err := cmd.Wait(); err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return url, key
}

// beginSession begins a session of a client at a server.
func beginSession(t *testing.T, url, key string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"editor","version":"7"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, // of this test's own server
	}}
	defer client.CloseIdleConnections()
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := answer.Body.Close(); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatal(answer.Status, err)
	}
}

// awaitSessions waits until a server of the store has shown its sessions to the others.
func awaitSessions(t *testing.T, store string) {
	t.Helper()
	client := valkeytest.Client(t, store)
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		names, err := client.Keys(t.Context(), "triptych:server-sessions:*").Result()
		if err != nil {
			t.Fatal(err)
		}
		if len(names) > 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatal("no server shows its sessions")
		}
	}
}

// command runs a program that must succeed, and returns what it prints.
func command(t *testing.T, folder, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = folder
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %v: %v: %s", name, args, err, &complaint)
	}
	return string(out)
}
