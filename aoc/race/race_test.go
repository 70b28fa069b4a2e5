package race_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/triptych-mcp/triptych/aoc/race"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func run(day, part int, model string, ms int64) race.Run {
	return race.Run{Puzzle: race.Puzzle{Year: 2025, Day: day, Part: part}, Kind: race.Solve, Model: model, MS: ms}
}

func judged(r race.Run, correct bool) race.Run {
	r.Correct = &correct
	return r
}

func failed(r race.Run) race.Run { return judged(r, false) }
func right(r race.Run) race.Run  { return judged(r, true) }

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
	got := race.New(race.Solve, runs)
	one, two := race.Puzzle{Year: 2025, Day: 1, Part: 1}, race.Puzzle{Year: 2025, Day: 1, Part: 2}
	want := &race.Race{
		Kind: race.Solve,
		Results: []race.Result{
			{Puzzle: one, Model: "bob", Runs: 2, Unverified: true, Best: 150, Median: 150, P95: 151, Worst: 151, Mean: 150, Rank: 1, Tied: true},
			{Puzzle: one, Model: "cyd", Runs: 1, Unverified: true, Best: 150, Median: 150, P95: 150, Worst: 150, Mean: 150, Rank: 1, Tied: true},
			{Puzzle: one, Model: "ann", Runs: 4, Failures: 1, Unverified: true, Best: 100, Median: 200, P95: 300, Worst: 300, Mean: 200, Rank: 3},
			{Puzzle: two, Model: "ann", Runs: 1, Unverified: true, Best: 5000, Median: 5000, P95: 5000, Worst: 5000, Mean: 5000, Rank: 1},
			{Puzzle: two, Model: "bob", Runs: 1, Unverified: true, Best: 65000, Median: 65000, P95: 65000, Worst: 65000, Mean: 65000, Rank: 2},
			{Puzzle: two, Model: "cyd", Runs: 1, Failures: 1},
		},
		Standings: []race.Standing{
			{Model: "ann", Rank: 1, Points: 4, Gold: 1, Bronze: 1, Solved: 2, Unverified: 2, Runs: 5, Failures: 1, Total: 5200, Costs: race.Costs{Attempts: 5, Success: 0.8}},
			{Model: "bob", Rank: 2, Points: 5, Gold: 1, Silver: 1, Solved: 2, Unverified: 2, Runs: 3, Total: 65150, Costs: race.Costs{Attempts: 3, Success: 1}},
			{Model: "cyd", Rank: 3, Points: 3, Gold: 1, Solved: 1, Unverified: 1, Runs: 2, Failures: 1, Total: 150, Costs: race.Costs{Attempts: 2, Success: 0.5}},
		},
		Duels: []race.Duel{
			{A: "ann", B: "bob", WinA: 1, WinB: 1}, {A: "ann", B: "cyd", WinB: 1}, {A: "bob", B: "cyd", Ties: 1},
		},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(race.Costs{})); diff != "" {
		t.Errorf("race (-want +got):\n%s", diff)
	}
}

// order returns the models, best first, with a letter behind those that share a rank.
func order(r *race.Race) (models []string) {
	for _, s := range r.Standings {
		if s.Tied {
			s.Model += "="
		}
		models = append(models, s.Model)
	}
	return models
}

