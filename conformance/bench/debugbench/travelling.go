package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// travellers lists the debuggers that can go back.
func (b *bench) travellers() []maker {
	return []maker{{ours, b.newStepwise}, {gdb, newMI}}
}

// travel records in a loop of integers, forward and back, with each debugger that
// can.
func (b *bench) travel(ctx context.Context, round int) error {
	loop := []string{b.program("loop")}
	for _, m := range turned(b.travellers(), round) {
		if err := b.withTraveller(ctx, m, loop, "era_begins", func(d timeTraveller) error { return b.stepThere(d, m.name) }); err != nil {
			return err
		}
		if err := b.withTraveller(ctx, m, loop, "era_begins", func(d timeTraveller) error { return b.recordFar(d, m.name) }); err != nil {
			return err
		}
	}
	if err := b.stepPlainly(ctx, loop); err != nil {
		return err
	}
	return b.stepBare(ctx, loop)
}

// stepThere records steps and goes back, one by one and all at once.
func (b *bench) stepThere(d timeTraveller, side string) error {
	if err := d.record(); err != nil {
		return err
	}
	n := b.pace.steps
	took, err := d.steps(n)
	if err != nil {
		return err
	}
	b.readings.takeTime("steps", side, took, n)
	var all time.Duration
	for range b.pace.singles {
		took, err := d.back(1)
		if err != nil {
			return err
		}
		all += took
	}
	b.readings.takeTime("back singly", side, all, b.pace.singles)
	if took, err = d.back(n - b.pace.singles); err != nil {
		return err
	}
	b.readings.takeTime("back", side, took, n-b.pace.singles)
	return nil
}

// recordFar records without stepping, and goes back to the beginning and to what
// was written there. What it records begins with an era and ends before the next.
func (b *bench) recordFar(d timeTraveller, side string) error {
	if err := d.record(); err != nil {
		return err
	}
	n, took, err := d.until("tick", b.pace.ticks)
	if err != nil {
		return err
	}
	b.readings.takeTime("record", side, took, n)
	b.readings.take("bytes", side, float64(d.size())/float64(n))
	if took, err = d.beginning(); err != nil {
		return err
	}
	b.readings.takeTime("beginning", side, took, n)
	if _, err := d.present(); err != nil {
		return err
	}
	if took, err = d.written("era"); err != nil {
		return fmt.Errorf("what wrote era: %w", err)
	}
	b.readings.takeTime("written", side, took, 1)
	return nil
}

// stepPlainly is gdb's stepping without a record.
func (b *bench) stepPlainly(ctx context.Context, loop []string) error {
	return b.withTraveller(ctx, maker{gdb, newMI}, loop, "era_begins", func(d timeTraveller) error {
		took, err := d.steps(b.pace.steps)
		b.readings.takeTime("steps plain", gdb, took, b.pace.steps)
		return err
	})
}

// stepBare measures the cost of the kernel's single steps.
func (b *bench) stepBare(ctx context.Context, argv []string) error {
	t, err := startTarget(ctx, argv...)
	if err != nil {
		return err
	}
	defer t.end()
	out, err := run(ctx, b.bin, nil, b.program("floor"), strconv.Itoa(t.pid), strconv.Itoa(10*b.pace.steps))
	if err != nil {
		return err
	}
	ns, err := strconv.ParseFloat(strings.TrimSpace(out), 64)
	for _, measure := range []string{"steps", "record ordinary"} {
		b.readings.take(measure, bare, ns/1e9)
	}
	return err
}

// recordOrdinary records rounds of a program that does what programs do.
func (b *bench) recordOrdinary(ctx context.Context, _ int) error {
	return b.withTraveller(ctx, maker{ours, b.newStepwise}, []string{b.program("ordinary")}, "round_begins", func(d timeTraveller) error {
		n, took, err := d.until("round_ends", b.pace.rounds)
		if err != nil {
			return err
		}
		b.readings.takeTime("record ordinary", ours, took, n)
		b.readings.take("bytes ordinary", ours, float64(d.size())/float64(n))
		return nil
	})
}

// An ending is the place in a function of the ordinary program at which gdb's record ends.
type ending struct {
	Function string
	Recorded int    // instructions
	Words    string // gdb's, "" if it recorded all
}

// ordinaryFunctions are the parts of a round of the ordinary program.
var ordinaryFunctions = []string{"integers", "text", "formats", "numbers", "atomics", "calls"}

// findEndings lets gdb record each function to its end. It happens once: what it
// says is the same every time.
func (b *bench) findEndings(ctx context.Context, round int) error {
	if round > 0 {
		return nil
	}
	for _, function := range ordinaryFunctions {
		err := b.withTraveller(ctx, maker{gdb, newMI}, []string{b.program("ordinary")}, function, func(d timeTraveller) error {
			e, err := d.(*mi).finish()
			e.Function = function
			b.report.Endings = append(b.report.Endings, e)
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", function, err)
		}
	}
	return nil
}

// finish records a function up to its end, if that can be done.
func (g *mi) finish() (ending, error) {
	if err := g.record(); err != nil {
		return ending{}, err
	}
	_, stop, err := g.move("-exec-finish")
	if err != nil {
		return ending{}, err
	}
	e := ending{}
	if !strings.Contains(stop, "function-finished") {
		e.Words = complaint(g.said)
	}
	e.Recorded, err = g.length()
	return e, err
}

// complaint returns gdb's message about its record, without its marks.
func complaint(said string) string {
	var words []string
	for line := range strings.Lines(said) {
		text, ok := strings.CutPrefix(strings.TrimSpace(line), `&"`)
		if !ok || !strings.Contains(text, "ecord") { // the others are about files of source
			continue
		}
		if text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(text, `"`), `\n`)); text != "" {
			words = append(words, text)
		}
	}
	return strings.Join(words, " ")
}
