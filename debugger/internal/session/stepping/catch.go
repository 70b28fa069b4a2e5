package stepping

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
)

// A catchpoint stops at an event instead of a place: at the functions that the
// program's language or library calls for it, in whatever library they are.
var catchFunctions = map[string][]string{
	"throw": {"__cxa_throw", "__cxa_rethrow"},
	"panic": {"runtime.gopanic", "runtime.fatalthrow", "rust_panic"},
	"fork":  {"fork", "vfork", "posix_spawn", "posix_spawnp", "syscall.forkExec"},
	"exec":  {"execve", "fexecve", "execveat", "syscall.Exec"},
}

// catchPlaces returns the places of the functions of an event.
func (si *Sites) catchPlaces(ctx context.Context, event string) ([]symbols.Location, error) {
	places, err := si.entries(ctx, catchFunctions[event])
	if err == nil && len(places) == 0 {
		err = failure.Breakpointf("the program has no function that is called for a %s, such as %s; with pending a library that is loaded later can have it", event, catchFunctions[event][0])
	}
	return places, err
}

// entries returns the places of those of some functions that the program has.
func (si *Sites) entries(ctx context.Context, functions []string) (places []symbols.Location, err error) {
	for _, name := range functions {
		found, err := si.inspector.Program.Entry(ctx, name)
		if err != nil && !errors.Is(err, symbols.ErrNotFound) {
			return nil, err
		}
		for _, p := range found {
			p = si.catchPlace(p)
			if !slices.ContainsFunc(places, func(q symbols.Location) bool { return q.Addr == p.Addr }) {
				places = append(places, p)
			}
		}
	}
	return places, nil
}

// catchPlace moves a place to the first instruction of its function: a wrapper
// of a system call may be over behind what the line table says is its prologue.
// In Go the first instructions may be executed twice, when the stack grows.
func (si *Sites) catchPlace(p symbols.Location) symbols.Location {
	if f, ok := si.inspector.Program.Function(p.Addr); ok && f.Start < p.Addr && !strings.Contains(p.Function, ".") {
		return si.inspector.AddressPlace(f.Start)
	}
	return p
}

// panicFunctions are called for errors that end a program, or a thread, without
// a signal. What aborts raises one: std::terminate and failed assertions do.
var panicFunctions = []string{"runtime.fatalpanic", "runtime.fatalthrow", "rust_panic"}

// panicStops are the breakpoints of our own at panicFunctions.
type panicStops struct {
	wanted bool
	placed bool        // they were looked for in this program
	b      *Breakpoint // nil if the program has none of the functions
}

// StopAtPanics decides whether the process stops at panics that end it, even
// without a breakpoint. The process is stopped.
func (bs *Breakpoints) StopAtPanics(wanted bool) {
	bs.panics.wanted = wanted
	if wanted || bs.panics.b == nil {
		return
	}
	_ = bs.Clear(bs.panics.b) // they are gone if the process is
	bs.panics = panicStops{}
}

// placePanicStops sets the breakpoints at panics, once in each program.
func (bs *Breakpoints) placePanicStops(ctx context.Context) {
	if !bs.panics.wanted || bs.panics.placed {
		return
	}
	bs.panics.placed = true
	places, err := bs.sites.entries(ctx, panicFunctions)
	if err != nil || len(places) == 0 {
		return
	}
	b := &Breakpoint{Places: places}
	if err := bs.setAt(b); err != nil {
		bs.inspector.Log.Debug("the process does not stop at panics", "err", err)
		return
	}
	bs.panics.b = b
}

// explainPanic makes a stop at one of the breakpoints at panics one for that
// reason.
func (bs *Breakpoints) explainPanic(stop proc.Stop) proc.Stop {
	if b := bs.panics.b; b != nil && stop.Why == proc.AtBreakpoint && slices.Contains(b.procIDs, stop.Breakpoint) {
		stop.Why, stop.Breakpoint = AtPanic, 0
	}
	return stop
}
