package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/conformance/bench/figures"
)

// dirtyPages is the number of pages that the heap program writes in a round.
const dirtyPages = 500

// runFreely lets a program with a large heap run from stop to stop: ours takes a
// snapshot at each, gdb does not.
func (b *bench) runFreely(ctx context.Context, round int) error {
	for _, mib := range b.pace.heaps {
		heap := []string{b.program("heap"), strconv.Itoa(mib), strconv.Itoa(dirtyPages)}
		for _, m := range turned(b.travellers(), round) {
			err := b.withTraveller(ctx, m, append(heap, "0"), "round_begins", func(d timeTraveller) error {
				return b.runAndStop(d, m.name, mib)
			})
			if err != nil {
				return fmt.Errorf("%d MiB: %w", mib, err)
			}
		}
		if err := b.runAlone(ctx, append(heap, "300"), mib); err != nil {
			return err
		}
	}
	return nil
}

// runAndStop runs from round to round. What a stop costs is the time of the
// request without that of the program's round, as the program itself measures it.
func (b *bench) runAndStop(d timeTraveller, side string, mib int) error {
	if err := d.stop("round_begins"); err != nil {
		return err
	}
	var stops, rounds []float64
	before, err := d.value("spent")
	for i := 0; err == nil && i < b.pace.stops; i++ {
		took, failed := d.run()
		if failed != nil {
			return failed
		}
		var after uint64
		after, err = d.value("spent")
		own := float64(after-before) / 1e9
		before = after
		if i > 0 { // the first one begins the history
			stops, rounds = append(stops, took.Seconds()-own), append(rounds, own)
		}
	}
	if err != nil {
		return err
	}
	b.readings.take(fmt.Sprintf("round %d", mib), side, figures.Median(rounds))
	t, mine := d.(*triptych)
	if !mine || b.remembers(t, mib) {
		b.readings.take(fmt.Sprintf("stop %d", mib), side, figures.Median(stops))
	}
	if mine {
		return b.runOn(t, mib)
	}
	return nil
}

// remembers reports whether the stops are in the history. They are not where there
// is too much memory for snapshots.
func (b *bench) remembers(t *triptych, mib int) bool {
	if t.state.History.End-t.state.History.Oldest >= uint64(b.pace.stops-1) {
		return true
	}
	b.note(fmt.Sprintf("With a heap of %d MiB our history has none of the stops: it begins anew at each.", mib))
	return false
}

// runOn lets the program run for a while without a stop.
func (b *bench) runOn(t *triptych, mib int) error {
	if _, err := t.call("clear_breakpoint", args{"id": 2}, nil); err != nil { // 1 was to reach the first round
		return err
	}
	spent, err := t.value("spent")
	if err != nil {
		return err
	}
	rounds, err := t.value("rounds")
	if err != nil {
		return err
	}
	if err := t.spell(b.pace.spell); err != nil {
		return err
	}
	spentAfter, err := t.value("spent")
	if err != nil {
		return err
	}
	roundsAfter, err := t.value("rounds")
	b.readings.take(fmt.Sprintf("running %d", mib), ours, float64(spentAfter-spent)/float64(roundsAfter-rounds)/1e9)
	return err
}

// runAlone is the same program without a debugger.
func (b *bench) runAlone(ctx context.Context, argv []string, mib int) error {
	out, err := run(ctx, b.bin, nil, argv...)
	if err != nil {
		return err
	}
	ns, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimPrefix(out, "ready\n")), 64)
	b.readings.take(fmt.Sprintf("running %d", mib), alone, ns/1e9)
	return err
}

// seek draws how long it takes to go to the beginning of a history and to come
// back, by its length. Every other turn is enough for a plot.
func (b *bench) seek(ctx context.Context, turn int) error {
	if turn%2 == 1 {
		return nil
	}
	loop := []string{b.program("loop")}
	for _, m := range b.travellers() {
		err := b.withTraveller(ctx, m, loop, "era_begins", func(d timeTraveller) error {
			if err := d.record(); err != nil {
				return err
			}
			return b.seekIn(d, m.name)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) seekIn(d timeTraveller, side string) error {
	have := 0
	for _, n := range b.pace.lengths {
		if side == gdb && n > b.pace.longest {
			return nil // it would take minutes to record
		}
		if _, err := d.steps(n - have); err != nil {
			return err
		}
		have = n
		for _, way := range []struct {
			measure string
			move    func() (time.Duration, error)
		}{
			{"seek beginning", d.beginning},
			{"seek present", d.present},
			{"seek one", func() (time.Duration, error) { return d.back(1) }},
		} {
			took, err := way.move()
			if err != nil {
				return fmt.Errorf("%s after %d: %w", way.measure, n, err)
			}
			b.readings.takeTime(fmt.Sprintf("%s %d", way.measure, n), side, took, 1)
		}
		if _, err := d.present(); err != nil {
			return err
		}
	}
	return nil
}
