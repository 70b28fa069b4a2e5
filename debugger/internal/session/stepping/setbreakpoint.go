package stepping

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
)

// A BreakpointSpec describes a breakpoint to set.
type BreakpointSpec struct {
	Site      Site               // where the client wants it
	Places    []symbols.Location // instead of a site, for a client that finds them itself
	Pending   bool               // wait for a library if the site is not known
	Condition string             // an expression, "" for none
	Hits      string             // a condition on the number of hits, see HitCondition
	Log       string             // a message to log instead of stopping
	Once      bool
	Ignore    int // hits before the first stop
	Thread    int // the only one to stop; 0 is all

	// Each is called at each hit and decides whether it stops, in place of a
	// condition. It may be nil.
	Each func(hit proc.Hit) (stop bool, err error)
}

// SetBreakpoint sets a breakpoint at all its places.
func (bs *Breakpoints) SetBreakpoint(ctx context.Context, spec BreakpointSpec) (*Breakpoint, error) {
	b := &Breakpoint{
		Site: spec.Site, Places: spec.Places, Once: spec.Once, Ignore: spec.Ignore, Thread: spec.Thread,
		Condition: spec.Condition, Hits: spec.Hits, LogMessage: spec.Log,
	}
	if len(spec.Places) == 0 {
		if err := bs.findPlaces(ctx, b, spec.Pending); err != nil {
			return nil, err
		}
	}
	if err := bs.setTexts(ctx, b); err != nil {
		return nil, err
	}
	if spec.Each != nil {
		b.Holds, b.Each = spec.Each, true
	}
	if err := bs.setAt(b); err != nil {
		return nil, err
	}
	if err := bs.Add(b); err != nil {
		return b, err
	}
	if !b.Pending {
		if bs.mayBeUnloaded(b) {
			_ = bs.waitForLibraries(ctx) // without the stop it is set as long as its library is loaded
		}
		return b, nil
	}
	if err := bs.waitForLibraries(ctx); err != nil {
		return nil, errors.Join(err, bs.Clear(b))
	}
	return b, nil
}

// findPlaces finds the places of a breakpoint, or makes it pending if that is
// allowed.
func (bs *Breakpoints) findPlaces(ctx context.Context, b *Breakpoint, mayWait bool) (err error) {
	if b.Syscalls, err = parseSyscalls(b.Site.Catch); b.Syscalls != nil || err != nil {
		return err
	}
	b.Places, b.Note, err = bs.sites.Places(ctx, b.Site)
	if !isUnknown(err) || !mayWait {
		return err
	}
	b.Pending = true
	return bs.target.RequireProcess()
}

func (bs *Breakpoints) setConditions(ctx context.Context, b *Breakpoint, condition, hits string) error {
	if err := bs.SetCondition(ctx, b, condition); err != nil {
		return err
	}
	return bs.SetHitCondition(b, hits)
}

// maskWatch makes a watchpoint of a bit-field stop only where its bits have changed,
// while the process runs. In the past it stops at each write to the bytes.
func (bs *Breakpoints) maskWatch(b *Breakpoint) {
	w := b.Watch
	if w == nil || w.Mask == nil || w.Access != proc.Write {
		return
	}
	holds := b.Holds
	b.Holds = func(hit proc.Hit) (bool, error) {
		if !w.Recorded && !bs.timeline.beforeEnd() {
			if now, err := bs.watches.Sample(w); err == nil && bytes.Equal(now.bytes, w.Last.bytes) {
				return false, nil
			}
		}
		if holds == nil {
			return true, nil
		}
		return holds(hit)
	}
}

// Limits of the memory of a watchpoint.
const (
	maxWatched  = 64 << 10
	wordSize    = 8
	maxHardware = 4 // debug registers
)

// SetWatch watches memory, with a condition and one on the number of hits. The
// debug registers watch aligned words; what has too many of them, and traces,
// are watched in what is recorded.
func (bs *Breakpoints) SetWatch(ctx context.Context, w Watch, condition, hits string) (*Breakpoint, error) {
	if w.Size <= 0 || w.Size > maxWatched {
		return nil, fmt.Errorf("%d bytes cannot be watched", w.Size)
	}
	var err error
	if w.Last, err = bs.watches.Sample(&w); err != nil && !bs.timeline.beforeEnd() { // it may be mapped later
		return nil, errors.Join(failure.Breakpointf("the memory at %#x cannot be read", w.Address), err)
	}
	pieces := watchPieces(w.Address, uint64(w.Size))
	w.Recorded = w.Recorded || bs.target.Process == nil || len(pieces) > maxHardware
	if w.Recorded && w.Access != proc.Write {
		return nil, failure.Breakpointf("what is read is not recorded: only writes can be watched here")
	}
	b := &Breakpoint{Watch: &w, Places: []symbols.Location{{Addr: w.Address}}, Hits: hits}
	if err := bs.setConditions(ctx, b, condition, hits); err != nil {
		return nil, err
	}
	if w.Recorded {
		pieces = nil
	}
	for _, p := range pieces {
		if err := bs.Set(b, proc.BreakpointSpec{Address: p.addr, Size: p.size, Access: w.Access, Condition: b.Holds}); err != nil {
			return nil, err
		}
	}
	return b, bs.Add(b)
}

// beforeEnd reports whether the position shown is recorded and not the last one.
func (tl *Timeline) beforeEnd() bool {
	return tl.target.History != nil && tl.target.History.View().Position() < tl.target.History.End()
}

// A watchPiece is memory that one debug register can watch.
type watchPiece struct {
	addr uint64
	size int
}

// watchPieces splits memory into aligned pieces of 1, 2, 4 or 8 bytes.
func watchPieces(addr, size uint64) []watchPiece {
	var all []watchPiece
	for end := addr + size; addr < end; {
		n := uint64(wordSize)
		for n > end-addr || addr%n != 0 {
			n /= 2
		}
		all = append(all, watchPiece{addr, int(n)})
		addr += n
	}
	return all
}
