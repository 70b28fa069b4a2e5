package stepping

import (
	"context"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
)

// loaderFunction is called by the dynamic loaders of glibc and musl after each
// change of the libraries, before the code of a new one runs (r_brk in link.h).
const loaderFunction = "_dl_debug_state"

// A loaderStop is a breakpoint of our own in the dynamic loader. It is set as
// long as a breakpoint waits for a library, or is in one that may be unloaded.
type loaderStop struct {
	address uint64 // 0 if it is not set
	id      int    // of the process's breakpoint
}

// mayBeUnloaded reports whether a breakpoint, by name, is in a library that the program
// was not linked with.
func (s *Stepper) mayBeUnloaded(b *Breakpoint) bool {
	if s.Target.Process == nil || !b.Site.named() || b.Site.Catch != "" {
		return false
	}
	executable := s.Target.Executable()
	var linked map[*symbols.Image]bool
	return slices.ContainsFunc(b.Places, func(p symbols.Location) bool {
		im := s.Inspector.Program.Image(p.Addr)
		if im == nil || im.Path == executable {
			return im == nil
		}
		if linked == nil {
			linked = s.Inspector.Program.Linked(executable)
		}
		return !linked[im]
	})
}

// mappedPlaces returns the places of a breakpoint that are mapped at the current position, of
// those that were ever found for it.
func (s *Stepper) mappedPlaces(b *Breakpoint) []symbols.Location {
	var out []symbols.Location
	for _, p := range slices.Concat(b.Places, b.former) {
		known := slices.ContainsFunc(out, func(q symbols.Location) bool { return q.Addr == p.Addr })
		if !known && s.Inspector.Program.Image(p.Addr) != nil {
			out = append(out, p)
		}
	}
	return out
}

// PlacesNow returns the places of a breakpoint at the current position. Pending is true if
// its library is not mapped there.
func (s *Stepper) PlacesNow(b *Breakpoint) (places []symbols.Location, pending bool) {
	if !b.Site.named() || b.Site.Catch != "" || b.Watch != nil {
		return b.Places, b.Pending
	}
	places = s.mappedPlaces(b)
	return places, len(places) == 0
}

// unload makes the breakpoints pending whose libraries, or one of whose libraries, are
// not mapped any more.
func (s *Stepper) unload() {
	for _, b := range s.Breakpoints.Sorted() {
		gone := func(p symbols.Location) bool { return s.Inspector.Program.Image(p.Addr) == nil }
		if b.Pending || b.Watch != nil || !b.Site.named() || !slices.ContainsFunc(b.Places, gone) {
			continue
		}
		s.Breakpoints.unset(b)
		b.Pending, b.former, b.Places = true, append(b.former, b.Places...), nil
	}
}

// waitForLibraries sets the breakpoint in the loader if a breakpoint waits for a library
// or is in one that may be unloaded, and clears it otherwise.
func (s *Stepper) waitForLibraries(ctx context.Context) error {
	waits := slices.ContainsFunc(s.Breakpoints.Sorted(), func(b *Breakpoint) bool { return b.Pending || s.mayBeUnloaded(b) })
	switch {
	case waits == (s.loader.address != 0):
		return nil
	case !waits:
		id := s.loader.id
		s.loader = loaderStop{}
		return s.Target.Process.ClearBreakpoint(id)
	}
	places, err := s.Inspector.Program.Entry(ctx, loaderFunction)
	if err != nil || len(places) == 0 {
		return failure.Breakpointf("the program loads no libraries that it could wait for")
	}
	b, err := s.Target.Process.SetBreakpoint(proc.BreakpointSpec{Address: places[0].Addr})
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

// setPending sets the pending breakpoints whose places are known by now, after those
// of libraries that were unloaded have become pending. Errors leave them so.
func (s *Stepper) setPending(ctx context.Context) {
	s.Stale = true
	if err := s.Refresh(); err != nil {
		return // the process has ended
	}
	s.unload()
	for _, b := range s.Breakpoints.Sorted() {
		if b.Pending {
			b.Pending = s.setPlaces(ctx, b) != nil
		}
	}
	if err := s.waitForLibraries(ctx); err != nil {
		s.Inspector.Log.Debug("the breakpoint in the loader cannot be changed", "err", err)
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
