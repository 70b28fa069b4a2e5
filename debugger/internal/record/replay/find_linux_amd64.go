package replay

import (
	"cmp"
	"context"
	"errors"
	"math"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/limits/worktime"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
)

// Last implements history.Past. It replays stretches of the recording, the last one
// first. Each is as long as all those after it, so that few processes are needed.
func (t *Timeline) Last(ctx context.Context, places *history.Places, from, to uint64) (position uint64, ok bool, err error) {
	before := to
	work := worktime.Of(ctx)
	phase := work.Phase(to - min(from, to))
	defer phase.Close()
	err = t.do(ctx, func(ctx context.Context) error {
		for n := 1; before > from && !ok; n *= 2 {
			c := t.checkpoints[max(0, t.checkpointBefore(before-1)-n+1)]
			start := max(from, c.Position())
			stretch := work.Phase(before - start)
			var err error
			if position, ok, err = t.lastSince(ctx, c, places, start, before, stretch); err != nil {
				return err
			}
			if before = start; !ok {
				work.Looked(start, to, true)
			}
			phase.At(to - before)
		}
		return nil
	})
	if errors.Is(err, inplace.ErrNotWatched) {
		return to - 1, to > from, nil
	}
	return position, ok, err
}

// First implements history.Past.
func (t *Timeline) First(ctx context.Context, places *history.Places, from, to uint64) (position uint64, ok bool, err error) {
	err = t.do(ctx, func(ctx context.Context) error {
		return eachGroup(places, func(places *history.Places, ranges []ptrace.Range) (bool, error) {
			if len(ranges) > ptrace.MaxWatched {
				return false, inplace.ErrNotWatched
			}
			at, found, err := t.firstSince(ctx, places, ranges, from, to)
			if found {
				position, ok, to = at, true, at
			}
			return to > from, err
		})
	})
	if errors.Is(err, inplace.ErrNotWatched) {
		return from, to > from, nil
	}
	return position, ok, err
}

// firstSince finds the first place between two positions.
func (t *Timeline) firstSince(ctx context.Context, places *history.Places, ranges []ptrace.Range, from, to uint64) (position uint64, ok bool, err error) {
	p, err := t.playerAt(ctx, from)
	if err != nil {
		return 0, false, err
	}
	s := t.search(p, places, ranges)
	s.one = true
	s.stretch = worktime.Of(ctx).Phase(to - min(from, to))
	defer s.stretch.Close()
	err = s.look(ctx, from, to, math.MaxInt)
	if !s.found && len(pieces(places.Memory)) == len(ranges) {
		worktime.Of(ctx).Looked(from, min(max(from, p.Position()), to), false)
	}
	return s.first, s.found, errors.Join(err, p.EndProcess())
}

// eachGroup calls f with places that one replay can look for, until it returns false: with
// as many ranges as the processor can watch, or with too many for some replays.
func eachGroup(places *history.Places, f func(places *history.Places, ranges []ptrace.Range) (bool, error)) error {
	ranges := pieces(places.Memory)
	if len(ranges) > maxPieces {
		_, err := f(places, ranges)
		return err
	}
	group := *places
	for {
		n := min(len(ranges), ptrace.MaxWatched)
		more, err := f(&group, ranges[:n])
		if ranges = ranges[n:]; !more || err != nil || len(ranges) == 0 {
			return err
		}
		group.Code = nil
	}
}

// lastSince finds the last place between two positions in replays from a checkpoint.
func (t *Timeline) lastSince(ctx context.Context, c *Player, places *history.Places, from, to uint64, stretch *worktime.Phase) (position uint64, ok bool, err error) {
	err = eachGroup(places, func(places *history.Places, ranges []ptrace.Range) (bool, error) {
		if len(ranges) > ptrace.MaxWatched {
			return false, inplace.ErrNotWatched
		}
		p, err := c.Fork()
		if err != nil {
			return false, err
		}
		s := t.search(p, places, ranges)
		s.stretch, s.top = stretch, to
		if len(pieces(places.Memory)) == len(ranges) {
			s.whole = worktime.Of(ctx)
		}
		at, found, err := lastOf(ctx, s, from, to)
		if found {
			position, ok = max(position, at), true
		}
		return true, err
	})
	return position, ok, err
}

// lastOf finds the last place between two positions, and ends the process of a search. After
// many stops the second half of what is left comes first, since the last place is probably
// there.
func lastOf(ctx context.Context, s *search, from, to uint64) (position uint64, ok bool, err error) {
	defer func() { err = errors.Join(err, s.EndProcess()) }()
	if err := s.look(ctx, from, to, maxStops); err != nil {
		return 0, false, err
	}
	position, ok = s.last, s.found
	at := s.Position()
	switch {
	case at >= to:
		if !ok {
			s.whole.Looked(from, s.top, true)
		}
		return position, ok, nil
	case to-at <= s.shortest:
		return to - 1, true, nil
	}
	middle := at + (to-at)/2
	half, err := s.Fork()
	if err != nil {
		return 0, false, err
	}
	second := s.with(half)
	if err := second.pass(ctx, middle); err != nil {
		return 0, false, errors.Join(err, half.EndProcess())
	}
	if at, found, err := lastOf(ctx, second, middle, to); found || err != nil {
		return at, found, err
	}
	if at, found, err := lastOf(ctx, s, at, middle); found || err != nil {
		return at, found, err
	}
	return position, ok, nil
}

// do calls f on the tracer's thread, with a context that ends with the request or with the
// timeline, or when a process that replays has too much memory.
func (t *Timeline) do(ctx context.Context, f func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(t.ctx, func() { cancel(errClosed) })()
	return t.tracer.Do(ctx, func() error {
		defer t.watchMemory(cancel)()
		defer t.replaying.Store(0)
		err := f(ctx)
		return cmp.Or(t.recording.Failure(), err) // what has failed first has made the other one
	})
}

// errClosed reports that a timeline was closed during a request.
var errClosed = errors.New("the recording was closed")
