package main

import (
	"context"
	"fmt"
	"time"
)

// The names of those that are compared, as they stand in the tables.
const (
	ours  = "ours"
	quiet = "ours without an audit trail"
	gdb   = "gdb"
	delve = "Delve"
	bare  = "bare ptrace" // steps in a loop of C, and nothing else
	alone = "alone"       // the program without a debugger
)

// A debugger is one of those that are compared, with one process. The times that
// its methods return cover the exchange, without the time to decode
// the answer.
type debugger interface {
	// attach attaches to a process, which stops, and shows its stack.
	attach(pid int) (time.Duration, error)
	// reach lets the process run to a function, and stops there.
	reach(function string) error
	// step does one instruction.
	step() (time.Duration, error)
	// frames shows ten frames with names, and returns how many there were.
	frames() (n int, took time.Duration, err error)
	// locals shows the local variables of the frame above the current one, and
	// returns how many there were.
	locals() (n int, took time.Duration, err error)
	close() error
}

// A timeTraveller is a debugger that records and goes back.
type timeTraveller interface {
	debugger
	// record begins to record.
	record() error
	// steps does so many instructions in one request.
	steps(n int) (time.Duration, error)
	// until records until a function is called for the nth time from now. It
	// returns how many steps were recorded.
	until(function string, n int) (steps int, took time.Duration, err error)
	// back goes back so many instructions in one request.
	back(n int) (time.Duration, error)
	// beginning goes back to where recording began, present to its end.
	beginning() (time.Duration, error)
	present() (time.Duration, error)
	// written goes back to where a variable was last written.
	written(variable string) (time.Duration, error)
	// size returns the memory of the records in bytes.
	size() int
	// value is that of a variable that is a number.
	value(variable string) (uint64, error)
	// stop sets a breakpoint that stays, and run runs to it without recording.
	stop(function string) error
	// stopIf sets one with a condition.
	stopIf(function, condition string) error
	run() (time.Duration, error)
}

// A maker starts a debugger, which has no process yet.
type maker struct {
	name string
	make func(ctx context.Context) (debugger, error)
}

// with starts a program under a debugger that has just been started, attaches and
// calls f; then it ends both. The time is that of attaching.
func (b *bench) with(ctx context.Context, m maker, argv []string, f func(d debugger, attached time.Duration) error) error {
	t, err := startTarget(ctx, argv...)
	if err != nil {
		return err
	}
	defer t.end()
	d, err := m.make(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", m.name, err)
	}
	took, err := d.attach(t.pid)
	if err == nil {
		err = f(d, took)
	}
	if ended := d.close(); err == nil {
		err = ended
	}
	if err != nil {
		return fmt.Errorf("%s: %w", m.name, err)
	}
	return nil
}

// withTraveller is the same for one that goes back, at a function.
func (b *bench) withTraveller(ctx context.Context, m maker, argv []string, at string, f func(d timeTraveller) error) error {
	return b.with(ctx, m, argv, func(d debugger, _ time.Duration) error {
		traveller, ok := d.(timeTraveller)
		if !ok {
			return fmt.Errorf("%s cannot go back", m.name)
		}
		if err := d.reach(at); err != nil {
			return err
		}
		return f(traveller)
	})
}
