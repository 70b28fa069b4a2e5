package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
	"time"

	"github.com/triptych-mcp/triptych/conformance/bench/figures"
)

func main() {
	b := bench{out: os.Stdout, pace: whole, readings: readings{}}
	root := flag.String("root", "../..", "`folder` of the repository")
	quick := flag.Bool("quick", false, "fewer rounds")
	only := flag.String("only", "", "measure only the parts that match this `regexp`, and write no page")
	draw := flag.Bool("draw", false, "write the page anew from what was measured last")
	flag.Parse()
	if *quick {
		b.pace, b.report.Quick = hasty, true
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := b.main(ctx, *root, *only, *draw)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "debugbench:", err)
		os.Exit(1)
	}
}

// A bench is one run of the command.
type bench struct {
	out      io.Writer // gets every row
	root     string    // of the repository
	bin      string    // where the programs are
	delve    string    // its program, "" if there is none
	cc1      string    // the path of the compiler proper
	python   string    // the path of the interpreter, and not of a script that chooses one
	pace     pace
	readings readings
	report   report
}

// A pace is the number of repetitions.
type pace struct {
	turns   int // how often everything is done
	looks   int // how often something is looked at, each turn
	singles int // steps that are a call each
	steps   int // steps in one call
	ticks   int // calls of a function in a loop that is recorded
	rounds  int // of the ordinary program
	ages    int // of a loop that is recorded in place
	stops   int // of a program with a large heap
	spell   time.Duration
	heaps   []int // MiB
	lengths []int // instructions recorded before seeking
	longest int   // of them that gdb records, too

	percent  int    // of the size of the programs that are recorded whole
	programs string // that are recorded whole; "" means all
	far      int    // instructions of a recording before its function once
	near     int    // and behind it
	seeks    int    // in that recording
}

var (
	whole = pace{
		turns: 5, looks: 15, singles: 300, steps: 10_000, ticks: 200, rounds: 100, ages: 16, stops: 16, spell: 300 * time.Millisecond,
		heaps: []int{16, 64, 192, 256}, lengths: []int{1_000, 10_000, 100_000, 1_000_000}, longest: 100_000,
		percent: 100, far: 4_000_000_000, near: 1_000_000_000, seeks: 100,
	}
	hasty = pace{
		turns: 2, looks: 8, singles: 150, steps: 5_000, ticks: 100, rounds: 50, ages: 8, stops: 8, spell: 150 * time.Millisecond,
		heaps: []int{16, 64, 192, 256}, lengths: []int{1_000, 10_000, 100_000}, longest: 10_000,
		percent: 20, far: 400_000_000, near: 10_000_000, seeks: 20,
	}
)

// A report holds the measurements. It is stored as JSON, so that a page can be written
// anew without measuring.
type report struct {
	Machine  machine
	Quick    bool
	Took     time.Duration
	Readings readings
	Endings  []ending
	Notes    []string
	Pace     struct{ Turns, Ticks, Steps int }
	Heaps    []int
	Lengths  []int
}

// note keeps something that a reader of the page must know.
func (b *bench) note(text string) {
	if !slices.Contains(b.report.Notes, text) {
		b.report.Notes = append(b.report.Notes, text)
		fmt.Fprintln(os.Stderr, "note:", text)
	}
}

func (b *bench) main(ctx context.Context, root, only string, draw bool) (err error) {
	if b.root, err = filepath.Abs(root); err != nil {
		return err
	}
	b.bin = filepath.Join(b.root, "bin", "debugbench")
	docs, kept := filepath.Join(b.root, "docs"), filepath.Join(b.bin, "report.json")
	if draw {
		if err := figures.Kept(kept, &b.report); err != nil {
			return err
		}
		return b.report.write(docs)
	}
	if err := installed(); err != nil {
		return err
	}
	if err := b.build(ctx); err != nil {
		return err
	}
	b.buildDelve(ctx)
	if err := b.measure(ctx, only); err != nil {
		return err
	}
	b.print()
	if only != "" {
		return nil
	}
	if err := figures.Keep(kept, b.report); err != nil {
		return err
	}
	return b.report.write(docs)
}

// parts lists the measurements in order.
func (b *bench) parts() []part {
	return []part{
		{"looking", b.look},
		{"lines", b.nextLines},
		{"travelling", b.travel},
		{"ordinary", b.recordOrdinary},
		{"live", b.recordLive},
		{"endings", b.findEndings},
		{"answering", b.answer},
		{"running", b.runFreely},
		{"seeking", b.seek},
		{"whole", b.recordWhole},
		{"past", b.travelWhole},
	}
}

type part struct {
	name    string
	measure func(ctx context.Context, turn int) error
}

// measure does all parts in turn, again and again.
func (b *bench) measure(ctx context.Context, only string) error {
	wanted, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	began := time.Now()
	for turn := range b.pace.turns {
		for _, p := range b.parts() {
			if !wanted.MatchString(p.name) {
				continue
			}
			since := time.Now()
			if err := p.measure(ctx, turn); err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			fmt.Fprintf(os.Stderr, "turn %d: %s took %v\n", turn+1, p.name, time.Since(since).Round(100*time.Millisecond))
		}
	}
	b.report.Took = time.Since(began)
	b.report.Machine = b.thisMachine(ctx)
	b.report.Readings, b.report.Heaps, b.report.Lengths = b.readings, b.pace.heaps, b.pace.lengths
	b.report.Pace.Turns, b.report.Pace.Ticks, b.report.Pace.Steps = b.pace.turns, b.pace.ticks, b.pace.steps
	return nil
}

// print shows the rows that were measured.
func (b *bench) print() {
	for i := range plans {
		r := plans[i].fill(b.readings)
		if r.Ours == notMeasured && (r.Theirs == "" || r.Theirs == notMeasured) {
			continue
		}
		fmt.Fprintf(b.out, "%-58s %-10s %-12s %-10s %8s %10s %s\n", r.What, r.Ours, r.Beside, r.Theirs, r.Measure, r.Goal, r.Verdict)
	}
	for _, e := range b.report.Endings {
		fmt.Fprintf(b.out, "gdb record full, %s: %d instructions; %s\n", e.Function, e.Recorded, e.Words)
	}
}
