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
	"time"

	"github.com/triptych-mcp/triptych/conformance/bench/figures"
)

func main() {
	b := bench{out: os.Stdout}
	flag.StringVar(&b.root, "root", "../..", "`folder` of the repository")
	flag.BoolVar(&b.quick, "quick", false, "fewer and shorter rounds, smaller stores")
	only := flag.String("only", "", "measure only the parts that match this `regexp`, and write no page")
	soak := flag.String("soak", "", "draw what a soak has written to this `file`, and nothing else")
	draw := flag.Bool("draw", false, "rewrite the page from the last measurements")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := b.main(ctx, *only, *soak, *draw)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

// A bench is one run of the command.
type bench struct {
	out        io.Writer // gets every figure as soon as it is there
	root       string    // of the repository
	bin        string    // where the programs are
	data       string    // a data folder of ours, with a key and a ruleset
	bearer     string    // the key
	echoData   string    // a data folder of the echo, with the same key
	quick      bool
	typescript string // the script of the TypeScript peer, "" without npm
	report     report
}

// A report holds all measurements. It is stored as JSON, so that the page can be
// rewritten without measuring.
type report struct {
	Machine machine
	Took    time.Duration
	Rows    []row
	Plots   []plot
	Costs   []cost
}

// parts lists the measurements in order.
func (b *bench) parts() []part {
	return []part{
		{"stdio", b.stdio},
		{"https", b.https},
		{"trail", b.trail},
		{"start", b.start},
		{"wire", b.wire},
		{"stores", b.stores},
		{"speeds", b.speeds},
		{"costs", b.costs},
		{"connections", b.growConnections},
		{"size", b.growSize},
		{"tools", b.growTools},
		{"rulesets", b.growRulesets},
		{"debuggee", b.growDebuggee},
		{"history", b.growHistory},
	}
}

type part struct {
	name    string
	measure func(context.Context) error
}

func (b *bench) main(ctx context.Context, only, soak string, draw bool) error {
	docs := filepath.Join(b.root, "docs")
	kept := filepath.Join(b.root, "bin", "peers", "report.json")
	switch {
	case soak != "":
		return drawSoak(soak, docs)
	case draw:
		if err := figures.Kept(kept, &b.report); err != nil {
			return err
		}
		return b.report.write(docs)
	}
	if err := b.measure(ctx, only); err != nil || only != "" {
		return err
	}
	if err := figures.Keep(kept, b.report); err != nil {
		return err
	}
	return b.report.write(docs)
}

// measure builds everything and measures the parts.
func (b *bench) measure(ctx context.Context, only string) error {
	wanted, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(b.data) }() // a temporary folder
	if err := b.build(ctx); err != nil {
		return err
	}
	began := time.Now()
	for _, p := range b.parts() {
		if !wanted.MatchString(p.name) {
			continue
		}
		since := time.Now()
		if err := p.measure(ctx); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		fmt.Fprintf(os.Stderr, "%s took %v\n", p.name, time.Since(since).Round(time.Second))
	}
	b.report.Took = time.Since(began)
	return nil
}
