package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

// A Timeline shows a recording as a history, through which a session can move in both
// directions. It has the last program of the recording: an exec ends what was before.
//
// Checkpoints are stopped processes, forks of the replaying one. A window of the history
// is made from the nearest checkpoint before it: the program runs translated to its
// beginning, and is interpreted from there, with records that undo each step.
type Timeline struct {
	sizes       Sizes
	tracer      *ptrace.Tracer
	recording   *recfile.Recording
	first, last uint64
	checkpoints []*Player    // by position
	named       procfs.Maps  // see names
	replaying   atomic.Int64 // id of the process that replays, or 0
	windows     map[*history.Records]*Player
	history     *history.History

	ctx    context.Context //nolint:containedctx // ends with the timeline
	cancel context.CancelFunc
}

// Sizes says how much a timeline has in memory at once.
type Sizes struct {
	Window      uint64 // positions of a window
	Spacing     uint64 // least distance of checkpoints, in positions
	Budget      uint64 // bytes of memory of all checkpoints
	MemoryLimit uint64 // bytes of memory of a process that replays
}

// DefaultSizes returns the sizes of NewTimeline.
func DefaultSizes() Sizes {
	return Sizes{Window: 1 << 20, Spacing: 8 << 20, Budget: checkpointBytes, MemoryLimit: memoryLimit()}
}

// NewTimeline replays a recording to its end, which checks it, and returns its timeline.
func NewTimeline(ctx context.Context, r *recfile.Recording) (*Timeline, error) {
	return NewTimelineOf(ctx, r, DefaultSizes())
}

