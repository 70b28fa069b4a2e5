//go:build !race

// The tables of the tokenizer take half a minute to compile with the race detector.

package main

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/toolcmd"
)

// TestSurfaceFitsItsBudget pins what the tools cost in a model's context: what
// tools/list sends to a client of the newest revision with a handshake, in bytes,
// and in tokens of the encoding that GPT-4o and later models share. The limits leave
// some space for tools to come; a longer text is better paid by a shorter one.
func TestSurfaceFitsItsBudget(t *testing.T) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name          string
		toolsets      []string
		bytes, tokens int
	}{
		{"all families", nil, 29_000, 7_200},
		{"core of the debugger", []string{"debugger/core"}, 8_000, 2_000},
		{"core of all", []string{"core"}, 14_500, 3_500},
		{"core of rulesets", []string{"rulesets/core"}, 10_000, 750},
		{"rulesets", []string{"rulesets"}, 4_500, 1_050},
		{"aoc", []string{"aoc"}, 10_000, 1_000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, data := app.New(), t.TempDir()
			a.Getenv = func(name string) string { return map[string]string{"TRIPTYCH_DATA": data}[name] }
			a.Flags.Toolsets = tt.toolsets
			tools, err := toolcmd.ListTools(t.Context(), a)
			if err != nil {
				t.Fatal(err)
			}
			raw, err := json.Marshal(map[string]any{"tools": toolcmd.RawTools(tools)})
			if err != nil {
				t.Fatal(err)
			}
			tokens, err := codec.Count(string(raw))
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d tools, %d bytes, %d tokens", len(tools), len(raw), tokens)
			if len(raw) > tt.bytes || tokens > tt.tokens {
				t.Errorf("%d bytes and %d tokens, want %d and %d at most", len(raw), tokens, tt.bytes, tt.tokens)
			}
			if about := toolcmd.EstimatedTokens(len(raw)); math.Abs(float64(about-tokens)) > 0.1*float64(tokens) {
				t.Errorf("triptych tools --tokens says %d tokens, want %d within a tenth", about, tokens)
			}
		})
	}
}
