package replay

import (
	"context"
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/limits/worktime"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

// Accesses implements history.Past. The program runs translated, and its code logs the
// addresses.
func (t *Timeline) Accesses(ctx context.Context, from, to uint64, f func(*history.Access) bool) (reached uint64, err error) {
	err = t.do(ctx, func(ctx context.Context) error {
		p, err := t.playerAt(ctx, from)
		if err != nil {
			return err
		}
		a := &accesses{Player: p, from: from, to: to, f: f, uses: make(map[uint64]x86.MemoryUse)}
		a.stretch = worktime.Of(ctx).Phase(to - min(from, to))
		defer a.stretch.Close()
		err = a.look(ctx)
		return errors.Join(err, a.EndProcess())
	})
	return to, err
}

// An accesses is a call of Accesses.
type accesses struct {
	*Player
	from    uint64
	to      uint64
	f       func(*history.Access) bool
	stretch *worktime.Phase
	logs    *inplace.Runner          // that logs
	uses    map[uint64]x86.MemoryUse // of instructions that were translated, by address
	access  history.Access
	ended   bool // f wants no more
	stop    context.CancelFunc
}

// look replays up to the end, or until f wants no more.
func (a *accesses) look(ctx context.Context) error {
	running, stop := context.WithCancel(ctx)
	defer stop()
	a.stop = stop
	for a.Position() < a.to && !a.ended {
		if err := a.log(); err != nil {
			return err
		}
		if err := a.step(running); err != nil && !a.ended {
			return err
		}
		a.stretch.At(a.Position() - a.from)
	}
	return nil
}

// log makes the process log, which may be another one since an exec.
func (a *accesses) log() error {
	if a.logs == a.run {
		return nil
	}
	a.logs = a.run
	clear(a.uses)
	base := a.base
	return a.run.Log(inplace.Log{Memory: a.wanted, Each: func(l *inplace.Logged) { a.pass(base+uint64(l.Executed), l) }})
}

// wanted reports whether an instruction uses memory, and notes how.
func (a *accesses) wanted(in *x86.Inst) bool {
	use, ok := in.Uses()
	if ok {
		a.uses[in.PC] = use
	}
	return ok
}

// pass passes the accesses of an instruction on.
func (a *accesses) pass(position uint64, l *inplace.Logged) {
	use := a.uses[l.PC]
	count := uint64(1)
	if use.Repeat {
		count = min(l.Count, maxRepeat)
	}
	if position >= a.to || count == 0 {
		return
	}
	a.access = history.Access{Position: position, Thread: max(a.thread, -a.thread), PC: l.PC}
	if use.Source {
		a.give(history.AccessRead, x86.Span{Addr: l.Source, Len: count * use.Size})
	}
	kind := history.AccessRead
	switch {
	case use.Atomic:
		kind = history.AccessAtomic
	case use.Write:
		kind = history.AccessWrite
	}
	if use.Destination || !use.Source {
		a.give(kind, x86.Span{Addr: l.Address, Len: count * use.Size})
	}
}

// maxRepeat bounds the elements of a string operation that are passed on.
const maxRepeat = 1 << 24

// give calls f with the access, unless no more are wanted.
func (a *accesses) give(kind history.AccessKind, memory x86.Span) {
	if a.ended {
		return
	}
	a.access.Kind, a.access.Memory = kind, memory
	if a.ended = !a.f(&a.access); a.ended {
		a.stop()
	}
}

// step executes instructions, to the next event or stop, or takes an event.
func (a *accesses) step(ctx context.Context) error {
	e := a.recording.Event(a.event)
	if before := a.Position(); before < min(e.Position, a.to) {
		return a.runOnce(ctx, &e, min(e.Position, a.to))
	}
	before := a.run.Regs
	a.access = history.Access{Position: a.Position(), Thread: max(a.thread, -a.thread), PC: before.RIP}
	if err := a.apply(); err != nil {
		return err
	}
	switch e.Kind {
	case recfile.Call:
		a.access.Made = callMade(&e, &before)
		a.access.Made.Result = int64(a.run.Regs.RAX)
		a.give(history.AccessCall, x86.Span{})
	case recfile.Exit:
		a.access.Made = callMade(&e, &before)
		a.give(history.AccessEnd, x86.Span{})
	case recfile.Signal:
		a.give(history.AccessSignal, x86.Span{})
	}
	return nil
}

// callMade describes the event of a system call, by the registers before it.
func callMade(e *recfile.Event, before *ptrace.Regs) *history.CallMade {
	c := &history.CallMade{
		Number:    e.Number,
		Arguments: [6]uint64{before.RDI, before.RSI, before.RDX, before.R10, before.R8, before.R9},
	}
	for _, w := range e.Writes {
		c.Writes = append(c.Writes, history.Piece{Address: w.Address, Data: w.Data})
	}
	for _, t := range e.Threads {
		c.Started = append(c.Started, t.ID)
	}
	if m := &e.Remap.Mapping; e.Remap.Kind == recfile.Map || e.Remap.Kind == recfile.Unmap || e.Remap.Kind == recfile.Discard || e.Remap.Kind == recfile.Move {
		c.Unmapped = x86.Span{Addr: m.Start, Len: m.Length}
	}
	return c
}
