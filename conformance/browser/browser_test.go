package browser_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A run holds the parameters of node/pages.mjs.
type run struct {
	Chromium string   `json:"chromium"`
	Link     string   `json:"link"`
	Pages    []string `json:"pages"`
	Pictures string   `json:"pictures"`
}

func TestConsole(t *testing.T) {
	chromium := needs(t, "chromium")
	installNode(t)
	program := filepath.Join(t.TempDir(), "triptych")
	command(t, "../..", "go", "build", "-o", program, "./cmd/triptych")
	data := t.TempDir()
	t.Setenv("TRIPTYCH_DATA", data)
	fill(t, program)
	url, key := serve(t, program)
	id := strings.TrimSpace(keyID(t, program))
	link := strings.TrimSpace(command(t, ".", program, "console", "--url", url, "--key", key))
	pictures := os.Getenv("TRIPTYCH_TEST_PICTURES")
	if pictures != "" {
		if err := os.MkdirAll(pictures, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	asked, err := json.Marshal(run{Chromium: chromium, Link: link, Pictures: pictures, Pages: []string{
		"/", "/rules", "/rules/python_style", "/rules/python_style/diff?from=1&to=2", "/rules/python_style/edit",
		"/rules/python_style/revisions/1", "/new", "/lint", "/behind?all=1", "/speeds", "/keys", "/keys/" + id, "/audit", "/sessions", "/debugger",
	}})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "pages.mjs")
	cmd.Dir = "node"
	cmd.Stdin = bytes.NewReader(asked)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("pages.mjs: %v: %s", err, &complaint)
	}
	var wrong []string
	if err := json.Unmarshal(out, &wrong); err != nil {
		t.Fatal(err)
	}
	for _, text := range wrong {
		t.Error(text)
	}
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
func serve(t *testing.T, program string) (url, key string) {
	t.Helper()
	key = strings.TrimSpace(command(t, ".", program, "key", "create", "--scopes",
		"rulesets:read,rulesets:write,rulesets:admin,aoc:read,audit:read,server:admin"))
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program, "serve", "--listen", "127.0.0.1:0", "--consumers")
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

// needs returns the path of a program; without it the test is skipped.
func needs(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		unavailable(t, program, err, nil)
	}
	return path
}

// installNode installs what package-lock.json names, unless that was done. The stamp is
// written last, so an incomplete installation is repeated.
func installNode(t *testing.T) {
	t.Helper()
	needs(t, "node")
	needs(t, "npm")
	lock, err := os.ReadFile("node/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(lock)
	want, stamp := []byte(hex.EncodeToString(sum[:])), "node/node_modules/.installed"
	if got, err := os.ReadFile(stamp); err == nil && bytes.Equal(got, want) {
		return
	}
	cmd := exec.CommandContext(t.Context(), "npm", "ci", "--ignore-scripts")
	cmd.Dir = "node"
	if out, err := cmd.CombinedOutput(); err != nil {
		unavailable(t, "axe", err, out)
	}
	if err := os.WriteFile(stamp, want, 0o644); err != nil {
		t.Fatal(err)
	}
}

// unavailable skips the test when a program cannot be had, but not where CI is set:
// there a test that does not run must not go unnoticed.
func unavailable(t *testing.T, what string, err error, out []byte) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("%s cannot be had: %v\n%s", what, err, out)
	}
	t.Skipf("%s cannot be had: %v\n%s", what, err, out)
}
