package race_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/aoc/race"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func run(day, part int, model string, ms int64) race.Run {
	return race.Run{Puzzle: race.Puzzle{Year: 2025, Day: day, Part: part}, Model: model, MS: ms}
}

func failed(r race.Run) race.Run {
	r.Failed = true
	return r
}

// Three models, two parts; computed by hand.
var runs = []race.Run{
	run(1, 1, "ann", 100), run(1, 1, "ann", 300), run(1, 1, "ann", 200), failed(run(1, 1, "ann", 1)),
	run(1, 1, "bob", 150), run(1, 1, "bob", 151),
	run(1, 1, "cyd", 150),
	run(1, 2, "ann", 5000),
	run(1, 2, "bob", 65_000),
	failed(run(1, 2, "cyd", 9)),
}

func TestRace(t *testing.T) {
	got := race.New(runs)
	one, two := race.Puzzle{Year: 2025, Day: 1, Part: 1}, race.Puzzle{Year: 2025, Day: 1, Part: 2}
	want := &race.Race{
		Results: []race.Result{
			{Puzzle: one, Model: "bob", Runs: 2, Best: 150, Median: 150, P95: 151, Rank: 1},
			{Puzzle: one, Model: "cyd", Runs: 1, Best: 150, Median: 150, P95: 150, Rank: 1},
			{Puzzle: one, Model: "ann", Runs: 4, Failures: 1, Best: 100, Median: 200, P95: 300, Rank: 3},
			{Puzzle: two, Model: "ann", Runs: 1, Best: 5000, Median: 5000, P95: 5000, Rank: 1},
			{Puzzle: two, Model: "bob", Runs: 1, Best: 65000, Median: 65000, P95: 65000, Rank: 2},
			{Puzzle: two, Model: "cyd", Runs: 1, Failures: 1},
		},
		Standings: []race.Standing{
			{Model: "bob", Rank: 1, Points: 5, Gold: 1, Silver: 1, Solved: 2, Runs: 3, Total: 65150},
			{Model: "ann", Rank: 2, Points: 4, Gold: 1, Bronze: 1, Solved: 2, Runs: 5, Failures: 1, Total: 5200},
			{Model: "cyd", Rank: 3, Points: 3, Gold: 1, Solved: 1, Runs: 2, Failures: 1, Total: 150},
		},
		Duels: []race.Duel{
			{A: "bob", B: "ann", WinA: 1, WinB: 1}, {A: "bob", B: "cyd", Ties: 1}, {A: "ann", B: "cyd", WinB: 1},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("race (-want +got):\n%s", diff)
	}
}

func TestDuration(t *testing.T) {
	for ms, want := range map[int64]string{
		0: "0 ms", 999: "999 ms", 15_250: "15.2 s", 59_900: "59.9 s", 125_000: "2m05s", 3_720_000: "1h02m", 1 << 62: "4611686018427387904 ms",
	} {
		if got := race.Duration(ms); got != want {
			t.Errorf("%d: got %s, want %s", ms, got, want)
		}
	}
}

func TestTables(t *testing.T) {
	r := race.New(runs)
	const summary = "rank  model  points  gold  silver  bronze  solved  failures  total\n" +
		"1     bob    5       1     1       0       2       0         1m05s\n" +
		"2     ann    4       1     0       1       2       1         5.2 s\n" +
		"3     cyd    3       1     0       0       1       1         150 ms\n"
	if diff := cmp.Diff(summary, r.Summary()); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
	if got := r.CSV(); !strings.HasPrefix(got, "year,day,part,model,runs,failures,best_ms,median_ms,p95_ms,rank\n2025,1,1,bob,2,0,150,150,151,1\n") {
		t.Errorf("csv %s", got)
	}
	odd := race.New([]race.Run{run(1, 1, "a|b\nc", 1)})
	if got := odd.Markdown(); !strings.Contains(got, `| a\|b c |`) {
		t.Errorf("markdown %s", got)
	}
}

// Plots are well-formed SVG that loads nothing, equal to the golden files, which
// were looked at; and they are PNG files of twice the size.
func TestPlots(t *testing.T) {
	r := race.New(append(runs, run(2, 1, `<script>"x"</script>`, 70)))
	for name, plot := range map[string]*race.Plot{"bars": r.Bars(), "cumulative": r.Cumulative(), "heat": r.Heat()} {
		svg := plot.SVG()
		checkXML(t, name, svg)
		golden := filepath.Join("testdata", name+".svg")
		if *update {
			if err := os.WriteFile(golden, svg, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(svg)); diff != "" {
			t.Errorf("%s (-golden +got):\n%s", name, diff)
		}
		picture, err := plot.PNG()
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(picture))
		if err != nil || img.Bounds().Dx() != 2*plot.Width || img.Bounds().Dy() != 2*plot.Height {
			t.Errorf("%s: PNG of %v, %v; want twice %d by %d", name, img.Bounds(), err, plot.Width, plot.Height)
		}
		if dir := os.Getenv("TRIPTYCH_TEST_PLOTS"); dir != "" {
			if err := os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o644); err != nil {
				t.Error(err)
			}
		}
	}
}

func checkXML(t *testing.T, name string, svg []byte) {
	t.Helper()
	dec := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		start, ok := token.(xml.StartElement)
		if ok && start.Name.Local != "svg" && start.Name.Local != "rect" && start.Name.Local != "polyline" && start.Name.Local != "text" && start.Name.Local != "title" {
			t.Errorf("%s has a <%s>", name, start.Name.Local)
		}
	}
}

// No runs make no plot fail.
func TestEmpty(t *testing.T) {
	r := race.New(nil)
	for _, plot := range []*race.Plot{r.Bars(), r.Cumulative(), r.Heat()} {
		if _, err := plot.PNG(); err != nil {
			t.Error(err)
		}
		checkXML(t, plot.Title, plot.SVG())
	}
}

// Twenty models, twelve days, two parts, fifty runs: 24,000 runs.
func BenchmarkRace(b *testing.B) {
	var many []race.Run
	for model := range 20 {
		for day := range 12 {
			for i := range 100 {
				many = append(many, run(day+1, i%2+1, fmt.Sprintf("model %d", model), int64(i*model*day%997)))
			}
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		race.New(many)
	}
}
