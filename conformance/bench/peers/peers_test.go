package main

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/conformance/bench/load"
)

func TestRow(t *testing.T) {
	for _, tt := range []struct {
		r             row
		goal, verdict string
	}{
		{row{Measure: 2, Goal: 2}, "≥ 2.00", "yes"},
		{row{Measure: 1.9999, Goal: 2}, "≥ 2.00", "**no**"}, // not rounded to a success
		{row{Measure: 120.4, Goal: 120}, "≥ 120", "yes"},
		{row{Measure: 1.31, Goal: 1.3, AtMost: true}, "≤ 1.30", "**no**"},
		{row{Measure: 1.3, Goal: 1.3, AtMost: true}, "≤ 1.30", "yes"},
		{row{Measure: 3}, "", ""},
	} {
		if got := tt.r.goal(); got != tt.goal {
			t.Errorf("%+v: goal %q, want %q", tt.r, got, tt.goal)
		}
		if got := tt.r.verdict(); got != tt.verdict {
			t.Errorf("%+v: %q, want %q", tt.r, got, tt.verdict)
		}
	}
}

func TestUnits(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{duration(1234), "1.23 ms"},
		{amount(999), "999"},
		{amount(1_000_000), "1,000,000"},
		{short(.05), "0.05"},
		{short(20_000), "20k"},
		{short(1e6), "1M"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

// TestOver: the ratio is the median of the rounds' ratios, not that of medians.
func TestOver(t *testing.T) {
	a := reading{rounds: []round{{rate: 10}, {rate: 100}, {rate: 30}}}
	b := reading{rounds: []round{{rate: 5}, {rate: 10}, {rate: 30}}}
	if got := a.over(&b); got != 2 { // of 2, 10 and 1
		t.Errorf("got %v, want 2", got)
	}
}

func TestParseBench(t *testing.T) {
	got := parseBench("goos: linux\nBenchmarkEcho/32B-2   \t 1000000\t 1100 ns/op\t 29.1 MB/s\t 32 B/op\t 2 allocs/op\nPASS\n")
	if len(got) != 1 || got[0].name != "BenchmarkEcho/32B" || got[0].values["ns/op"] != 1100 || got[0].values["allocs/op"] != 2 {
		t.Errorf("got %+v", got)
	}
}

// TestTurns: each begins a round in turn, all are warmed up first, and a wrong
// answer ends it.
func TestTurns(t *testing.T) {
	var order strings.Builder
	turn := func(name string, bad int) func(time.Duration) (*load.Sample, error) {
		return func(time.Duration) (*load.Sample, error) {
			order.WriteString(name)
			return &load.Sample{N: 1, Took: time.Second, Bad: bad}, nil
		}
	}
	readings := make([]reading, 2)
	err := turnByTurn(pace{rounds: 3}, []func(time.Duration) (*load.Sample, error){turn("a", 0), turn("b", 0)}, readings)
	if got := order.String(); got != "ab"+"ba"+"ab"+"ba" || err != nil || len(readings[1].rounds) != 3 || readings[1].Rate != 1 {
		t.Errorf("order %s, %+v, %v", got, readings, err)
	}
	if err := turnByTurn(pace{rounds: 1}, []func(time.Duration) (*load.Sample, error){turn("a", 1)}, readings); err == nil {
		t.Error("a wrong answer was counted as one")
	}
}

// TestPage writes a page with a soak, and anew: the soak stays, every plot that
// is named exists, is XML and takes the page's color.
func TestPage(t *testing.T) {
	docs := t.TempDir()
	r := report{
		Rows: []row{{Part: "stdio", What: "something", Against: gosdk, Measure: 3, Goal: 2}},
		Plots: []plot{
			{File: "a.svg", Title: "A", X: "x", Y: "y", LogX: true, LogY: true, Lines: []line{{"one", [][2]float64{{1, 1}, {1000, 50}}}}},
			{File: "b.svg", Title: "B", X: "x", Y: "y", Lines: []line{{"one", [][2]float64{{1, 1}, {2, 50}}}}},
		},
		Costs: []cost{{"a thing", "3 B"}},
	}
	if err := r.write(docs); err != nil {
		t.Fatal(err)
	}
	soak := filepath.Join(docs, "soak.json")
	var intervals []load.Interval
	for i := range 20 {
		for _, conn := range []string{"pipe", "HTTPS"} {
			intervals = append(intervals, load.Interval{Conn: conn, Seconds: float64(i), N: 500, P50: 10, P99: 20, RSS: 1 << 20})
		}
	}
	text, err := json.Marshal(intervals)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(soak, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := drawSoak(soak, docs); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.write(docs); err != nil {
		t.Fatal(err)
	}
	got := contents(filepath.Join(docs, page))
	for _, want := range []string{"| something |", "| 3.00 | ≥ 2.00 | yes |", "1 of 1 are met", "| a thing | 3 B |", "| pipe | 10,000 |"} {
		if strings.Count(got, want) != 1 {
			t.Errorf("%q is not there once in\n%s", want, got)
		}
	}
	for _, name := range []string{"a", "b", "soak-memory", "soak-latency"} {
		name = prefix + name + ".svg"
		if svg := contents(filepath.Join(docs, name)); !strings.Contains(got, "("+name+")") || !strings.Contains(svg, "currentColor") || wellFormed(svg) != nil {
			t.Errorf("%s: named %v, %v in\n%.500s", name, strings.Contains(got, "("+name+")"), wellFormed(svg), svg)
		}
	}
}

func wellFormed(text string) error {
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func TestPowers(t *testing.T) {
	labels := func(low, high float64) (got []string) {
		for _, tick := range (powers{}).Ticks(low, high) {
			if tick.Value < low*.99 || tick.Value > high*1.01 || math.IsNaN(tick.Value) {
				t.Errorf("a tick at %v of %v to %v", tick.Value, low, high)
			}
			if tick.Label != "" {
				got = append(got, tick.Label)
			}
		}
		return got
	}
	if got := strings.Join(labels(1, 1e6), " "); got != "1 10 100 1k 10k 100k 1M" {
		t.Errorf("got %s", got)
	}
	if got := strings.Join(labels(100, 600), " "); got != "100 200 500" {
		t.Errorf("got %s", got)
	}
}
