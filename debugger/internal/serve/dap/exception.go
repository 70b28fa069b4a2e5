package dap

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"github.com/google/go-dap"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
)

// A filter is a choice of exceptions at which the process stops: signals, or
// functions that are called when a language has an exception.
type filter struct {
	id, label, description string
	usual                  bool
	signals                []syscall.Signal
	functions              map[string]string // with what is shown at their stops
	condition              string            // how to choose some, "" if there is no choice
}

// Signals by their numbers in Linux on amd64.
var (
	faults = []syscall.Signal{4, 5, 6, 7, 8, 11, 31}           // SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS
	others = []syscall.Signal{1, 2, 3, 10, 12, 13, 15, 24, 25} // SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE, SIGTERM, SIGXCPU, SIGXFSZ
)

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

// syscallFilter is the filter of system calls, and begins the name of their event.
const syscallFilter = "syscall"

// exceptionFilters returns the filters that a client may choose from. Only the owner of
// a session decides about signals.
func (w *settings) exceptionFilters() []dap.ExceptionBreakpointsFilter {
	var all []dap.ExceptionBreakpointsFilter
	for _, f := range filters {
		if w.client.Role == session.Owner || f.functions != nil && w.client.Role == session.Control {
			all = append(all, dap.ExceptionBreakpointsFilter{Filter: f.id, Label: f.label, Description: f.description, Default: f.usual, SupportsCondition: f.condition != "", ConditionDescription: f.condition})
		}
	}
	return all
}

// exceptionKind is the kind of the breakpoints of filters.
const exceptionKind = reasonException

// setExceptionBreakpoints chooses the exceptions at which the process stops.
func (w *settings) setExceptionBreakpoints(ctx context.Context, args dap.SetExceptionBreakpointsArguments) (any, error) {
	chosen := slices.Clone(args.Filters)
	conditions := map[string]string{}
	for _, o := range args.FilterOptions {
		chosen = append(chosen, o.FilterId)
		conditions[o.FilterId] = o.Condition
	}
	for _, id := range chosen {
		if !slices.ContainsFunc(filters, func(f filter) bool { return f.id == id }) {
			return nil, fmt.Errorf("there is no exception filter %q", id)
		}
	}
	if w.client.Role == session.Mirror {
		return nil, nil // it has no filters, and clients send the request anyway
	}
	var specs []spec
	for _, f := range filters {
		for name := range f.functions {
			if list := conditions[f.id]; list != "" && f.condition != "" {
				name += ":" + list
			}
			if slices.Contains(chosen, f.id) {
				specs = append(specs, spec{function: name})
			}
		}
	}
	slices.SortFunc(specs, func(a, b spec) int { return cmp.Compare(a.function, b.function) })
	ours := func(b *breakpoint) bool { return b.kind == exceptionKind }
	w.breakpoints.signals, w.breakpoints.signalsDue = chosen, true
	_, err := w.replaceAnd(ctx, ours, exceptionKind, specs, w.breakpoints.chooseSignals)
	if err == nil {
		w.nameExceptions()
	}
	return nil, err
}

// nameExceptions sets what is shown at the stops of filters.
func (w *settings) nameExceptions() {
	for _, b := range w.breakpoints.all {
		for _, f := range filters {
			name, _, _ := strings.Cut(b.function, ":")
			if text := f.functions[name]; b.kind == exceptionKind && text != "" {
				b.exception = text
			}
		}
	}
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
