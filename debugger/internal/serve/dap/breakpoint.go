package dap

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"syscall"

	"github.com/google/go-dap"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// A breakpoint is a breakpoint as the client has set it. The engine has it
// only while its place is known.
type breakpoint struct {
	id   int
	kind string // the reason of its stops
	spec
	set       *stepping.Breakpoint // nil if the engine does not have it
	err       error                // why the engine does not have it
	exception string               // of an exception filter: what is shown at its stops
}

// A spec says what the client wants. Breakpoints with equal specs are the same.
type spec struct {
	path     string // of the client, with line
	line     int
	function string
	address  uint64
	size     int    // of data
	mask     string // the bits of a bit-field, as bytes; "" for all bits
	access   proc.Access

	condition, hits, log string
}

// breakpoints holds the client's breakpoints, and those of others that it was
// told of.
type breakpoints struct {
	client *client

	made    int
	all     []*breakpoint
	foreign map[int]dap.Breakpoint // by the number of the engine
	images  int                    // how many files were mapped when places were last looked for

	signals    []string // the exception filters that the client has chosen
	signalsDue bool     // the process does not have them yet
}

// maxSet bounds the breakpoints of a client.
const maxSet = 1000

// byEngine returns the breakpoint with a number of the engine, nil if it is
// not of this client.
func (bs *breakpoints) byEngine(id int) *breakpoint {
	for _, b := range bs.all {
		if b.set != nil && b.set.ID == id {
			return b
		}
	}
	return nil
}

// describe adds to a stop what is known of the breakpoint.
func (b *breakpoint) describe(body *dap.StoppedEventBody) {
	body.Reason, body.HitBreakpointIds = b.kind, []int{b.id}
	if b.exception != "" {
		body.Reason, body.Description, body.HitBreakpointIds = reasonException, b.exception, nil
	}
}

// apply clears and sets breakpoints of the engine.
func (bs *breakpoints) apply(ctx context.Context, gone, kept []*breakpoint) error {
	if err := bs.client.requireDriver(); err != nil {
		return err
	}
	var errs error
	for _, b := range gone {
		if b.set != nil {
			errs = errors.Join(errs, proc.UnlessEnded(bs.client.s.Breakpoints.Clear(b.set)))
		}
	}
	for _, b := range kept {
		if b.set == nil {
			b.set, b.err = bs.place(ctx, b)
		}
	}
	bs.images = len(bs.client.s.Inspector.Program.Images())
	return errs
}

func maskOf(bits string) []byte {
	if bits == "" {
		return nil
	}
	return []byte(bits)
}

// place lets the engine have a breakpoint.
func (bs *breakpoints) place(ctx context.Context, b *breakpoint) (*stepping.Breakpoint, error) {
	if b.size != 0 {
		return bs.client.s.Breakpoints.SetWatch(ctx, stepping.Watch{Address: b.address, Size: b.size, Mask: maskOf(b.mask), Access: b.access}, b.condition, b.hits)
	}
	if name, _, _ := strings.Cut(b.function, ":"); b.kind == exceptionKind && name == syscallFilter {
		return bs.client.s.Breakpoints.SetBreakpoint(ctx, stepping.BreakpointSpec{Site: stepping.Site{Catch: b.function}})
	}
	places, err := bs.places(ctx, b)
	if err != nil {
		return nil, err
	}
	return bs.client.s.Breakpoints.SetBreakpoint(ctx, stepping.BreakpointSpec{Places: places, Condition: b.condition, Hits: b.hits, Log: b.log})
}

func (bs *breakpoints) places(ctx context.Context, b *breakpoint) ([]symbols.Location, error) {
	switch {
	case b.kind == exceptionKind: // most programs do not have the function
		return bs.client.s.Inspector.Program.Entry(ctx, b.function)
	case b.path != "":
		return bs.client.s.Inspector.LinePlaces(ctx, bs.client.toDebuggee(b.path), b.line)
	case b.function != "":
		return bs.client.s.Inspector.FunctionPlaces(ctx, b.function)
	}
	return []symbols.Location{bs.client.s.Inspector.AddressPlace(b.address)}, nil
}

// retry sets what could not be set before, after a stop: while the process was
// running, or as long as a library was not loaded. After exec all are set again.
func (bs *breakpoints) retry(ctx context.Context) {
	images := 0
	waits := func(b *breakpoint) bool {
		if b.set != nil && bs.client.s.Breakpoints.ByID[b.set.ID] == nil {
			b.set = nil // another program was begun
			return true
		}
		return b.set == nil && (errors.Is(b.err, errRunning) || errors.Is(b.err, errMoved) || images != bs.images)
	}
	err := bs.client.locked(ctx, func() error {
		images = len(bs.client.s.Inspector.Program.Images())
		for _, b := range bs.all {
			if !waits(b) {
				continue
			}
			if b.set, b.err = bs.place(ctx, b); b.set != nil && b.exception == "" {
				bs.client.out.event("breakpoint", dap.BreakpointEventBody{Reason: "changed", Breakpoint: bs.wire(b)})
			}
		}
		bs.images = images
		return bs.chooseSignals()
	})
	if err != nil && bs.client.Log != nil {
		bs.client.Log.Debug("breakpoints could not be set after a stop", "err", err)
	}
}