// NewTimelineOf is NewTimeline with other sizes.
func NewTimelineOf(ctx context.Context, r *recfile.Recording, s Sizes) (*Timeline, error) {
	tracer, err := ptrace.Start()
	if err != nil {
		return nil, err
	}
	t := &Timeline{sizes: s, tracer: tracer, recording: r, last: r.End(), windows: make(map[*history.Records]*Player)}
	t.ctx, t.cancel = context.WithCancel(context.WithoutCancel(ctx))
	for n := range r.Len() {
		if e := r.Event(n); e.Kind == recfile.Image {
			t.first = e.Position + e.Positions()
		}
	}
	t.named = t.names()
	t.sizes.Spacing = max(s.Spacing, (t.last-t.first)/maxCheckpoints)
	if err = cmp.Or(r.Failure(), checkFiles(r.Lacking())); err == nil {
		err = explain(r, t.do(ctx, t.replay))
	}
	if err == nil {
		t.history, err = history.Long(t, r.Begins())
	}
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// Close ends all processes, and what is running.
func (t *Timeline) Close() error {
	t.cancel()
	err := t.tracer.Do(context.Background(), func() error {
		var err error
		for _, p := range t.checkpoints {
			err = errors.Join(err, p.Close())
		}
		for _, p := range t.windows {
			err = errors.Join(err, p.EndProcess())
		}
		return err
	})
	t.tracer.Close()
	return err
}

// History returns the history. It must be used by one goroutine at a time.
func (t *Timeline) History() *history.History { return t.history }

// Recording returns the recording.
func (t *Timeline) Recording() *recfile.Recording { return t.recording }

// Checkpoints returns the positions of the checkpoints.
func (t *Timeline) Checkpoints() (list []uint64) {
	for _, c := range t.checkpoints {
		list = append(list, c.Position())
	}
	return list
}

// Shown reports whether a window is in use, which has the memory of a process.
func (t *Timeline) Shown() bool { return len(t.windows) > 0 }

// EndAt makes the timeline end at a position, which is not after the end of the recording.
func (t *Timeline) EndAt(position uint64) { t.last = position }

// Start returns the program as it is at the first position.
func (t *Timeline) Start() history.Base {
	return &replayed{player: t.checkpoints[0], names: t.named, ctx: context.Background()}
}

// Bounds implements history.Past.
func (t *Timeline) Bounds() (first, last uint64) { return t.first, t.last }

// Window implements history.Past.
func (t *Timeline) Window(ctx context.Context, position uint64) (*history.Records, error) {
	start := position - (position-t.first)%t.sizes.Window
	var w *history.Records
	err := t.do(ctx, func(ctx context.Context) error {
		p, err := t.playerAt(ctx, start)
		if err != nil {
			return err
		}
		if w, err = t.record(ctx, p, min(start+t.sizes.Window, t.last)); err != nil {
			return errors.Join(err, p.EndProcess())
		}
		t.windows[w] = p
		return nil
	})
	return w, err
}

// Drop implements history.Past.
func (t *Timeline) Drop(window *history.Records) {
	p := t.windows[window]
	if p == nil {
		return
	}
	delete(t.windows, window)
	window.Discard()
	_ = t.tracer.Do(context.Background(), p.EndProcess) // it is killed with the tracer otherwise
}

// playerAt returns a new Player at a position.
func (t *Timeline) playerAt(ctx context.Context, position uint64) (*Player, error) {
	p, err := t.checkpoints[t.checkpointBefore(position)].Fork()
	if err != nil {
		return nil, err
	}
	if err := p.RunTo(ctx, position); err != nil {
		return nil, errors.Join(err, p.EndProcess())
	}
	return p, nil
}

// record steps a Player to a position and records each step.
func (t *Timeline) record(ctx context.Context, p *Player, end uint64) (_ *history.Records, err error) {
	target := &replayed{player: p, names: t.named, ctx: ctx}
	start := p.Position()
	recorder, err := history.New(target, history.Options{
		First: start, WholeRepeats: true, Budget: windowBudget, MaxSnapshot: windowBudget, Room: t.recording.Memory(),
	})
	if err != nil {
		return nil, err
	}
	h := recorder.History()
	defer func() {
		if recorder.Release(); err != nil {
			h.Records().Discard()
		}
	}()
	target.position = h.End
	for h.End() < end {
		e := p.recording.Event(p.event)
		n := uint64(1)
		if at := h.End(); at < e.Position {
			n = min(end, e.Position) - at
		}
		before := h.End()
		result, err := recorder.Step(ctx, 0, n)
		if err != nil {
			return nil, err
		}
		if err := h.RoomError(); err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if h.End() == before || h.Oldest() != start {
			return nil, p.diverged("it cannot be recorded step by step: %v, %s", result.Why, h.StartReason())
		}
	}
	p.base = h.End() - uint64(p.run.Executed())
	return h.Records(), nil
}

// Inputs implements history.Past.
func (t *Timeline) Inputs(_ context.Context, from, to uint64, f func(position uint64, in history.Input)) error {
	return Inputs(t.recording, from, to, f)
}

// explain adds to the error of a replay which extensions are missing, if there are any.
func explain(r *recfile.Recording, err error) error {
	if _, limit := errors.AsType[*LimitError](err); limit || err == nil {
		return err
	}
	if missing := r.Lacks(); len(missing) > 0 {
		return fmt.Errorf("%w; the program was recorded on a processor with extensions that this one lacks: %s", err, strings.Join(missing, ", "))
	}
	return err
}

// Inputs calls f with the system calls, signals and switches between two positions.
func Inputs(r *recfile.Recording, from, to uint64, f func(position uint64, in history.Input)) error {
	for n := r.After(from); n < r.Len(); n++ {
		e := r.Event(n)
		if e.Position >= to || r.Failure() != nil {
			break
		}
		switch e.Kind {
		case recfile.Call:
			f(e.Position, history.Input{Kind: history.Called, Number: e.Number})
		case recfile.Signal:
			f(e.Position, history.Input{Kind: history.Signalled, Number: e.Number})
		case recfile.Switch:
			f(e.Position, history.Input{Number: e.Number, Switches: true})
		}
	}
	return r.Failure()
}

// windowBudget limits the bytes of a window's records.
const windowBudget = 1 << 30

// names returns the mappings whose names a replay does not have.
func (t *Timeline) names() procfs.Maps {
	var maps procfs.Maps
	for n := range t.recording.Len() {
		e := t.recording.Event(n)
		if e.Kind == recfile.Image {
			maps = nil
		}
		for _, m := range append(e.Mappings, e.Remap.Mapping) {
			if m.File < 0 && m.Name != "" {
				maps = append(maps, procfs.Map{Start: m.Start, End: m.Start + m.Length, Path: m.Name})
			}
		}
	}
	return maps
}
