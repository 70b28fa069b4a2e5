package stepping

import (
	"context"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
)

// loaderFunction is called by the dynamic loaders of glibc and musl after each
// change of the libraries, before the code of a new one runs (r_brk in link.h).
const loaderFunction = "_dl_debug_state"

// A loaderStop is a breakpoint of our own in the dynamic loader. It is set as
// long as a breakpoint waits for a library.
type loaderStop struct {
	address uint64 // 0 if it is not set
	id      int    // of the process's breakpoint
}

// waitForLibraries sets the breakpoint in the loader if a breakpoint is pending,
// and clears it otherwise.
func (s *Stepper) waitForLibraries(ctx context.Context) error {
	waits := slices.ContainsFunc(s.Breakpoints.Sorted(), func(b *Breakpoint) bool { return b.Pending })
	switch {
	case waits == (s.loader.address != 0):
		return nil
	case !waits:
		id := s.loader.id
		s.loader = loaderStop{}
		return s.Process.ClearBreakpoint(id)
	}
	places, err := s.Program.Entry(ctx, loaderFunction)
	if err != nil || len(places) == 0 {
		return failure.Breakpointf("the program loads no libraries that it could wait for")
	}
	b, err := s.Process.SetBreakpoint(proc.BreakpointSpec{Address: places[0].Addr})
	if err != nil {
		return err
	}
	s.loader = loaderStop{places[0].Addr, b.ID}
	return nil
}

// atLoader reports whether a stop is the one in the loader.
func (s *Stepper) atLoader(stop proc.Stop) bool {
	return s.loader.address != 0 && stop.Why == proc.AtBreakpoint && stop.Breakpoint == s.loader.id
}

// setPending sets the pending breakpoints whose places are known by now. Errors
// leave them pending.
func (s *Stepper) setPending(ctx context.Context) {
	s.Stale = true
	if err := s.Refresh(); err != nil {
		return // the process has ended
	}
	for _, b := range s.Breakpoints.Sorted() {
		if b.Pending {
			b.Pending = s.setPlaces(ctx, b) != nil
		}
	}
	if err := s.waitForLibraries(ctx); err != nil {
		s.Log.Debug("the breakpoint in the loader cannot be changed", "err", err)
	}
}

// setPlaces finds the places of a breakpoint and sets it there.
func (s *Stepper) setPlaces(ctx context.Context, b *Breakpoint) error {
	if c, err := parseSyscalls(b.Site.Catch); c != nil || err != nil {
		b.Syscalls = c
		return err
	}
	places, note, err := s.Places(ctx, b.Site)
	if err != nil {
		return err
	}
	b.Places, b.Note = places, note
	return s.setAt(b)
}

// setAt sets a breakpoint at its places, at all or none.
func (s *Stepper) setAt(b *Breakpoint) error {
	for _, p := range b.Places {
		if err := s.Breakpoints.Set(b, proc.BreakpointSpec{
			Address: p.Addr, Once: b.Once, Ignore: b.Ignore, Thread: b.Thread, Condition: b.Holds,
			Counted: b.Each || b.Ignore > 0 || b.Hits != "" || b.LogMessage != "",
		}); err != nil {
			return err
		}
	}
	return nil
}
