//go:build linux

package load

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// A Soaked is a road that is kept busy for long.
type Soaked struct {
	Name     string
	Road     Road
	Mix      *Mix
	Parallel int // requests in flight
}

// A Moment is what a road was like for a while of a soak.
type Moment struct {
	Road     string
	Seconds  float64 // since the beginning
	N        int     // answers
	Rate     float64 // a second
	P50, P99 float64 // microseconds
	CPU      float64 // microseconds of the server for an answer
	RSS      int64   // bytes
	FDs      int
	Threads  int
}

// Soak keeps all roads busy at once, and looks at each of them every so often.
// A wrong answer ends it.
func Soak(ctx context.Context, roads []Soaked, total, every time.Duration) ([]Moment, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var (
		running sync.WaitGroup
		mu      sync.Mutex
		moments []Moment
	)
	began := time.Now()
	for _, s := range roads {
		running.Go(func() {
			for ctx.Err() == nil && time.Since(began) < total {
				m, err := s.moment(every)
				if err != nil {
					stop(fmt.Errorf("%s: %w", s.Name, err))
					return
				}
				m.Seconds = time.Since(began).Seconds()
				mu.Lock()
				moments = append(moments, m)
				mu.Unlock()
			}
		})
	}
	running.Wait()
	return moments, context.Cause(ctx)
}

func (s *Soaked) moment(d time.Duration) (Moment, error) {
	sample, err := s.Road.Run(s.Mix, s.Parallel, d)
	if err != nil {
		return Moment{}, err
	}
	if sample.Bad > 0 {
		return Moment{}, fmt.Errorf("%d of %d answers are wrong", sample.Bad, sample.N)
	}
	usage, err := Look(s.Road.PID())
	return Moment{
		Road: s.Name, N: sample.N, Rate: sample.Rate(), CPU: sample.CPUEach(),
		P50: micros(sample.Latency.Quantile(.5)), P99: micros(sample.Latency.Quantile(.99)),
		RSS: usage.RSS, FDs: usage.FDs, Threads: usage.Threads,
	}, err
}
