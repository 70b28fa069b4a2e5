package interop_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// patience is how long one run may take.
const patience = time.Minute

// The programs of the clients.
const (
	typescript1 = "v1.mjs"
	typescript2 = "v2.mjs"
	golang      = "gosdk"
)

// A client is a program that speaks one revision.
type client struct {
	program  string
	mode     string // how it finds the revision; see node/v2.mjs
	ask      string // the revision it is told to use, "" when it finds it itself
	revision string // the revision that must be settled on
	starts   int    // how often it starts the server
}

var clients = []client{
	{program: typescript1, ask: "2024-11-05", revision: "2024-11-05", starts: 1},
	{program: typescript1, ask: "2025-03-26", revision: "2025-03-26", starts: 1},
	{program: typescript1, ask: "2025-06-18", revision: "2025-06-18", starts: 1},
	{program: typescript1, ask: "2025-11-25", revision: "2025-11-25", starts: 1},
	{program: typescript2, mode: "legacy", ask: "2024-11-05", revision: "2024-11-05", starts: 1},
	{program: typescript2, mode: "legacy", ask: "2025-03-26", revision: "2025-03-26", starts: 1},
	{program: typescript2, mode: "legacy", ask: "2025-06-18", revision: "2025-06-18", starts: 1},
	{program: typescript2, mode: "legacy", ask: "2025-11-25", revision: "2025-11-25", starts: 1},
	// The first server is asked for its revisions and thrown away.
	{program: typescript2, mode: "auto", revision: "2026-07-28", starts: 2},
	{program: typescript2, mode: "pin", ask: "2026-07-28", revision: "2026-07-28", starts: 2},
	{program: golang, ask: "2024-11-05", revision: "2024-11-05", starts: 1},
	{program: golang, ask: "2025-03-26", revision: "2025-03-26", starts: 1},
	{program: golang, ask: "2025-06-18", revision: "2025-06-18", starts: 1},
	{program: golang, ask: "2025-11-25", revision: "2025-11-25", starts: 1},
	{program: golang, revision: "2026-07-28", starts: 1},
}

func (c client) name() string {
	return strings.Join(slices.DeleteFunc([]string{strings.TrimSuffix(c.program, ".mjs"), c.mode, c.revision},
		func(s string) bool { return s == "" }), "-")
}

// A report is what a client prints at its end.
type report struct {
	Revision     string    `json:"revision"`
	Server       string    `json:"server"`
	Capabilities []string  `json:"capabilities"`
	Outcomes     []outcome `json:"outcomes"`
	Complaints   []string  `json:"complaints"` // whatever the SDK found wrong
}

func TestTypeScript(t *testing.T) {
	installNode(t)
	meet(t, func(program string) []string { return []string{"node", "node/" + program} }, typescript1, typescript2)
}

func TestGo(t *testing.T) {
	program := buildGoClient(t)
	meet(t, func(string) []string { return []string{program} }, golang)
}

// meet lets the clients of these programs speak with the server.
func meet(t *testing.T, command func(program string) []string, programs ...string) {
	t.Helper()
	server := buildServer(t)
	for _, c := range clients {
		if slices.Contains(programs, c.program) {
			t.Run(c.name(), func(t *testing.T) {
				t.Parallel()
				converse(t, c, command(c.program), server)
			})
		}
	}
}

// converse has one client take all steps. Another server has the same data
// folder open from before the first step until after the last.
func converse(t *testing.T, c client, command []string, server string) {
	data, recordings := t.TempDir(), t.TempDir()
	layPuzzle(t, data)
	serve := []string{server, "stdio", "--families", "rulesets,aoc", "--data", data, "--store", filepath.Join(data, "rulesets"), "--log-level", "warn"}
	other := neighbour(t, serve)
	if got, want := other(t), "No rulesets found"; got != want {
		t.Errorf("the other server begins with %q, want %q", got, want)
	}
	got := play(t, c, command, append([]string{tapped, recordings}, serve...))
	if diff := cmp.Diff(expected(c), got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("the report differs (-want +got):\n%s", diff)
	}
	checkRecordings(t, recordings, c.starts)
	if got, want := other(t), "Found 1 ruleset(s):\n\n"+entry("New style", ""); got != want {
		t.Errorf("the other server ends with %q, want %q", got, want)
	}
}

func layPuzzle(t *testing.T, data string) {
	t.Helper()
	folder := filepath.Join(data, "aoc", "instructions")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"Day01_phase1.md": "First half\n", "Day01_phase2.md": "Second half\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// expected is the report that a client must give.
func expected(c client) report {
	want := report{Revision: c.revision, Server: "triptych", Capabilities: []string{"logging", "prompts", "resources", "tools"}}
	if c.revision >= "2025-03-26" {
		want.Capabilities = append([]string{"completions"}, want.Capabilities...)
	}
	for _, s := range steps {
		want.Outcomes = append(want.Outcomes, s.want(c))
	}
	return want
}

// play runs the client, which starts this test's own program as its server; it
// listens in and passes everything on.
func play(t *testing.T, c client, command, args []string) (r report) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run, err := json.Marshal(map[string]any{"command": self, "args": args, "mode": c.mode, "revision": c.ask, "steps": steps})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], append(command[1:], string(run))...)
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &complaint, time.Second
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, &complaint)
	}
	if complaint.Len() > 0 {
		t.Errorf("standard error has:\n%s", &complaint)
	}
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatalf("%s: %v", &out, err)
	}
	for i := range r.Outcomes {
		r.Outcomes[i].Text = timeless(r.Outcomes[i].Text)
	}
	return r
}

var dates = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`)

func timeless(text string) string { return dates.ReplaceAllString(text, clock) }

// neighbour starts a server that stays until the test is over, and returns a
// function that asks it for the list of rulesets.
func neighbour(t *testing.T, serve []string) func(*testing.T) string {
	t.Helper()
	cmd := exec.Command(serve[0], serve[1:]...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	peer := jsonrpc.NewClient(out, in, jsonrpc.ClientConfig{})
	t.Cleanup(func() {
		_ = in.Close() // its end of input
		if err := cmd.Wait(); err != nil {
			t.Errorf("the other server ended with %v", err)
		}
		peer.Close()
	})
	return func(t *testing.T) string { return listRulesets(t, peer) }
}

func listRulesets(t *testing.T, peer *jsonrpc.Client) string {
	t.Helper()
	raw, err := peer.Call(t.Context(), "tools/call", object{"name": "list_rulesets", "arguments": object{}})
	if err != nil {
		t.Fatal(err)
	}
	var result struct{ Content []struct{ Text string } }
	if err := json.Unmarshal(raw, &result); err != nil || len(result.Content) != 1 {
		t.Fatalf("%s: %v", raw, err)
	}
	return timeless(result.Content[0].Text)
}