// Solved parts count before time, verified ones before others; wrong answers and models
// that solved nothing change nothing; kinds are apart.
func TestRanking(t *testing.T) {
	program := run(1, 1, "ran", 1)
	program.Kind = race.Program
	for name, tc := range map[string]struct {
		runs []race.Run
		want []string
	}{
		"parts before time":         {[]race.Run{right(run(1, 1, "few", 1)), right(run(1, 1, "many", 900)), right(run(1, 2, "many", 900))}, []string{"many", "few"}},
		"time of equal parts":       {[]race.Run{right(run(1, 1, "slow", 2)), right(run(1, 1, "fast", 1))}, []string{"fast", "slow"}},
		"wrong answers":             {[]race.Run{failed(run(1, 1, "wrong", 1)), right(run(1, 1, "right", 5))}, []string{"right", "wrong"}},
		"not verified":              {[]race.Run{run(1, 1, "claims", 1), right(run(1, 1, "proves", 5))}, []string{"proves", "claims"}},
		"a claim beside a proof":    {[]race.Run{run(1, 1, "a", 1), right(run(1, 1, "a", 9)), right(run(1, 1, "b", 5))}, []string{"b", "a"}},
		"failures beside a success": {[]race.Run{failed(run(1, 1, "a", 1)), right(run(1, 1, "a", 9)), right(run(1, 1, "b", 10))}, []string{"a", "b"}},
		"ties":                      {[]race.Run{right(run(1, 1, "b", 5)), right(run(1, 1, "a", 5)), right(run(1, 1, "c", 6))}, []string{"a=", "b=", "c"}},
		"another kind":              {[]race.Run{program, right(run(1, 1, "solved", 45_000))}, []string{"solved"}},
		"without a bystander":       {[]race.Run{right(run(1, 1, "a", 1)), right(run(1, 2, "a", 1)), right(run(1, 1, "b", 2)), right(run(1, 2, "b", 2)), right(run(2, 1, "b", 2))}, []string{"b", "a"}},
		"with a bystander": {[]race.Run{right(run(1, 1, "a", 1)), right(run(1, 2, "a", 1)), right(run(1, 1, "b", 2)), right(run(1, 2, "b", 2)), right(run(2, 1, "b", 2)),
			failed(run(3, 1, "c", 7))}, []string{"b", "a", "c"}},
	} {
		if diff := cmp.Diff(tc.want, order(race.New(race.Solve, tc.runs))); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", name, diff)
		}
	}
	with := race.New(race.Solve, []race.Run{right(run(1, 1, "a", 1)), right(run(1, 1, "b", 2)), failed(run(1, 1, "c", 1))})
	if a, b := with.Standings[0], with.Standings[1]; a.Points != 2 || b.Points != 1 {
		t.Errorf("points %d and %d beside a model that solved nothing, want 2 and 1", a.Points, b.Points)
	}
}

// Tokens, cost, attempts and languages are summed over all runs, and divided by what
// was solved.
func TestCosts(t *testing.T) {
	spend := func(r race.Run, language string, attempts int, in, out int64, usd float64) race.Run {
		r.Language, r.Attempts, r.TokensIn, r.TokensOut, r.CostUSD = language, attempts, &in, &out, &usd
		return r
	}
	all := []race.Run{
		spend(right(run(1, 1, "ann", 10)), "go", 1, 100, 50, 0.5), spend(failed(run(1, 2, "ann", 10)), "go", 3, 300, 50, 1.5),
		spend(right(run(1, 1, "bob", 30)), "python", 2, 10, 10, 0.25), right(run(1, 1, "cyd", 20)),
	}
	r := race.New(race.Solve, all)
	for order, want := range map[race.Order][]string{
		race.ByTime: {"ann", "cyd", "bob"}, race.ByTokens: {"bob", "ann", "cyd"}, race.ByCost: {"bob", "ann", "cyd"}, race.ByAttempts: {"cyd", "bob", "ann"},
	} {
		var got []string
		for _, s := range r.Sorted(order) {
			got = append(got, s.Model)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("by %s (-want +got):\n%s", order, diff)
		}
	}
	ann := r.Standings[0]
	want := race.Costs{Attempts: 4, TokensIn: 400, TokensOut: 100, CostUSD: 2, Success: 0.25, TokensPerStar: 500, CostPerStar: 2}
	if diff := cmp.Diff(want, ann.Costs, cmpopts.IgnoreUnexported(race.Costs{})); diff != "" {
		t.Errorf("costs (-want +got):\n%s", diff)
	}
	const table = "language  models  runs  failures  success  median  US$\n" +
		"go        1       2     1         25 %     10 ms   2.0000\n" +
		"-         1       1     0         100 %    20 ms   -\n" +
		"python    1       1     0         50 %     30 ms   0.2500\n"
	if diff := cmp.Diff(table, race.LanguageTable(race.Languages(race.Solve, all))); diff != "" {
		t.Errorf("languages (-want +got):\n%s", diff)
	}
}

