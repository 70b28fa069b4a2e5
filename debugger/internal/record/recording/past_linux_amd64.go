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
// between them. It implements history.Archive. A recording is replayed when it is first
// looked at.
type Past struct {
	place   Place
	file    *spool.File // of Place.File, nil until it is needed
	parts   []pastPart  // without gaps between them
	dropped string      // why older ones are not kept, or ""
	hit     int         // the thread that has stopped before an instruction at the last position, or 0
	windows map[*history.History]pastPart
}

// A pastPart is one of the parts of a Past.
type pastPart interface {
	history.Finder
	Bytes() int
	Inputs(ctx context.Context, from, to uint64, f func(kind history.Kind, number uint64)) error
}

// NewPast returns a Past that tries to take at most the bytes of its place.
func NewPast(place Place) *Past {
	return &Past{place: place, windows: make(map[*history.History]pastPart)}
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
		p.add(r.Freeze(&partBase{p, part}), part)
	}
	if err := r.Archive(p, p.reason(r.History())); err != nil {
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
	if archive, last := h.Archived(); archive != history.Archive(p) || !last {
		return nil
	}
	part, ok := p.parts[len(p.parts)-1].(*Part)
	if !ok || part.kept == nil || part.kept.err != nil || part.timeline != nil || part.last != h.End() {
		return nil
	}
	return part
}

// add adds parts at the end, and drops the oldest ones if there are too many bytes.
func (p *Past) add(steps *history.Frozen, part *Part) {
	if len(p.parts) > 0 {
		if before, ok := p.parts[len(p.parts)-1].(*Part); ok {
			before.kept = nil // it has an image of the process
		}
	}
	if steps != nil {
		p.parts = append(p.parts, steps)
	}
	p.parts = append(p.parts, part)
	for len(p.parts) > 1 {
		reason := p.overflow()
		if reason == "" {
			return
		}
		_ = p.release(p.parts[0]) // its processes end with this one otherwise
		p.parts, p.dropped = p.parts[1:], reason
	}
}

// reason returns why the history begins where it does.
func (p *Past) reason(h *history.History) string {
	return cmp.Or(p.dropped, h.StartReason())
}

// Bounds implements history.Source.
func (p *Past) Bounds() (first, last uint64) {
	if len(p.parts) == 0 {
		return 0, 0
	}
	first, _ = p.parts[0].Bounds()
	_, last = p.parts[len(p.parts)-1].Bounds()
	return first, last
}

// at returns the part with the record at a position.
func (p *Past) at(position uint64) pastPart {
	for _, part := range p.parts {
		if _, last := part.Bounds(); position < last {
			return part
		}
	}
	return p.parts[len(p.parts)-1]
}

// Window implements history.Source.
func (p *Past) Window(ctx context.Context, position uint64) (*history.History, error) {
	part := p.at(position)
	if err := p.makeRoom(part); err != nil {
		return nil, err
	}
	w, err := part.Window(ctx, position)
	if err == nil {
		p.windows[w] = part
	}
	return w, err
}

// Drop implements history.Source.
func (p *Past) Drop(w *history.History) {
	if part := p.windows[w]; part != nil {
		delete(p.windows, w)
		part.Drop(w)
	}
}

// Last implements history.Finder.
func (p *Past) Last(ctx context.Context, places *history.Places, from, to uint64) (position uint64, ok bool, err error) {
	for n := len(p.parts) - 1; n >= 0 && !ok && err == nil; n-- {
		first, last := p.parts[n].Bounds()
		if first, last = max(first, from), min(last, to); first >= last {
			continue
		}
		if err = p.makeRoom(p.parts[n]); err == nil {
			position, ok, err = p.parts[n].Last(ctx, places, first, last)
		}
	}
	return position, ok, err
}

// First implements history.Finder.
func (p *Past) First(ctx context.Context, places *history.Places, from, to uint64) (position uint64, ok bool, err error) {
	for n := 0; n < len(p.parts) && !ok && err == nil; n++ {
		first, last := p.parts[n].Bounds()
		if first, last = max(first, from), min(last, to); first >= last {
			continue
		}
		if err = p.makeRoom(p.parts[n]); err == nil {
			position, ok, err = p.parts[n].First(ctx, places, first, last)
		}
	}
	return position, ok, err
}

// Hits implements history.HitFinder.
func (p *Past) Hits(ctx context.Context, code []uint64, from, to uint64, f func(history.Hit) bool) (reached uint64, err error) {
	return p.inPart(ctx, from, to, func(t *Timeline, to uint64) (uint64, error) { return t.Hits(ctx, code, from, to, f) })
}

// Visit implements history.HitFinder.
func (p *Past) Visit(ctx context.Context, code []uint64, from, to uint64, f func(history.Hit, *history.View) bool) (reached uint64, err error) {
	return p.inPart(ctx, from, to, func(t *Timeline, to uint64) (uint64, error) { return t.Visit(ctx, code, from, to, f) })
}

