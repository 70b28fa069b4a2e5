package stepping

import (
	"context"
	"errors"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols"
)

// A BreakpointSpec describes a breakpoint to set.
type BreakpointSpec struct {
	Places    []symbols.Location
	Condition string // an expression, "" for none
	Hits      string // a condition on the number of hits, see HitCondition
	Log       string // a message to log instead of stopping
	Once      bool
	Ignore    int // hits before the first stop
	Thread    int // the only one to stop; 0 is all
}

// SetBreakpoint sets a breakpoint at all its places.
func (s *Stepper) SetBreakpoint(ctx context.Context, spec BreakpointSpec) (*Breakpoint, error) {
	b := &Breakpoint{Places: spec.Places, Once: spec.Once, Ignore: spec.Ignore, Thread: spec.Thread}
	if err := s.setConditions(ctx, b, spec.Condition, spec.Hits); err != nil {
		return nil, err
	}
	if err := s.SetLog(ctx, b, spec.Log); err != nil {
		return nil, err
	}
	for _, p := range spec.Places {
		if err := s.Breakpoints.Set(b, proc.BreakpointSpec{
			Address: p.Addr, Once: b.Once, Ignore: b.Ignore, Thread: b.Thread, Condition: b.Holds,
		}); err != nil {
			return nil, err
		}
	}
	return b, s.Breakpoints.Add(b)
}

func (s *Stepper) setConditions(ctx context.Context, b *Breakpoint, condition, hits string) error {
	if err := s.SetCondition(ctx, b, condition); err != nil {
		return err
	}
	return s.SetHitCondition(b, hits)
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
func (s *Stepper) SetWatch(ctx context.Context, w Watch, condition, hits string) (*Breakpoint, error) {
	if w.Size <= 0 || w.Size > maxWatched {
		return nil, fmt.Errorf("%d bytes cannot be watched", w.Size)
	}
	w.Last = make([]byte, w.Size)
	if n, err := s.View.ReadMemory(w.Address, w.Last); n < len(w.Last) {
		return nil, errors.Join(failure.Breakpointf("the memory at %#x cannot be read", w.Address), err)
	}
	pieces := watchPieces(w.Address, uint64(w.Size))
	w.Recorded = w.Recorded || s.Process == nil || len(pieces) > maxHardware
	if w.Recorded && w.Access != proc.Write {
		return nil, failure.Breakpointf("what is read is not recorded: only writes can be watched here")
	}
	b := &Breakpoint{Watch: &w, Places: []symbols.Location{{Addr: w.Address}}}
	if err := s.setConditions(ctx, b, condition, hits); err != nil {
		return nil, err
	}
	if w.Recorded {
		pieces = nil
	}
	for _, p := range pieces {
		if err := s.Breakpoints.Set(b, proc.BreakpointSpec{Address: p.addr, Size: p.size, Access: w.Access, Condition: b.Holds}); err != nil {
			return nil, err
		}
	}
	return b, s.Breakpoints.Add(b)
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