// A model that told a quantity for some of its runs, or was timed in some of its parts,
// does not come before those that did for all; a cost of 0 is a cost.
func TestUntoldQuantities(t *testing.T) {
	cost := func(model string, part int, usd ...float64) (all []race.Run) {
		for _, v := range usd {
			r := right(run(1, part, model, 10))
			r.CostUSD = &v
			all = append(all, r)
		}
		return all
	}
	all := slices.Concat(cost("some", 1, 0.1), []race.Run{right(run(1, 1, "some", 10)), right(run(1, 1, "none", 10))}, cost("dear", 1, 2, 3), cost("free", 1, 0))
	wrong := failed(run(1, 1, "lost", 1))
	wrong.CostUSD = new(0.5)
	got := race.New(race.Solve, append(all, wrong)).Text(race.ByCost)
	for _, want := range []string{"1     free   1       0.0000    0.0000\n", "2     dear   1       5.0000    5.0000\n", "3     some   1       ≥ 0.1000  ≥ 0.1000\n", "4     none   1       -         -\n", "5     lost   0       0.5000    -\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("the table lacks %q:\n%s", want, got)
		}
	}
	clock := func(r race.Run, ms int64) race.Run {
		r.Timed = ms
		return r
	}
	timed := race.New(race.Solve, []race.Run{
		clock(right(run(1, 1, "both", 1)), 70), clock(right(run(1, 2, "both", 1)), 70), clock(right(run(1, 1, "one", 1)), 60), right(run(1, 2, "one", 1)),
		clock(run(1, 2, "one", 1), 5), // does not count beside one that is verified
	})
	if list := timed.Sorted(race.ByTimed); list[0].Model != "both" || list[1].TimedTotal != 60 || list[1].TimedParts != 1 {
		t.Errorf("by the server's clock: %+v", list)
	}
}

