package aoccmd

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSummarize(t *testing.T) {
	got := summarize([]speed{
		{2, 1, "gpt4", 300},
		{1, 2, "gpt4", 7},
		{1, 1, "gpt4", 1250},
		{1, 1, "claude", 900},
		{1, 1, "gpt4", 1111},
	})
	want := []statistic{
		{Day: 1, Phase: 1, LLM: "claude", Count: 1, Min: 900, Median: 900, Mean: 900, Max: 900},
		{Day: 1, Phase: 1, LLM: "gpt4", Count: 2, Min: 1111, Median: 1180, Mean: 1180, Max: 1250}, // 1180.5 is cut
		{Day: 1, Phase: 2, LLM: "gpt4", Count: 1, Min: 7, Median: 7, Mean: 7, Max: 7},
		{Day: 2, Phase: 1, LLM: "gpt4", Count: 1, Min: 300, Median: 300, Mean: 300, Max: 300},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// The sum of these is more than an int64 holds.
func TestSummaryOfHugeTimes(t *testing.T) {
	got := summary([]int64{math.MaxInt64, math.MaxInt64 - 2, math.MaxInt64 - 2, math.MaxInt64})
	if got.Mean != math.MaxInt64-1 || got.Median != math.MaxInt64-1 {
		t.Errorf("mean %d, median %d, want both %d", got.Mean, got.Median, int64(math.MaxInt64-1))
	}
}

func TestChartText(t *testing.T) {
	c := chartOf(summarize([]speed{{1, 1, "fast", 100}, {1, 1, "slower", 400}, {1, 2, "fast", 0}}))
	var out strings.Builder
	if err := c.text(&out, 8); err != nil {
		t.Fatal(err)
	}
	want := `Day 1 Phase 1
  fast    ██ 100 ms
  slower  ████████ 400 ms

Day 1 Phase 2
  fast     0 ms
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestBlocks(t *testing.T) {
	tests := []struct {
		value int64
		want  string
	}{{0, ""}, {1, "▏"}, {500, "█"}, {562, "█▏"}, {1000, "██"}}
	for _, tt := range tests {
		if got := blocks(tt.value, 1000, 2); got != tt.want {
			t.Errorf("%d of 1000 on two cells: got %q, want %q", tt.value, got, tt.want)
		}
	}
}

// A name may hold whatever can be printed; the picture stays well formed.
func TestChartSVGIsWellFormed(t *testing.T) {
	c := chartOf(summarize([]speed{{1, 1, `<b> & "c"`, 5}, {1, 1, "zero", 0}}))
	var out strings.Builder
	if err := c.svg(&out); err != nil {
		t.Fatal(err)
	}
	dec := xml.NewDecoder(strings.NewReader(out.String()))
	var texts []string
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := token.(xml.CharData); ok && strings.TrimSpace(string(text)) != "" {
			texts = append(texts, string(text))
		}
	}
	want := []string{c.title, "Day 1 Phase 1", "zero", "0 ms", `<b> & "c"`, "5 ms"}
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
