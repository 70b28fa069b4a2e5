package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"
)

// tiny is as little as shows that everything can be measured.
var tiny = pace{
	turns: 1, looks: 1, singles: 2, steps: 200, ticks: 3, rounds: 1, ages: 1, stops: 3, spell: 10 * time.Millisecond,
	heaps: []int{16}, lengths: []int{100, 1000}, longest: 1000,
	percent: 1, programs: "integers", far: 12_000_000, near: 1_000_000, seeks: 2,
}

// larger are the measures of heaps and of programs that tiny does not have.
var larger = regexp.MustCompile(` (64|192|256)$|^whole .*(sort|gzip|sqlite3|python3|cc1|goroutines|redis-server)$`)

// Everything is measured once, as small as can be, and written.
func TestMeasure(t *testing.T) {
	if err := installed(); err != nil {
		t.Skip(err)
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	b := bench{out: io.Discard, root: root, bin: t.TempDir(), pace: tiny, readings: readings{}}
	if err := b.build(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := b.tracing(t.Context()); err != nil {
		t.Skip("nothing can be traced here: ", err)
	}
	if err := b.measure(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	docs := t.TempDir()
	if err := b.report.write(docs); err != nil {
		t.Fatal(err)
	}
	for i := range plans {
		p := &plans[i]
		if v, ok := b.readings.of(p.measure, ours); p.beside != delve && !larger.MatchString(p.measure) && (!ok || v <= 0) {
			t.Errorf("%s: ours is %v, %v", p.what, v, ok)
		}
	}
	text, err := os.ReadFile(filepath.Join(docs, page))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"## Go back\n", "| text | ", "(debugger-performance-seek.svg)"} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("the page has no %q", want)
		}
	}
	for _, file := range []string{"seek.svg", "stop.svg"} {
		wellFormed(t, filepath.Join(docs, prefix+file))
	}
}

func wellFormed(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for dec := xml.NewDecoder(bytes.NewReader(text)); ; {
		if _, err := dec.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
}

// The ratio is that of each round: a slow round is slow for both.
func TestFill(t *testing.T) {
	r := readings{}
	for _, slow := range []float64{1, 10, 1} {
		r.take("m", ours, .001*slow)
		r.take("m", gdb, .004*slow)
		r.take("n", gdb, .0005*slow)
	}
	r.take("only ours", ours, 30)
	for _, tt := range []struct {
		name string
		p    plan
		want row
	}{
		{
			"as fast as wanted",
			plan{measure: "m", beside: gdb, goal: 4},
			row{Ours: "1 ms", Beside: gdb, Theirs: "4 ms", Measure: "4.00", Goal: "≥ 4", Verdict: "met", Met: true},
		},
		{
			"too slow by little",
			plan{measure: "m", beside: gdb, goal: 4.001},
			row{Ours: "1 ms", Beside: gdb, Theirs: "4 ms", Measure: "4.00", Goal: "≥ 4.001", Verdict: "**not met**"},
		},
		{
			"a rate",
			plan{measure: "m", as: often, beside: gdb},
			row{Ours: "1 k/s", Beside: gdb, Theirs: "250 /s", Measure: "4.00"},
		},
		{
			"another measure of theirs",
			plan{measure: "m", beside: gdb, theirs: "n", goal: 2, kind: slower},
			row{Ours: "1 ms", Beside: gdb, Theirs: "500 µs", Measure: "2.00", Goal: "≤ 2", Verdict: "met", Met: true},
		},
		{
			"at most",
			plan{measure: "only ours", as: size, goal: 29, kind: atMost},
			row{Ours: "30 B", Goal: "≤ 29 B", Verdict: "**not met**"},
		},
		{
			"theirs is missing",
			plan{measure: "only ours", as: size, beside: gdb, goal: 2},
			row{Ours: "30 B", Beside: gdb, Theirs: notMeasured, Goal: "≥ 2"},
		},
		{
			"nothing is there",
			plan{measure: "none", goal: 1, kind: atMost},
			row{Ours: notMeasured, Goal: "≤ 1 s"},
		},
	} {
		if got := tt.p.fill(r); got != tt.want {
			t.Errorf("%s:\n got %+v\nwant %+v", tt.name, got, tt.want)
		}
	}
}

func TestUnits(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{amount(999), "999"},
		{amount(100_000), "100k"},
		{amount(1e6), "1M"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

// What gdb says of its record is told without its marks and without what it says
// of files of source.
func TestComplaint(t *testing.T) {
	said := `&"Process record does not support instruction 0x62 at address 0x7f00.\n"
&"Process record: failed to record execution log.\n"
~"Run till exit\n"
&"167\t../sysdeps/memset.S: No such file or directory.\n"
*stopped,reason="signal-received"
`
	want := "Process record does not support instruction 0x62 at address 0x7f00. Process record: failed to record execution log."
	if got := complaint(said); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAxis(t *testing.T) {
	a := axis{low: 1, high: 100, from: 0, to: 200}
	for v, want := range map[float64]float64{1: 0, 10: 100, 100: 200} {
		if got := a.at(v); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v is at %v, want %v", v, got, want)
		}
	}
}
