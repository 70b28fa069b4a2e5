package recording

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

// Step executes the next instruction in its original place, whatever it is.
func (p *Player) Step(ctx context.Context) (inplace.Stop, error) { return p.run.Step(ctx) }

// NewTimelineOf is NewTimeline with sizes of windows and distances of checkpoints.
func NewTimelineOf(ctx context.Context, r *recfile.Recording, window, spacing uint64) (*Timeline, error) {
	s := defaultSizes()
	s.window, s.spacing = window, spacing
	return newTimeline(ctx, r, s)
}

// NewTimelineIn is NewTimeline with a distance of checkpoints, and limits in bytes of the
// memory of checkpoints and of a process that replays.
func NewTimelineIn(ctx context.Context, r *recfile.Recording, spacing, checkpoints, process uint64) (*Timeline, error) {
	return newTimeline(ctx, r, sizes{window: 1 << 14, spacing: spacing, budget: checkpoints, memoryLimit: process})
}

// Checkpoints returns the positions of the checkpoints.
func (t *Timeline) Checkpoints() (list []uint64) {
	for _, c := range t.checkpoints {
		list = append(list, c.Position())
	}
	return list
}

// NoteRunning makes the Player note the process that executes instructions.
func (p *Player) NoteRunning(process *atomic.Int64) { p.replaying = process }

// Fork returns another Player at the same position.
func (p *Player) Fork() (*Player, error) { return p.fork() }

// EndProcess ends the process of a Player that Fork has returned.
func (p *Player) EndProcess() error { return p.endProcess() }

// WatchStack makes the processor watch a word of the stack.
func (p *Player) WatchStack() error {
	at := p.run.Regs.RSP &^ 7
	return p.run.WatchWrites([]ptrace.Range{{Start: at, End: at + 8}}, 1)
}

// KeptAfterAdding adds parts to a past, and reports of the first and the last one whether they
// can go on.
func KeptAfterAdding(parts int) (first, last bool) {
	p := NewPast(Place{Memory: 1 << 20})
	for n := range parts {
		p.add(nil, &Part{first: uint64(n), last: uint64(n) + 1, kept: new(kept), store: new(recfile.Store), index: new(recfile.Index)})
	}
	return p.Parts[0].(*Part).kept != nil, p.Parts[parts-1].(*Part).kept != nil
}

// PartOf returns a part with a recording that has not been opened.
func PartOf(t testing.TB, events []recfile.Event, last uint64) *Part {
	t.Helper()
	f := NewFrames(t, nil)
	f.Add(t, events)
	return &Part{past: NewPast(Place{}), store: f.store, index: f.out.Index(), last: last}
}

// CheckImage checks an image with some bytes of zeros for a recording of at most some bytes.
func CheckImage(zeros, most int) error {
	s := newStretch(Stretch{Bytes: most})
	s.store = new(recfile.Store)
	out, err := recfile.NewFrameWriter(s.store)
	if err != nil {
		return err
	}
	e := recfile.Event{Kind: recfile.Image, Writes: []recfile.Write{{Data: make([]byte, zeros)}}}
	if err := errors.Join(out.Add(&e), out.Flush()); err != nil {
		return err
	}
	return s.checkImage(out)
}

// AsksForShadowStack reports whether a system call is answered as by a processor without
// shadow stacks.
var AsksForShadowStack = shadowStack