// Programs are told with processor time and memory.
func TestPrograms(t *testing.T) {
	measured := func(ms, cpu, bytes int64) race.Run {
		r := right(run(1, 1, "ann", ms))
		r.Kind, r.CPU, r.Memory = race.Program, cpu, bytes
		return r
	}
	r := race.New(race.Program, []race.Run{measured(100, 80, 5<<20), measured(120, 90, 7<<20), measured(300, 85, 6<<20)})
	if got, want := r.Summary(), "1     ann    1       0         3     120 ms  85 ms  7 MiB "; !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := r.Details(), "100 ms  120 ms  300 ms  300 ms  85 ms  7 MiB\n"; !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := r.CSV(), "2025,1,1,ann,3,0,100,120,300,1,program,false,300,0,85,7340032\n"; !strings.HasSuffix(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The race of models in the site's JSON, by the site's rules: of two members the first
// to get a star has two points.
func TestLeaderboard(t *testing.T) {
	all := []race.Run{
		right(run(1, 1, "ann", 10_000)), right(run(1, 2, "ann", 5_500)), right(run(1, 1, "bob", 9_000)), failed(run(1, 2, "bob", 1)), right(run(2, 1, "bob", 1)),
	}
	opens := func(day int) time.Time { return time.Unix(1000*int64(day), 0) }
	text, err := race.New(race.Solve, all).Leaderboard(2025, 12, opens)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"event":"2025","num_days":12,"owner_id":1,"day1_ts":1000,"members":{
		"1":{"id":1,"name":"ann","stars":2,"local_score":3,"last_star_ts":1016,"completion_day_level":{"1":{"1":{"get_star_ts":1010,"star_index":1},"2":{"get_star_ts":1016,"star_index":2}}}},
		"2":{"id":2,"name":"bob","stars":2,"local_score":4,"last_star_ts":2001,"completion_day_level":{"1":{"1":{"get_star_ts":1009,"star_index":0}},"2":{"1":{"get_star_ts":2001,"star_index":3}}}}}}`
	var g, w any
	if err := errors.Join(json.Unmarshal(text, &g), json.Unmarshal([]byte(want), &w)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(w, g); diff != "" {
		t.Errorf("leaderboard (-want +got):\n%s", diff)
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
	timed := right(run(1, 1, "ann", 1000))
	timed.Timed = 1500
	r := race.New(race.Solve, []race.Run{timed, right(run(1, 2, "ann", 61_000)), right(run(1, 1, "bob", 1000)), run(2, 1, "bob", 3000), failed(run(12, 2, "cyd", 5))})
	const text = "Solving times of models, as told (median of successful runs)\n\n" +
		"model  1   2   12\n" +
		"ann    **  ..  ..\n" +
		"bob    *.  ?.  ..\n" +
		"cyd    ..  ..  .x\n" +
		"* solved, ? solved but not verified, x failed, . no run; one character for each part\n\n" +
		"rank  model  solved  unverified  failures  runs  total  timed           gold  silver  bronze  points\n" +
		"1     ann    2       0           0         2     1m02s  1.5 s (1 of 2)  2     0       0       4\n" +
		"2     bob    2       1           0         2     4.0 s  -               2     0       0       4\n" +
		"3     cyd    0       0           1         1     -      -               0     0       0       0\n"
	if diff := cmp.Diff(text, r.Text(race.ByTime)); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	if got := r.Details(); !strings.Contains(got, "2025 day 1 part 1   1=    ann") || !strings.Contains(got, "2025 day 2 part 1   1?    bob") {
		t.Errorf("details %s", got)
	}
	if got := r.CSV(); !strings.HasPrefix(got, "year,day,part,model,runs,failures,best_ms,median_ms,p95_ms,rank,kind,unverified,worst_ms,timed_median_ms,cpu_median_ms,peak_bytes\n2025,1,1,ann,1,0,1000,1000,1000,1,solve,false,1000,1500,0,0\n") {
		t.Errorf("csv %s", got)
	}
	odd := race.New(race.Solve, []race.Run{run(1, 1, "a|b\nc<d\\e", 1)})
	if got := odd.Markdown(race.ByTime); !strings.Contains(got, `| a\|b c&lt;d\\e |`) {
		t.Errorf("markdown %s", got)
	}
	if got := race.New(race.Solve, nil).Text(race.ByTime); got != "No runs are recorded.\n" {
		t.Errorf("an empty race: %q", got)
	}
}

// A year of ten models fits a screen.
func TestTextFitsAScreen(t *testing.T) {
	var all []race.Run
	for model := range 10 {
		for day := 1; day <= 12; day++ {
			all = append(all, right(run(day, 1, fmt.Sprint("model ", model), int64(model+day))), run(day, 2, fmt.Sprint("model ", model), int64(model*day)))
		}
	}
	lines := strings.Split(strings.TrimSuffix(race.New(race.Solve, all).Text(race.ByTime), "\n"), "\n")
	if len(lines) > 30 {
		t.Errorf("%d lines, want 30 at most", len(lines))
	}
	for _, line := range lines {
		if len(line) > 110 {
			t.Errorf("a line of %d characters: %s", len(line), line)
		}
	}
}

// Plots are well-formed SVG that loads nothing, equal to the golden files, which
// were looked at; and they are PNG files of twice the size.
func TestPlots(t *testing.T) {
	r := race.New(race.Solve, append(runs, run(2, 1, `<script>"x"</script>`, 70)))
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
		if ok && start.Name.Local != "svg" && start.Name.Local != "rect" && start.Name.Local != "polyline" && start.Name.Local != "polygon" && start.Name.Local != "text" && start.Name.Local != "title" {
			t.Errorf("%s has a <%s>", name, start.Name.Local)
		}
	}
}

// No runs make no plot fail.
func TestEmpty(t *testing.T) {
	r := race.New(race.Solve, nil)
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
		race.New(race.Solve, many)
	}
}
