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

	"github.com/triptych-mcp/triptych/conformance/internal/binary"
	"github.com/triptych-mcp/triptych/conformance/internal/sdk"
	"github.com/triptych-mcp/triptych/jsonrpc"
)

// patience limits the time of one run.
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
	ask      string // the revision to use; "" to negotiate
	revision string // the revision that must be settled on
	starts   int    // how often it starts the server, over standard input and output
	provider bool   // it shows its key by the SDK's option for tokens, not that for headers
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
	{program: typescript2, mode: "pin", ask: "2026-07-28", revision: "2026-07-28", starts: 2, provider: true},
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

// A run holds the parameters of a client: by the command that starts
// a server, or at the address of one.
type run struct {
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`

	URL         string `json:"url,omitempty"`
	Certificate string `json:"certificate,omitempty"` // the file of what must be trusted
	Key         string `json:"key,omitempty"`
	Wrong       string `json:"wrong,omitempty"` // a key to be refused with first
	Provider    bool   `json:"provider,omitempty"`

	Mode     string `json:"mode"`
	Revision string `json:"revision"`
	Steps    []step `json:"steps"`
}

// A report is the output of a client.
type report struct {
	Revision     string    `json:"revision"`
	Server       string    `json:"server"`
	Capabilities []string  `json:"capabilities"`
	Outcomes     []outcome `json:"outcomes"`
	Complaints   []string  `json:"complaints"` // whatever the SDK found wrong
	visit
}

func TestTypeScript(t *testing.T) {
	sdk.InstallNode(t, "node")
	meet(t, func(program string) []string { return []string{"node", "node/" + program} }, typescript1, typescript2)
}

func TestGo(t *testing.T) {
	program := sdk.BuildGo(t, "gosdk")
	meet(t, func(string) []string { return []string{program} }, golang)
}

// meet lets the clients of these programs speak with the server, over each transport.
func meet(t *testing.T, command func(program string) []string, programs ...string) {
	t.Helper()
	server, err := binary.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range clients {
		if !slices.Contains(programs, c.program) {
			continue
		}
		t.Run("stdio/"+c.name(), func(t *testing.T) {
			t.Parallel()
			overStdio(t, c, command(c.program), server)
		})
		t.Run("https/"+c.name(), func(t *testing.T) {
			t.Parallel()
			overHTTPS(t, c, command(c.program), server)
		})
	}
}

// overStdio lets the client start this test's own program as its server, which
// listens in and passes everything on.
func overStdio(t *testing.T, c client, command []string, server string) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, recordings := layPuzzle(t), t.TempDir()
	serve := append([]string{server, "stdio"}, flags(data)...)
	converse(t, c, command, serve, run{Command: self, Args: append([]string{tapped, recordings}, serve...)})
	checkRecordings(t, recordings, c.starts)
}

// flags are passed to every server: two families, so that the lists stay
// as they are when another one comes, and all data in one folder.
func flags(data string) []string {
	return []string{"--families", "rulesets,aoc", "--data", data, "--store", filepath.Join(data, "rulesets"), "--log-level", "warn"}
}

// converse has one client take all steps. Another server, which the command
// serve starts, has the same data folder open from before the first step until
// after the last.
func converse(t *testing.T, c client, command, serve []string, r run) report {
	t.Helper()
	other := neighbour(t, serve)
	if got, want := other(t), "No rulesets found"; got != want {
		t.Errorf("the other server begins with %q, want %q", got, want)
	}
	r.Mode, r.Revision, r.Steps = c.mode, c.ask, steps
	got := play(t, command, r)
	if diff := cmp.Diff(expected(c), got, cmpopts.EquateEmpty(), cmpopts.IgnoreTypes(visit{})); diff != "" {
		t.Errorf("the report differs (-want +got):\n%s", diff)
	}
	if got, want := other(t), "Found 1 ruleset(s):\n\n"+entry("New style", ""); got != want {
		t.Errorf("the other server ends with %q, want %q", got, want)
	}
	return got
}

// layPuzzle makes a data folder with the puzzle of one day.
func layPuzzle(t *testing.T) string {
	t.Helper()
	data := t.TempDir()
	folder := filepath.Join(data, "aoc", "instructions")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"Day01_phase1.md": "First half\n", "Day01_phase2.md": "Second half\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return data
}

// expected is the report that a client must give.
func expected(c client) report {
	want := report{Revision: c.revision, Server: "triptych", Capabilities: []string{"extensions", "logging", "prompts", "resources", "tools"}}
	if c.revision >= "2025-03-26" {
		want.Capabilities = append([]string{"completions"}, want.Capabilities...)
	}
	for _, s := range steps {
		want.Outcomes = append(want.Outcomes, s.want(c))
	}
	return want
}

// play runs the client.
func play(t *testing.T, command []string, r run) (got report) {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], append(command[1:], string(text))...)
	cmd.Env = append(withoutCookie(t), "NODE_EXTRA_CA_CERTS="+r.Certificate)
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &complaint, time.Second
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, &complaint)
	}
	if complaint.Len() > 0 {
		t.Errorf("standard error has:\n%s", &complaint)
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("%s: %v", &out, err)
	}
	for i := range min(len(got.Outcomes), len(steps)) {
		o := &got.Outcomes[i]
		o.Text = timeless(o.Text)
		if part := steps[i].naming; part != "" {
			o.Text, o.Message = only(part, o.Text), only(part, o.Message)
		}
	}
	return got
}

// only returns the part instead of a text that contains it.
func only(part, text string) string {
	if strings.Contains(text, part) {
		return part
	}
	return text
}

// withoutCookie is the environment without the session cookie of Advent of Code that
// the user who runs the test may have: with it, the server would download.
func withoutCookie(t *testing.T) []string {
	t.Helper()
	return append(os.Environ(), "HOME="+t.TempDir(), "AOC_SESSION=", "ADVENT_OF_CODE_SESSION=")
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
