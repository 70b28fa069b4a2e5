package recording

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
	"github.com/triptych-mcp/triptych/debugger/internal/record/replay"
)

// A Part is a recording of a stretch.
type Part struct {
	first, last uint64
	past        *Past            // that it is a part of
	before      *history.Records // that end where it begins, and are read from its processes; or nil
	store       *recfile.Store
	index       *recfile.Index
	timeline    *replay.Timeline // nil until it is looked at
	kept        *kept            // with which the recording goes on, or nil
}

// Bounds implements history.Past.
func (p *Part) Bounds() (first, last uint64) { return p.first, p.last }

// Bytes implements history.Part.
func (p *Part) Bytes() int { return p.store.InMemory() + p.index.Bytes() }

// Inputs implements history.Past, without a replay.
func (p *Part) Inputs(_ context.Context, from, to uint64, f func(position uint64, in history.Input)) error {
	r, err := p.read()
	if err != nil {
		return err
	}
	return replay.Inputs(r, from, to, f)
}

// read returns the recording, which need not be replayed.
func (p *Part) read() (*recfile.Recording, error) {
	if p.timeline != nil {
		return p.timeline.Recording(), nil
	}
	return recfile.OpenFrames(p.store, p.index)
}

// open replays the recording, unless it is there.
func (p *Part) open(ctx context.Context) (*replay.Timeline, error) {
	if p.timeline != nil {
		p.timeline.EndAt(p.last) // it may have been cut
		return p.timeline, nil
	}
	if err := p.past.makeRoom(); err != nil {
		return nil, err
	}
	r, err := recfile.OpenFrames(p.store, p.index)
	if err != nil {
		return nil, err
	}
	r.EndAt(p.last)
	t, err := replay.NewTimeline(ctx, r)
	if err == nil {
		t.EndAt(p.last)
		p.timeline, p.kept = t, nil // what follows is another recording
	}
	return t, err
}

// shown reports whether a window is in use that the processes have the memory of.
func (p *Part) shown() bool {
	return p.timeline != nil && p.timeline.Shown() || p.before != nil && p.before.Shown()
}

// stop ends the processes.
func (p *Part) stop() error {
	t := p.timeline
	if p.timeline = nil; t == nil {
		return nil
	}
	return t.Close()
}

// Window implements history.Past.
func (p *Part) Window(ctx context.Context, position uint64) (*history.Records, error) {
	t, err := p.open(ctx)
	if err != nil {
		return nil, err
	}
	return t.Window(ctx, position)
}

// Drop implements history.Past.
func (p *Part) Drop(w *history.Records) {
	if t := p.timeline; t != nil {
		t.Drop(w)
	}
}

// Last implements history.Past.
func (p *Part) Last(ctx context.Context, places *history.Places, from, to uint64) (uint64, bool, error) {
	t, err := p.open(ctx)
	if err != nil {
		return 0, false, err
	}
	return t.Last(ctx, places, from, to)
}

// First implements history.Past.
func (p *Part) First(ctx context.Context, places *history.Places, from, to uint64) (uint64, bool, error) {
	t, err := p.open(ctx)
	if err != nil {
		return 0, false, err
	}
	return t.First(ctx, places, from, to)
}

// Hits implements history.Past.
func (p *Part) Hits(ctx context.Context, code []uint64, from, to uint64, f func(history.Hit) bool) (reached uint64, err error) {
	t, err := p.open(ctx)
	if err != nil {
		return from, err
	}
	return t.Hits(ctx, code, from, to, f)
}

// Visit implements history.Past.
func (p *Part) Visit(ctx context.Context, code []uint64, from, to uint64, f func(history.Hit, *history.View) bool) (reached uint64, err error) {
	t, err := p.open(ctx)
	if err != nil {
		return from, err
	}
	return t.Visit(ctx, code, from, to, f)
}

// Branches implements history.Past.
func (p *Part) Branches(ctx context.Context, wanted history.Wanted, from, to uint64, f func(*history.Transition) bool) (reached uint64, err error) {
	t, err := p.open(ctx)
	if err != nil {
		return from, err
	}
	return t.Branches(ctx, wanted, from, to, f)
}

// Accesses implements history.Past.
func (p *Part) Accesses(ctx context.Context, from, to uint64, f func(*history.Access) bool) (reached uint64, err error) {
	t, err := p.open(ctx)
	if err != nil {
		return from, err
	}
	return t.Accesses(ctx, from, to, f)
}

// CheckCut implements history.Part. A recording can end anywhere.
func (p *Part) CheckCut(uint64) error { return nil }

// Cut implements history.Part.
func (p *Part) Cut(position uint64) { p.last, p.kept = min(p.last, position), nil }

// Close implements history.Part.
func (p *Part) Close() error {
	err := p.stop()
	p.store.Release()
	return err
}
