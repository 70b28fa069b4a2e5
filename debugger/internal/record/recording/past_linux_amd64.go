package recording

import (
	"cmp"
	"context"
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/limits/spool"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// A Past holds the recordings of a process that a debugger has, and the records of steps
// between them, as a line of parts. A recording is replayed when it is first looked at.
type Past struct {
	history.Line
	place   Place
	file    *spool.File // of Place.File, nil until it is needed
	dropped string      // why older parts are not kept, or ""
	hit     int         // the thread that has stopped before an instruction at the last position, or 0
}

// NewPast returns a Past that tries to take at most the bytes of its place.
func NewPast(place Place) *Past {
	return &Past{place: place}
}

// Record records the process whose history r has, up to the end of a stretch. What r has
// recorded before becomes a part, too. An error says that nothing was recorded, and why.
func (p *Past) Record(ctx context.Context, process *proc.Process, r *history.Recorder, limits Stretch) (StretchEnd, error) {
	s := newStretch(limits)
	s.Bytes = p.mostOfPart()
	if _, last := p.Bounds(); p.hit != 0 && last == r.History().End() {
		s.passes[p.hit] = true
	}
	first := r.History().End()
	part := p.ongoing(r.History())
	again := part != nil
	var end StretchEnd
	ran := false
	defer p.releaseUnused(s)
	err := process.Lend(ctx, func(l *proc.Loan) (err error) {
		s.reported = l.Reported
		s.action = func(info ptrace.SigInfo) proc.Action { return l.Action(info.Signal()) }
		ctx, unwatch := watchPause(ctx, l)
		defer unwatch()
		if again {
			end, err = part.kept.record(ctx, l, s, part)
			again = !errors.Is(err, errMoved)
		}
		if !again {
			if s.store, err = p.newStore(); err != nil {
				return err
			}
			part, end, err = s.record(ctx, l, first)
		}
		ran = err == nil
		return err
	})
	r.Lent()
	switch {
	case err != nil && ran:
		return lose(r, part, end, err)
	case err != nil:
		return end, err
	case end.Why == EndGone:
		return end, nil
	case end.Why == EndExec:
		return end, r.Restart(part.last+1, "another program was begun")
	case end.Why == EndLost:
		return end, r.Restart(part.last+1, end.Text)
	case part.last == first:
		return end, nil
	}
	if p.hit = 0; end.Why == EndPlace {
		p.hit = end.Thread
	}
	if !again {
		p.add(r.Freeze(partBase{part}), part)
	}
	if err := r.Follow(p, p.reason(r.History())); err != nil {
		end, lost := lose(r, part, end, err)
		return end, errors.Join(lost, p.Close())
	}
	return end, nil
}

// lose begins the history anew after an error, since the process has run.
func lose(r *history.Recorder, part *Part, end StretchEnd, err error) (StretchEnd, error) {
	end.Why, end.Text = EndLost, err.Error()
	return end, r.Restart(part.last+1, end.Text)
}

// ongoing returns the last part if its recording can continue: nothing was recorded since,
// and the part was not read, so that no replay must begin again.
func (p *Past) ongoing(h *history.History) *Part {
	if earlier, last := h.Earlier(); earlier != history.Part(p) || !last {
		return nil
	}
	part, ok := p.Parts[len(p.Parts)-1].(*Part)
	if !ok || part.kept == nil || part.kept.err != nil || part.timeline != nil || part.last != h.End() {
		return nil
	}
	return part
}

// add adds parts at the end, and drops the oldest ones if there are too many bytes.
func (p *Past) add(steps *history.Records, part *Part) {
	if len(p.Parts) > 0 {
		if before, ok := p.Parts[len(p.Parts)-1].(*Part); ok {
			before.kept = nil // it has an image of the process
		}
	}
	if part.past, part.before = p, steps; steps != nil {
		p.Parts = append(p.Parts, steps)
	}
	p.Parts = append(p.Parts, part)
	for len(p.Parts) > 1 {
		reason := p.overflow()
		if reason == "" {
			return
		}
		_ = p.Parts[0].Close() // its processes end with this one otherwise
		p.Parts, p.dropped = p.Parts[1:], reason
	}
}

// reason returns why the history begins where it does.
func (p *Past) reason(h *history.History) string {
	return cmp.Or(p.dropped, h.StartReason())
}

// Cut implements history.Part.
func (p *Past) Cut(position uint64) {
	p.Line.Cut(position)
	p.hit = 0
}

// Close implements history.Part.
func (p *Past) Close() error { return errors.Join(p.Line.Close(), p.closeFile()) }

// maxReplays is the number of recordings that have processes at the same time, besides those
// of which a window is shown.
const maxReplays = 2

// makeRoom ends the processes of recordings of which no window is shown, before one more is
// replayed.
func (p *Past) makeRoom() error {
	var idle []*Part
	for _, part := range p.Parts {
		if c, ok := part.(*Part); ok && c.timeline != nil && !c.shown() {
			idle = append(idle, c)
		}
	}
	var err error
	for ; len(idle) >= maxReplays; idle = idle[1:] {
		err = errors.Join(err, idle[0].stop())
	}
	return err
}

// partBase reads a process as it was at the beginning of a part.
type partBase struct{ part *Part }

// start returns the process of the first checkpoint.
func (b partBase) start() (history.Base, error) {
	t, err := b.part.open(context.Background())
	if err != nil {
		return nil, err
	}
	return t.Start(), nil
}

func (b partBase) ReadMemory(addr uint64, p []byte) (int, error) {
	t, err := b.start()
	if err != nil {
		return 0, err
	}
	return t.ReadMemory(addr, p)
}

func (b partBase) Regs(tid int) (ptrace.Regs, error) {
	t, err := b.start()
	if err != nil {
		return ptrace.Regs{}, err
	}
	return t.Regs(tid)
}

func (b partBase) XState(tid int, buf []byte) ([]byte, error) {
	t, err := b.start()
	if err != nil {
		return nil, err
	}
	return t.XState(tid, buf)
}
