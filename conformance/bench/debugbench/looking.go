package main

import (
	"context"
	"fmt"
	"time"
)

// A subject is a program that is looked at, and the function that it calls again
// and again, twelve frames deep.
type subject struct{ language, program, function string }

var subjects = []subject{
	{"C", "loop", "tick"},
	{"C++", "shapes", "shapes::tick"},
	{"Go", "workers", "main.tick"},
}

// look attaches to each program with each debugger and looks at it.
func (b *bench) look(ctx context.Context, round int) error {
	for _, s := range subjects {
		makers := []maker{{ours, b.newTriptych}, {quiet, b.newQuiet}, {gdb, newMI}}
		if s.language == "Go" && b.delve != "" {
			makers = append(makers, maker{delve, b.newRPC})
		}
		for _, m := range turned(makers, round) {
			err := b.with(ctx, m, []string{b.program(s.program)}, func(d debugger, attached time.Duration) error {
				b.readings.takeTime("attach "+s.language, m.name, attached, 1)
				return b.lookAt(d, m.name, s)
			})
			if err != nil {
				return fmt.Errorf("%s: %w", s.program, err)
			}
		}
	}
	return nil
}

// turned is a list that begins elsewhere every round.
func turned[T any](list []T, round int) []T {
	k := round % len(list)
	return append(append([]T(nil), list[k:]...), list[:k]...)
}

func (b *bench) lookAt(d debugger, side string, s subject) error {
	if err := d.reach(s.function); err != nil {
		return err
	}
	took, err := medianTime(b.pace.looks, func() (time.Duration, error) {
		if _, err := d.step(); err != nil {
			return 0, err
		}
		n, took, err := d.frames()
		if err == nil && n != 10 {
			err = fmt.Errorf("%d frames, not 10", n)
		}
		return took, err
	})
	if err != nil {
		return err
	}
	b.readings.takeTime("frames "+s.language, side, took, 1)
	if err := b.stepSingly(d, side, s); err != nil {
		return err
	}
	return b.lookAtLocals(d, side, s)
}

func (b *bench) stepSingly(d debugger, side string, s subject) error {
	var all time.Duration
	for range b.pace.singles {
		took, err := d.step()
		if err != nil {
			return err
		}
		all += took
	}
	b.readings.takeTime("single "+s.language, side, all, b.pace.singles)
	return nil
}

// lookAtLocals shows those of the function that calls, another time each time.
func (b *bench) lookAtLocals(d debugger, side string, s subject) error {
	took, err := medianTime(b.pace.looks, func() (time.Duration, error) {
		if err := d.reach(s.function); err != nil {
			return 0, err
		}
		n, took, err := d.locals()
		if err == nil && n < 4 {
			err = fmt.Errorf("%d variables, not 4 or more", n)
		}
		return took, err
	})
	b.readings.takeTime("locals "+s.language, side, took, 1)
	return err
}