// clear clears the breakpoints of a client that has gone. It waits until the
// session is idle; a session that has ended has none.
func (bs *breakpoints) clear() {
	if len(bs.all) == 0 {
		return
	}
	_, leave, err := bs.client.s.AcquireIdle(context.Background())
	if err != nil {
		return
	}
	defer leave()
	for _, b := range bs.all {
		if b.set == nil {
			continue
		}
		if err := proc.UnlessEnded(bs.client.s.Breakpoints.Clear(b.set)); err != nil && bs.client.Log != nil {
			bs.client.Log.Warn("a breakpoint could not be cleared", "session", bs.client.s.ID, "err", err)
		}
	}
}

// wire describes a breakpoint to the client.
func (bs *breakpoints) wire(b *breakpoint) dap.Breakpoint {
	w := dap.Breakpoint{Id: b.id, Verified: b.set != nil, Line: bs.client.toClientLine(b.line)}
	if b.err != nil {
		w.Message = b.err.Error()
	}
	if b.set != nil && b.size == 0 {
		bs.locate(&w, b.set.Places)
	}
	return w
}

// locate adds the first of the places to a breakpoint.
func (bs *breakpoints) locate(w *dap.Breakpoint, places []symbols.Location) {
	if len(places) == 0 {
		return
	}
	at := places[0]
	w.InstructionReference = plain.Hex(at.Addr)
	if at.File != "" {
		w.Source, w.Line = bs.client.sourceOf(at.File), bs.client.toClientLine(at.Line)
	}
}

// foreignBase is added to the numbers of the engine for the breakpoints of
// others, which then differ from those of the client.
const foreignBase = 1 << 20

// tellForeign tells a client that shares a session which breakpoints
// others have set and cleared.
func (bs *breakpoints) tellForeign() {
	if bs.client.Role == session.Owner {
		return
	}
	now := map[int]dap.Breakpoint{}
	err := bs.client.locked(context.Background(), func() error {
		for id, b := range bs.client.s.Breakpoints.ByID {
			if bs.byEngine(id) == nil {
				w := dap.Breakpoint{Id: foreignBase + id, Verified: true, Message: "of the agent"}
				bs.locate(&w, b.Places)
				now[id] = w
			}
		}
		return nil
	})
	if err != nil {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(now)) {
		if _, known := bs.foreign[id]; !known {
			bs.client.out.event("breakpoint", dap.BreakpointEventBody{Reason: "new", Breakpoint: now[id]})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(bs.foreign)) {
		if _, there := now[id]; !there {
			bs.client.out.event("breakpoint", dap.BreakpointEventBody{Reason: "removed", Breakpoint: bs.foreign[id]})
		}
	}
	bs.foreign = now
}

// chooseSignals lets signals stop the process, or pass, as the client wants. The
// process is stopped.
func (bs *breakpoints) chooseSignals() error {
	if !bs.signalsDue || bs.client.s.Target.Process == nil || bs.client.Role != session.Owner {
		return nil
	}
	bs.signalsDue = false
	for _, f := range filters {
		action := proc.Pass
		if slices.Contains(bs.signals, f.id) {
			action = proc.StopAndPass
		}
		for _, sig := range f.signals {
			if err := bs.client.s.Target.Process.SetSignal(sig, action); err != nil {
				return err
			}
		}
	}
	return nil
}

// exceptionKind is the kind of the breakpoints of filters.
const exceptionKind = reasonException

// syscallFilter is the filter of system calls, and begins the name of their event.
const syscallFilter = "syscall"

// A filter is a choice of exceptions at which the process stops: signals, or
// functions that are called when a language has an exception.
type filter struct {
	id, label, description string
	usual                  bool
	signals                []syscall.Signal
	functions              map[string]string // with what is shown at their stops
	condition              string            // how to choose some, "" if there is no choice
}

// filters are the exceptions that the engine can stop at.
var filters = []filter{
	{id: "fault", label: "Faults and aborts", description: "SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS", usual: true, signals: faults},
	{id: "signal", label: "Other signals", description: "SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2 and limits", usual: true, signals: others},
	{
		id: "panic", label: "Panics", description: "Panics of Go that end the program, fatal errors of its runtime, panics of Rust", usual: true,
		functions: map[string]string{"runtime.fatalpanic": "Panic", "runtime.fatalthrow": "Fatal error", "rust_panic": "Panic"},
	},
	{
		id: "throw", label: "Thrown exceptions", description: "Every C++ exception and every panic of Go, also those that are caught",
		functions: map[string]string{"__cxa_throw": "C++ exception", "__cxa_rethrow": "C++ exception, thrown again", "runtime.gopanic": "Panic"},
	},
	{
		id: syscallFilter, label: "System calls", description: "Before and after system calls, all or some", condition: "Names or numbers, such as openat,close",
		functions: map[string]string{syscallFilter: "System call"},
	},
}
