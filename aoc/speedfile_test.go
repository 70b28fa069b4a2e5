package aoc

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Members are recognized in any case and spelling of their names, and one of another
// program that has the name of a detail, but another type, is left alone.
func TestMembersOfEntries(t *testing.T) {
	correct, language, attempts := true, "Go", 3
	for raw, want := range map[string]Speed{
		`{"llm":"a","phase":1,"speedMs":5,"timestamp":"2025-12-01T10:30:00Z","correct":true,"attempts":3}`:        {Details: Details{Correct: &correct, Attempts: &attempts}},
		`{"llm":"a","phase":1,"speedMs":5,"timestamp":"2025-12-01T10:30:00Z","correct":"yes","language":"Go"}`:    {Details: Details{Language: &language}},
		`{"LLM":"a","Phase":1,"SPEEDMS":5,"timestamp":"2025-12-01T10:30:00Z","Correct":true}`:                     {Details: Details{Correct: &correct}},
		`{"l\u006cm":"a","phase":1,"speed_ms":5,"timestamp":"2025-12-01T10:30:00Z","corr\u0065ct":true,"é":[{}]}`: {Details: Details{Correct: &correct}},
	} {
		want.LLM, want.Phase, want.SpeedMS, want.Timestamp = "a", 1, 5, noon
		got, err := parseEntry([]byte(raw))
		if err != nil {
			t.Errorf("%s: %v", raw, err)
		} else if diff := cmp.Diff(want, got.Speed); diff != "" {
			t.Errorf("%s (-want +got):\n%s", raw, diff)
		}
	}
}
