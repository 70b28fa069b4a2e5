//go:build linux

package load

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// A SoakTarget is a connection that is kept busy for long.
type SoakTarget struct {
	Name     string
	Conn     Conn
	Mix      *Mix
	Parallel int // requests in flight
}

// An Interval holds the measurements of a connection during a part of a soak test.
type Interval struct {
	Conn     string
	Seconds  float64 // since the beginning
	N        int     // answers
	Rate     float64 // a second
	P50, P99 float64 // microseconds
	CPU      float64 // microseconds of the server for an answer
	RSS      int64   // bytes
	FDs      int
	Threads  int
}

// Soak keeps all conns busy at once, and looks at each of them every so often.
// A wrong answer ends it.
func Soak(ctx context.Context, conns []SoakTarget, total, every time.Duration) ([]Interval, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var (
		running   sync.WaitGroup
		mu        sync.Mutex
		intervals []Interval
	)
	began := time.Now()
	for _, s := range conns {
		running.Go(func() {
			for ctx.Err() == nil && time.Since(began) < total {
				m, err := s.interval(every)
				if err != nil {
					stop(fmt.Errorf("%s: %w", s.Name, err))
					return
				}
				m.Seconds = time.Since(began).Seconds()
				mu.Lock()
				intervals = append(intervals, m)
				mu.Unlock()
			}
		})
	}
	running.Wait()
	return intervals, context.Cause(ctx)
}

func (s *SoakTarget) interval(d time.Duration) (Interval, error) {
	sample, err := s.Conn.Run(s.Mix, s.Parallel, d)
	if err != nil {
		return Interval{}, err
	}
	if sample.Bad > 0 {
		return Interval{}, fmt.Errorf("%d of %d answers are wrong", sample.Bad, sample.N)
	}
	usage, err := Look(s.Conn.PID())
	return Interval{
		Conn: s.Name, N: sample.N, Rate: sample.Rate(), CPU: sample.CPUEach(),
		P50: micros(sample.Latency.Quantile(.5)), P99: micros(sample.Latency.Quantile(.99)),
		RSS: usage.RSS, FDs: usage.FDs, Threads: usage.Threads,
	}, err
}
