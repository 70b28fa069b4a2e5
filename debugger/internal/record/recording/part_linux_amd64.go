package recording

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// A Part is a recording of a stretch.
type Part struct {
	first, last uint64
	store       *store
	index       *index
	timeline    *Timeline // nil until it is looked at
	kept        *kept     // with which the recording goes on, or nil
}

// Bounds implements history.Source.
func (p *Part) Bounds() (first, last uint64) { return p.first, p.last }

// Bytes returns how much memory the recording takes.
func (p *Part) Bytes() int { return len(p.store.memory) + p.index.bytes() }

// Inputs is that of Past, for the records before another position.
func (p *Part) Inputs(_ context.Context, from, to uint64, f func(kind history.Kind, number uint64)) error {
	r, err := p.read()
	if err != nil {
		return err
	}
	for n := r.after(from); n < r.Len(); n++ {
		e := r.Event(n)
		if e.Position >= to || r.failure() != nil {
			break
		}
		switch e.Kind {
		case Call:
			f(history.Called, e.Number)
		case Signal:
			f(history.Signalled, e.Number)
		}
	}
	return r.failure()
}

// read returns the recording, which need not be replayed.
func (p *Part) read() (*Recording, error) {
	if p.timeline != nil {
		return p.timeline.recording, nil
	}
	return openFrames(p.store, p.index)
}

// open replays the recording, unless it is there.
func (p *Part) open(ctx context.Context) (*Timeline, error) {
	if p.timeline != nil {
		p.timeline.last = p.last // it may have been cut
		return p.timeline, nil
	}
	r, err := openFrames(p.store, p.index)
	if err != nil {
		return nil, err
	}
	r.endAt(p.last)
	t, err := NewTimeline(ctx, r)
	if err == nil {
		p.timeline, t.last, p.kept = t, p.last, nil // what follows is another recording
	}
	return t, err
}

func (p *Part) close() error {
	t := p.timeline
	if p.timeline = nil; t == nil {
		return nil
	}
	return t.Close()
}

// Window implements history.Source.
func (p *Part) Window(ctx context.Context, position uint64) (*history.History, error) {
	t, err := p.open(ctx)
	if err != nil {
		return nil, err
	}
	return t.Window(ctx, position)
}

// Drop implements history.Source.
func (p *Part) Drop(w *history.History) {
	if t := p.timeline; t != nil && t.windows[w] != nil {
		t.Drop(w)
	}
}

// Last implements history.Finder.
func (p *Part) Last(ctx context.Context, places *history.Places, from, to uint64) (uint64, bool, error) {
	t, err := p.open(ctx)
	if err != nil {
		return 0, false, err
	}
	return t.Last(ctx, places, from, to)
}

// First implements history.Finder.
func (p *Part) First(ctx context.Context, places *history.Places, from, to uint64) (uint64, bool, error) {
	t, err := p.open(ctx)
	if err != nil {
		return 0, false, err
	}
	return t.First(ctx, places, from, to)
}