// Branches implements history.BranchFinder.
func (p *Past) Branches(ctx context.Context, wanted history.Wanted, from, to uint64, f func(*history.Transition) bool) (reached uint64, err error) {
	return p.inPart(ctx, from, to, func(t *Timeline, to uint64) (uint64, error) { return t.Branches(ctx, wanted, from, to, f) })
}

// inPart calls f with the recording that has a position, and with its end or to. If there is
// none it returns the position.
func (p *Past) inPart(ctx context.Context, from, to uint64, f func(t *Timeline, to uint64) (uint64, error)) (reached uint64, err error) {
	part, ok := p.at(from).(*Part)
	if !ok {
		return from, nil
	}
	if err := p.makeRoom(part); err != nil {
		return from, err
	}
	t, err := part.open(ctx)
	if err != nil {
		return from, err
	}
	return f(t, min(to, part.last))
}

// Inputs implements history.Archive.
func (p *Past) Inputs(ctx context.Context, from uint64, f func(kind history.Kind, number uint64)) error {
	for _, part := range p.parts {
		first, last := part.Bounds()
		if last <= from {
			continue
		}
		if err := part.Inputs(ctx, max(first, from), last, f); err != nil {
			return err
		}
	}
	return nil
}

// CheckCut implements history.Archive.
func (p *Past) CheckCut(position uint64) error {
	if first, _ := p.Bounds(); position == first {
		return nil
	}
	part := p.at(position - 1)
	if _, last := part.Bounds(); position == last {
		return nil
	}
	if _, ok := part.(*Part); !ok {
		return errors.New("a recording has begun after the steps around this position; go to the beginning of one, or to a position in it")
	}
	return nil
}

// Cut implements history.Archive.
func (p *Past) Cut(position uint64) {
	for n, part := range p.parts {
		if first, _ := part.Bounds(); first < position {
			continue
		}
		for _, later := range p.parts[n:] {
			_ = p.release(later) // its processes end with this one otherwise
		}
		p.parts = p.parts[:n]
		break
	}
	p.hit = 0
	if len(p.parts) == 0 {
		return
	}
	if part, ok := p.parts[len(p.parts)-1].(*Part); ok {
		part.last, part.kept = min(part.last, position), nil
	}
}

// Close implements history.Archive.
func (p *Past) Close() error {
	var err error
	for _, part := range p.parts {
		err = errors.Join(err, p.release(part))
	}
	p.parts = nil
	return errors.Join(err, p.closeFile())
}

// release ends the processes of a part and drops its bytes. The part is not used any more.
func (p *Past) release(part pastPart) error {
	c, ok := part.(*Part)
	if !ok {
		return nil
	}
	err := c.close()
	c.store.release()
	return err
}

// maxReplays is the number of recordings that have processes at the same time, besides those
// of which a window is shown.
const maxReplays = 2

// makeRoom ends the processes of recordings of which no window is shown, before one more is
// replayed.
func (p *Past) makeRoom(wanted pastPart) error {
	c, ok := wanted.(*Part)
	if !ok || c.timeline != nil {
		return nil
	}
	var idle []*Part
	for n, part := range p.parts {
		if c, ok := part.(*Part); ok && c.timeline != nil && !p.shows(n) {
			idle = append(idle, c)
		}
	}
	var err error
	for ; len(idle) >= maxReplays; idle = idle[1:] {
		err = errors.Join(err, idle[0].close())
	}
	return err
}

// shows reports whether there is a window of a part, or of the one before it, which is then
// read by its processes.
func (p *Past) shows(n int) bool {
	for _, part := range p.windows {
		if part == p.parts[n] || n > 0 && part == p.parts[n-1] {
			return true
		}
	}
	return false
}

// partBase reads a process as it was at the beginning of a part.
type partBase struct {
	past *Past
	part *Part
}

// start returns the process of the first checkpoint.
func (b *partBase) start() (*replayed, error) {
	if err := b.past.makeRoom(b.part); err != nil {
		return nil, err
	}
	t, err := b.part.open(context.Background())
	if err != nil {
		return nil, err
	}
	return &replayed{player: t.checkpoints[0], names: t.named, ctx: context.Background()}, nil
}

func (b *partBase) ReadMemory(addr uint64, p []byte) (int, error) {
	t, err := b.start()
	if err != nil {
		return 0, err
	}
	return t.ReadMemory(addr, p)
}

func (b *partBase) Regs(tid int) (ptrace.Regs, error) {
	t, err := b.start()
	if err != nil {
		return ptrace.Regs{}, err
	}
	return t.Regs(tid)
}

func (b *partBase) XState(tid int, buf []byte) ([]byte, error) {
	t, err := b.start()
	if err != nil {
		return nil, err
	}
	return t.XState(tid, buf)
}
