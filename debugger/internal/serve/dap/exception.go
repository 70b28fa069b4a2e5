package dap

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"github.com/google/go-dap"

	"github.com/triptych-mcp/triptych/debugger/internal/session"
)

// Signals by their numbers in Linux on amd64.
var (
	faults = []syscall.Signal{4, 5, 6, 7, 8, 11, 31}           // SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS
	others = []syscall.Signal{1, 2, 3, 10, 12, 13, 15, 24, 25} // SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE, SIGTERM, SIGXCPU, SIGXFSZ
)

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

// exceptionInfo describes the signal or exception of the last stop.
func (l *looks) exceptionInfo(context.Context, dap.ExceptionInfoArguments) (any, error) {
	state := l.client.s.State()
	if l.now.stop.Reason != reasonException {
		return nil, fmt.Errorf("the session did not stop at an exception")
	}
	info := dap.ExceptionInfoResponseBody{ExceptionId: l.now.stop.Description, BreakMode: "always"}
	if b := l.breakpoints.byEngine(state.Breakpoint); b != nil {
		info.ExceptionId = b.exception
	}
	info.Description = state.Signal
	if state.Syscall != "" {
		info.Description = state.Syscall
	}
	if state.Fault != "" {
		info.Description = fmt.Sprintf("%s about the address %s", state.Signal, state.Fault)
	}
	return info, nil
}
