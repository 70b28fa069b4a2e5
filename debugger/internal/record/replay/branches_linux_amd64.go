package replay

import (
	"context"
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/worktime"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

// Branches implements history.Past. The program runs translated, and its code logs the
// instructions.
func (t *Timeline) Branches(ctx context.Context, wanted history.Wanted, from, to uint64, f func(*history.Transition) bool) (reached uint64, err error) {
	reached = from
	err = t.do(ctx, func(ctx context.Context) error {
		p, err := t.playerAt(ctx, from)
		if err != nil {
			return err
		}
		b := &branches{search: t.search(p, &history.Places{}, nil), wanted: wanted, f: f, reached: from}
		b.from, b.to = from, to
		b.stretch = worktime.Of(ctx).Phase(to - min(from, to))
		defer b.stretch.Close()
		err = b.look(ctx)
		reached = b.reached
		return errors.Join(err, b.EndProcess())
	})
	return reached, err
}

// A branches is a call of Branches.
type branches struct {
	*search
	wanted  history.Wanted
	f       func(*history.Transition) bool
	logs    *inplace.Runner    // that logs
	passed  history.Transition // the last one
	reached uint64             // position up to which transitions were passed on
	ended   bool               // f wants no more
	stop    context.CancelFunc
}

// look replays up to the end of the stretch, or until f wants no more.
func (b *branches) look(ctx context.Context) error {
	running, stop := context.WithCancel(ctx)
	defer stop()
	b.stop = stop
	b.passOrdinary(b.Position())
	for b.Position() < b.to && !b.ended {
		if err := b.log(); err != nil {
			return err
		}
		if err := b.step(running); err != nil && !b.ended {
			return err
		}
		b.stretch.At(b.Position() - b.from)
	}
	if !b.ended && b.reached < b.to {
		b.passOrdinary(b.to - 1)
	}
	return nil
}

// passOrdinary passes a ordinary step of the current thread on.
func (b *branches) passOrdinary(position uint64) {
	b.passed = history.Transition{Position: position, Kind: history.Stepped, PC: b.run.Regs.RIP, Ordinary: true}
	b.pass()
}

// log makes the process log, which may be another one since an exec.
func (b *branches) log() error {
	if b.logs == b.run {
		return nil
	}
	b.logs = b.run
	base := b.base
	return b.run.Log(inplace.Log{Wanted: b.wanted, Each: func(l *inplace.Logged) {
		b.passed = history.Transition{
			Position: base + uint64(l.Executed), Kind: history.Stepped, PC: l.PC, NextPC: l.Next, SP: l.SP, NextSP: l.NextSP,
		}
		b.pass()
	}})
}

// pass passes a transition of the current thread on, unless no more are wanted.
func (b *branches) pass() {
	if b.ended || b.passed.Position >= b.to {
		return
	}
	b.reached = b.passed.Position + 1
	b.passed.Thread = max(b.thread, -b.thread) // one that has ended is negative
	if b.ended = !b.f(&b.passed); b.ended {
		b.stop()
	}
}

// step executes instructions, to the next event or stop, or takes an event.
func (b *branches) step(ctx context.Context) error {
	e := b.recording.Event(b.event)
	if before := b.Position(); before < min(e.Position, b.to) {
		return b.runOnce(ctx, &e, min(e.Position, b.to))
	}
	before, position := b.run.Regs, b.Position()
	if err := b.apply(); err != nil {
		return err
	}
	after := b.run.Regs
	if e.Kind == recfile.Switch {
		before = after // those of the thread that goes on
	}
	b.passed = history.Transition{Position: position, Kind: kindOf(&e), PC: before.RIP, NextPC: after.RIP, SP: before.RSP, NextSP: after.RSP}
	b.pass()
	return nil
}
