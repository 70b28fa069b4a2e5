package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/triptych-mcp/triptych/conformance/bench/figures"
	"github.com/triptych-mcp/triptych/conformance/bench/load"
)

// A reading holds the medians over all rounds of one measurement.
type reading struct {
	Name string
	Rate float64 // a second
	CPU  float64 // microseconds each
	P50  float64 // microseconds
	P99  float64
	Peak int64 // bytes of resident memory, at most
	Bad  int

	rounds []round
}

type round struct{ rate, cpu, p50, p99 float64 }

// finish makes the medians.
func (r *reading) finish() {
	of := func(column func(round) float64) float64 { return figures.Median(each(r.rounds, column)) }
	r.Rate = of(func(x round) float64 { return x.rate })
	r.CPU = of(func(x round) float64 { return x.cpu })
	r.P50 = of(func(x round) float64 { return x.p50 })
	r.P99 = of(func(x round) float64 { return x.p99 })
}

// over returns the ratio of its rate to another's: the median of the rounds'
// ratios.
func (r *reading) over(o *reading) float64 {
	var ratios []float64
	for i := range min(len(r.rounds), len(o.rounds)) {
		ratios = append(ratios, r.rounds[i].rate/o.rounds[i].rate)
	}
	return figures.Median(ratios)
}

func each[T any](list []T, f func(T) float64) []float64 {
	var out []float64
	for _, x := range list {
		out = append(out, f(x))
	}
	return out
}

// pace is the number of rounds and the duration of each.
type pace struct {
	rounds int
	warm   time.Duration
	each   time.Duration
}

func (b *bench) pace() pace {
	if b.quick {
		return pace{5, 80 * time.Millisecond, 150 * time.Millisecond}
	}
	return pace{9, 200 * time.Millisecond, 250 * time.Millisecond}
}

// brisk is the pace of plots, of which one point may be off.
func (b *bench) brisk() pace {
	if b.quick {
		return pace{2, 40 * time.Millisecond, 80 * time.Millisecond}
	}
	return pace{3, 100 * time.Millisecond, 200 * time.Millisecond}
}

// A contender is one server and what it is asked.
type contender struct {
	server   load.Server
	messages []load.Message
}

// contest measures servers in turn, which one begins changes every round.
func contest(ctx context.Context, p pace, parallel int, list ...contender) ([]reading, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	readings := make([]reading, len(list))
	var turns []func(time.Duration) (*load.Sample, error)
	var conns []load.Conn
	for i, c := range list {
		readings[i].Name = c.server.Name
		conn, err := load.Open(ctx, c.server)
		if err != nil {
			return nil, err
		}
		conns = append(conns, conn)
		mix, err := load.Prepare(conn, c.messages...)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.server.Name, err)
		}
		turns = append(turns, func(d time.Duration) (*load.Sample, error) { return conn.Run(mix, parallel, d) })
	}
	if err := turnByTurn(p, turns, readings); err != nil {
		return nil, err
	}
	for i, conn := range conns {
		usage, err := load.Look(conn.PID())
		readings[i].Peak = usage.Peak
		if err = errors.Join(err, conn.Close()); err != nil {
			return nil, fmt.Errorf("%s: %w", readings[i].Name, err)
		}
	}
	return readings, nil
}

// race is the same of functions in this process.
func race(p pace, ops ...op) ([]reading, error) {
	readings := make([]reading, len(ops))
	var turns []func(time.Duration) (*load.Sample, error)
	for i, o := range ops {
		readings[i].Name = o.name
		turns = append(turns, o.run)
	}
	return readings, turnByTurn(p, turns, readings)
}

// An op is something that is done again and again.
type op struct {
	name string
	do   func() error
}

func (o op) run(d time.Duration) (*load.Sample, error) {
	s := new(load.Sample)
	before, err := load.CPU(os.Getpid())
	if err != nil {
		return nil, err
	}
	for began := time.Now(); s.Took < d; s.N++ {
		if err := o.do(); err != nil {
			return nil, fmt.Errorf("%s: %w", o.name, err)
		}
		now := time.Since(began)
		s.Latency.Add(now - s.Took)
		s.Took = now
	}
	after, err := load.CPU(os.Getpid())
	s.CPU = after - before
	return s, err
}

// turnByTurn warms all up, measures all in rounds and makes the medians.
func turnByTurn(p pace, turns []func(time.Duration) (*load.Sample, error), readings []reading) error {
	for r := -1; r < p.rounds; r++ {
		for k := range turns {
			i := (k + r + 1) % len(turns)
			d := p.each
			if r < 0 {
				d = p.warm
			}
			s, err := turns[i](d)
			if err != nil {
				return fmt.Errorf("%s: %w", readings[i].Name, err)
			}
			if readings[i].Bad += s.Bad; s.Bad > 0 {
				return fmt.Errorf("%s: %d wrong answers", readings[i].Name, s.Bad)
			}
			if r >= 0 {
				readings[i].rounds = append(readings[i].rounds, roundOf(s))
			}
		}
	}
	for i := range readings {
		readings[i].finish()
	}
	return nil
}

func roundOf(s *load.Sample) round {
	micros := func(q float64) float64 { return float64(s.Latency.Quantile(q)) / 1000 }
	return round{rate: s.Rate(), cpu: s.CPUEach(), p50: micros(.5), p99: micros(.99)}
}
