package main

import (
	"context"
	"errors"
	"fmt"
)

// hotCalls is the number of calls of hot in a round of the program called.
const hotCalls = 5000

// answer asks what recorded calls did, and runs past breakpoints whose condition does not
// hold.
func (b *bench) answer(ctx context.Context, round int) error {
	called := []string{b.program("called")}
	err := b.withTraveller(ctx, maker{ours, b.newTriptych}, called, "begins", func(d timeTraveller) error {
		t, ok := d.(*triptych)
		if !ok {
			return errors.New("another debugger does not trace calls")
		}
		return b.traceCalls(t)
	})
	if err != nil {
		return err
	}
	for _, m := range turned(b.travellers(), round) {
		if err := b.withTraveller(ctx, m, called, "begins", func(d timeTraveller) error { return b.passHot(d, m.name) }); err != nil {
			return err
		}
	}
	return nil
}

// traceCalls records a round of the program and asks for its call, and again when more
// rounds are recorded. Then it asks for all calls.
func (b *bench) traceCalls(t *triptych) error {
	first, _, err := t.until("ends", 1)
	if err == nil {
		err = b.traceWork(t, "call trace first", "call trace")
	}
	if err != nil {
		return err
	}
	more, _, err := t.until("ends", b.pace.rounds)
	if err == nil {
		err = b.traceWork(t, "call trace far")
	}
	if err != nil {
		return err
	}
	took, err := t.call("call_tree", args{"depth": 2}, nil)
	if err != nil {
		return err
	}
	b.readings.takeTime("call tree", ours, took, first+more)
	return nil
}

// traceWork asks for the first call of work, once for each measure.
func (b *bench) traceWork(t *triptych, measures ...string) error {
	for _, measure := range measures {
		took, err := t.call("call_trace", args{"function": "work", "nth": 1}, nil)
		if err != nil {
			return err
		}
		b.readings.takeTime(measure, ours, took, 1)
	}
	return nil
}

// passHot runs through a round with a breakpoint in hot whose condition never holds.
func (b *bench) passHot(d timeTraveller, side string) error {
	if err := d.stopIf("hot", "n < 0"); err != nil {
		return err
	}
	if err := d.stop("ends"); err != nil {
		return err
	}
	took, err := d.run()
	if err != nil {
		return fmt.Errorf("past the condition: %w", err)
	}
	b.readings.takeTime("condition", side, took, hotCalls)
	return nil
}

func (t *triptych) stopIf(function, condition string) error {
	_, err := t.call("set_breakpoint", args{"function": function, "condition": condition}, nil)
	return err
}

func (g *mi) stopIf(function, condition string) error {
	_, err := g.do(fmt.Sprintf("-break-insert -c %q %s", condition, function))
	return err
}
