package aoc

import (
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/aoc/internal/personal"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/mcptest"
)

// prompted returns a client of the prompts alone.
func prompted(t *testing.T, year int, submit bool) *mcptest.Client {
	t.Helper()
	now := func() time.Time { return time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC) }
	user := personal.Open(personal.Config{Dir: t.TempDir(), Now: now})
	tools := &tools{
		book: bookWith(t, map[string]string{"instructions/Day03_phase1.md": "x"}), year: year, submit: submit, now: now,
		user: func(string) *User { return user },
	}
	c := mcptest.Connect(t, &mcp.Table{Family: "aoc", Prompts: tools.prompts()})
	c.Initialize("2025-11-25")
	return c
}

// The prompt names the calls that solve the day, and only tools that there are.
func TestSolveDay(t *testing.T) {
	for _, tc := range []struct {
		year     int
		submit   bool
		args     map[string]string
		has, not []string
	}{
		{0, false, map[string]string{"day": "3"}, []string{"with day 3", "phase 1", "your own name"}, []string{"fetch_input", "submit_answer", "year"}},
		{2024, true, map[string]string{"day": "25", "language": "Go", "llm_name": "m"}, []string{"year 2024 and day 25", "fetch_input", "submit_answer", " in Go", `llm_name "m"`}, nil},
		{0, true, map[string]string{"day": "4"}, []string{"2026, day 4", "with year 2026 and day 4", "fetch_input", "submit_answer"}, nil}, // no documented file
		{0, false, map[string]string{"day": "12", "year": "2025"}, []string{"2025, day 12"}, []string{"submit_answer"}},
	} {
		got, err := prompted(t, tc.year, tc.submit).Ask("prompts/get", map[string]any{"name": "solve_day", "arguments": tc.args})
		if err != nil {
			t.Errorf("%v: %v", tc.args, err)
			continue
		}
		text := strings.ReplaceAll(string(got), `\"`, `"`)
		for _, want := range tc.has {
			if !strings.Contains(text, want) {
				t.Errorf("%v: no %q in %s", tc.args, want, text)
			}
		}
		for _, word := range tc.not {
			if strings.Contains(text, word) {
				t.Errorf("%v: %q in %s", tc.args, word, text)
			}
		}
	}
	for _, args := range []map[string]string{{}, {"day": "0"}, {"day": "26"}, {"day": "x"}, {"day": "1", "year": "2014"}, {"day": "13", "year": "2025"}, {"day": "13"}, {"day": "1", "year": "x"}} {
		if _, err := prompted(t, 0, false).Ask("prompts/get", map[string]any{"name": "solve_day", "arguments": args}); err == nil {
			t.Errorf("%v is accepted", args)
		}
	}
}

// From 2025 on there are twelve days.
func TestCompleteSolveDay(t *testing.T) {
	for year, want := range map[string]string{
		"2024": `"values":["1","10","11","12","13","14","15","16","17","18","19"]`, "2025": `"values":["1","10","11","12"]`,
	} {
		got, err := prompted(t, 0, false).Ask("completion/complete", map[string]any{
			"ref": map[string]any{"type": "ref/prompt", "name": "solve_day"}, "argument": map[string]any{"name": "day", "value": "1"},
			"context": map[string]any{"arguments": map[string]string{"year": year}},
		})
		if err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s: %s %v", year, got, err)
		}
	}
}
