package stepping

import (
	"context"
	"errors"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
)

// Inherit sets the breakpoints of the parent process, with their numbers, in a child
// that fork has just created: its memory is that of the parent, so their addresses are
// the same. It returns notes about the ones that are missing.
func (bs *Breakpoints) Inherit(ctx context.Context, parent []*Breakpoint) (notes []string) {
	for _, old := range parent {
		b := old.fresh()
		b.Places, b.Pending, b.Syscalls, b.Note = old.Places, old.Pending, old.Syscalls, old.Note
		if err := bs.inherit(ctx, b); err != nil {
			notes = append(notes, fmt.Sprintf("breakpoint %d is gone: %v", b.ID, err))
			continue
		}
		bs.restore(b)
	}
	if err := errors.Join(bs.waitForLibraries(ctx), bs.catchSyscalls()); err != nil {
		notes = append(notes, err.Error())
	}
	return notes
}

func (bs *Breakpoints) inherit(ctx context.Context, b *Breakpoint) error {
	if err := bs.setTexts(ctx, b); err != nil {
		return err
	}
	w := b.Watch
	if w == nil {
		return bs.setAt(b)
	}
	if w.Recorded {
		return nil
	}
	for _, p := range watchPieces(w.Address, uint64(w.Size)) {
		if err := bs.Set(b, proc.BreakpointSpec{Address: p.addr, Size: p.size, Access: w.Access, Condition: b.Holds}); err != nil {
			return err
		}
	}
	return nil
}
