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
func (bs *Breakpoints) mayBeUnloaded(b *Breakpoint) bool {
	if bs.target.Process == nil || !b.Site.named() || b.Site.Catch != "" {
		return false
	}
	executable := bs.target.Executable()
	var linked map[*symbols.Image]bool
	return slices.ContainsFunc(b.Places, func(p symbols.Location) bool {
		im := bs.inspector.Program.Image(p.Addr)
		if im == nil || im.Path == executable {
			return im == nil
		}
		if linked == nil {
			linked = bs.inspector.Program.Linked(executable)
		}
		return !linked[im]
	})
}

// mappedPlaces returns the places of a breakpoint that are mapped at the current position, of
// those that were ever found for it.
func (bs *Breakpoints) mappedPlaces(b *Breakpoint) []symbols.Location {
	var out []symbols.Location
	for _, p := range slices.Concat(b.Places, b.former) {
		known := slices.ContainsFunc(out, func(q symbols.Location) bool { return q.Addr == p.Addr })
		if !known && bs.inspector.Program.Image(p.Addr) != nil {
			out = append(out, p)
		}
	}
	return out
}

// PlacesNow returns the places of a breakpoint at the current position. Pending is true if
// its library is not mapped there.
func (bs *Breakpoints) PlacesNow(b *Breakpoint) (places []symbols.Location, pending bool) {
	if !b.Site.named() || b.Site.Catch != "" || b.Watch != nil {
		return b.Places, b.Pending
	}
	places = bs.mappedPlaces(b)
	return places, len(places) == 0
}

// unload makes the breakpoints pending whose libraries, or one of whose libraries, are
// not mapped any more.
func (bs *Breakpoints) unload() {
	for _, b := range bs.Sorted() {
		gone := func(p symbols.Location) bool { return bs.inspector.Program.Image(p.Addr) == nil }
		if b.Pending || b.Watch != nil || !b.Site.named() || !slices.ContainsFunc(b.Places, gone) {
			continue
		}
		bs.unset(b)
		b.Pending, b.former, b.Places = true, append(b.former, b.Places...), nil
	}
}

// waitForLibraries sets the breakpoint in the loader if a breakpoint waits for a library
// or is in one that may be unloaded, and clears it otherwise.
func (bs *Breakpoints) waitForLibraries(ctx context.Context) error {
	waits := slices.ContainsFunc(bs.Sorted(), func(b *Breakpoint) bool { return b.Pending || bs.mayBeUnloaded(b) })
	switch {
	case waits == (bs.loader.address != 0):
		return nil
	case !waits:
		id := bs.loader.id
		bs.loader = loaderStop{}
		return bs.target.Process.ClearBreakpoint(id)
	}
	places, err := bs.inspector.Program.Entry(ctx, loaderFunction)
	if err != nil || len(places) == 0 {
		return failure.Breakpointf("the program loads no libraries that it could wait for")
	}
	b, err := bs.target.Process.SetBreakpoint(proc.BreakpointSpec{Address: places[0].Addr})
	if err != nil {
		return err
	}
	bs.loader = loaderStop{places[0].Addr, b.ID}
	return nil
}

// atLoader reports whether a stop is the one in the loader.
func (bs *Breakpoints) atLoader(stop proc.Stop) bool {
	return bs.loader.address != 0 && stop.Why == proc.AtBreakpoint && stop.Breakpoint == bs.loader.id
}

// setPending sets the pending breakpoints whose places are known by now, after those
// of libraries that were unloaded have become pending. Errors leave them so.
func (bs *Breakpoints) setPending(ctx context.Context) {
	bs.maps.Stale = true
	if err := bs.maps.Refresh(); err != nil {
		return // the process has ended
	}
	bs.unload()
	for _, b := range bs.Sorted() {
		if b.Pending {
			b.Pending = bs.setPlaces(ctx, b) != nil
		}
	}
	if err := bs.waitForLibraries(ctx); err != nil {
		bs.inspector.Log.Debug("the breakpoint in the loader cannot be changed", "err", err)
	}
}

// setPlaces finds the places of a breakpoint and sets it there.
func (bs *Breakpoints) setPlaces(ctx context.Context, b *Breakpoint) error {
	if c, err := parseSyscalls(b.Site.Catch); c != nil || err != nil {
		b.Syscalls = c
		return err
	}
	places, note, err := bs.sites.Places(ctx, b.Site)
	if err != nil {
		return err
	}
	b.Places, b.Note = places, note
	return bs.setAt(b)
}

// setAt sets a breakpoint at its places, at all or none.
func (bs *Breakpoints) setAt(b *Breakpoint) error {
	for _, p := range b.Places {
		if err := bs.Set(b, proc.BreakpointSpec{
			Address: p.Addr, Once: b.Once, Ignore: b.Ignore, Thread: b.Thread, Condition: b.Holds,
			Counted: b.Each || b.Ignore > 0 || b.Hits != "" || b.LogMessage != "",
		}); err != nil {
			return err
		}
	}
	return nil
}
