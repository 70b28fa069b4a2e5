package aoc

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/aoc/internal/personal"
	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// ask sends one baseline request to the family and returns the answer.
func ask(t *testing.T, b *Book, method, params string) string {
	t.Helper()
	now := func() time.Time { return noon }
	user := personal.Open(personal.Config{Dir: filepath.Join(b.dir, "personal", "local"), Getenv: func(string) string { return "" }, Now: now})
	table := (&tools{book: b, now: now, user: func(string) *User { return user }}).table()
	server, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, table)
	if err != nil {
		t.Fatal(err)
	}
	h := server.Bind(host.Caller{Principal: host.Local(), Connection: true}, nil)
	req := jsonrpc.Request{ID: jsonrpc.NumberID(1), Method: method, Params: []byte(params)}
	return string(jsonrpc.Answer(t.Context(), h, &req, nil))
}

func same(t *testing.T, got, want string) {
	t.Helper()
	var g, w any
	if err := json.Unmarshal([]byte(got), &g); err != nil {
		t.Fatalf("got %s: %v", got, err)
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatalf("want %s: %v", want, err)
	}
	if diff := cmp.Diff(w, g); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
}

// TestDocument asks what the family's document shows, and expects its answers.
func TestDocument(t *testing.T) {
	b := bookWith(t, map[string]string{"instructions/Day01_phase1.md": "x"})
	same(t, ask(t, b, "initialize", `{}`), `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2024-11-05","capabilities":{
		"resources":{"subscribe":false,"listChanged":false},"tools":{},"prompts":{}},"serverInfo":{"name":"aocMCP","version":"1.0.0"}}}`)
	same(t, ask(t, b, "prompts/list", `{}`), `{"jsonrpc":"2.0","id":1,"result":{"prompts":[]}}`)
	same(t, ask(t, b, "resources/list", `{}`), `{"jsonrpc":"2.0","id":1,"result":{"resources":[{"uri":"aoc://day01",
		"name":"Day 1 Instructions","description":"Full puzzle instructions for Advent of Code 2025 Day 1","mimeType":"text/plain"}]}}`)
	same(t, ask(t, b, "tools/list", `{}`), `{"jsonrpc":"2.0","id":1,"result":{"tools":[
		{"name":"fetch_instruction","description":"Fetch the full puzzle instruction for a specific day","inputSchema":{"type":"object",
			"properties":{"day":{"type":"integer","description":"Day number (1-25)"}},"required":["day"]}},
		{"name":"record_speed","description":"Record the solving speed for an LLM on a specific day and phase","inputSchema":{"type":"object",
			"properties":{"day":{"type":"integer","description":"Day number"},"phase":{"type":"integer","description":"Phase (1 or 2)"},
			"llm_name":{"type":"string","description":"LLM name"},"speed_ms":{"type":"integer","description":"Solving time in milliseconds"}},
			"required":["day","phase","llm_name","speed_ms"]}}]}}`)
	same(t, ask(t, b, "tools/call", `{"name":"record_speed","arguments":{"day":1,"phase":1,"llm_name":"gpt4","speed_ms":1110}}`),
		`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Recorded gpt4 Day 1 Phase 1: 1110ms (avg: 1110ms)"}]}}`)
	same(t, ask(t, b, "tools/call", `{"name":"record_speed","arguments":{"day":1,"phase":1,"llm_name":"gpt4","speed_ms":1250}}`),
		`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Recorded gpt4 Day 1 Phase 1: 1250ms (avg: 1180ms)"}]}}`)
}

func TestWrongArguments(t *testing.T) {
	b := bookWith(t, nil)
	for arguments, details := range map[string]string{
		`{"day":0,"phase":3,"llm_name":"","speed_ms":-1}`:       "day must be between 1 and 25; phase must be 1 or 2; llm_name must have 1 to 100 characters; speed_ms must be 0 or more",
		`{"day":1,"phase":1,"llm_name":"a\u0007","speed_ms":1}`: "llm_name must have printable characters only",
		`{"day":"1","phase":1,"llm_name":"a","speed_ms":1}`:     "day must be an integer",
		`{"day":1,"phase":1,"llm_name":"a"}`:                    `missing required argument "speed_ms"`,
	} {
		got := ask(t, b, "tools/call", `{"name":"record_speed","arguments":`+arguments+`}`)
		want, err := json.Marshal(details)
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params","data":{"details":`+string(want)+`}}}`)
	}
}

func TestMissingTexts(t *testing.T) {
	b := bookWith(t, nil)
	for _, got := range []string{
		ask(t, b, "resources/read", `{"uri":"aoc://day07"}`),
		ask(t, b, "resources/read", `{"uri":"aoc://day99"}`),
		ask(t, b, "tools/call", `{"name":"fetch_instruction","arguments":{"day":7}}`),
	} {
		if !strings.Contains(got, `"code":-1,"message":"Error loading instruction: `) {
			t.Errorf("got %s", got)
		}
	}
}

// TestChangesShowAndAreTold adds texts by hand while a watch runs, which is told
// of all that come after its first look.
func TestChangesShowAndAreTold(t *testing.T) {
	b := bookWith(t, map[string]string{"instructions/Day01_phase1.md": "x"})
	ctx, stop := context.WithCancel(t.Context())
	heard, done := make(chan told, 100), make(chan error, 1)
	go func() { done <- b.watch(ctx, func(days []Day, list bool) { heard <- told{days, list} }) }()
	var got told
	path := filepath.Join(b.instructions(), "Day02_phase1.md")
	for end := time.Now().Add(patience); !got.List && time.Now().Before(end); {
		if os.Remove(path) != nil { // it is not there
			lay(t, path, "new")
		}
		select {
		case got = <-heard:
		case <-time.After(100 * time.Millisecond): // it may not have looked yet
		}
	}
	if !got.List || len(got.Days) == 0 || got.Days[0] < 2 {
		t.Errorf("new days were told as %+v", got)
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
