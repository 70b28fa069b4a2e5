package dap

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/go-dap"

	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
)

// settings answers the requests that choose where the process stops.
type settings struct {
	client      *client
	breakpoints *breakpoints
	looks       *looks
	moves       *moves
}

// replace makes the breakpoints for which ours returns true those of the specs.
// Equal ones stay as they are, with their hits.
func (w *settings) replace(ctx context.Context, ours func(*breakpoint) bool, kind string, specs []spec) ([]dap.Breakpoint, error) {
	return w.replaceAnd(ctx, ours, kind, specs, func() error { return nil })
}

// replaceAnd is replace, and calls also while the process is stopped for it.
func (w *settings) replaceAnd(ctx context.Context, ours func(*breakpoint) bool, kind string, specs []spec, also func() error) ([]dap.Breakpoint, error) {
	t := w.breakpoints
	if len(t.all)+len(specs) > maxSet {
		return nil, fmt.Errorf("a client may have %d breakpoints", maxSet)
	}
	var kept []*breakpoint
	for _, s := range specs {
		i := slices.IndexFunc(t.all, func(b *breakpoint) bool { return ours(b) && b.spec == s && !slices.Contains(kept, b) })
		if i >= 0 {
			kept = append(kept, t.all[i])
			continue
		}
		t.made++
		kept = append(kept, &breakpoint{id: t.made, kind: kind, spec: s})
	}
	gone := slices.DeleteFunc(slices.Clone(t.all), func(b *breakpoint) bool { return !ours(b) || slices.Contains(kept, b) })
	err := w.moves.betweenRuns(ctx, func() error { return errors.Join(w.breakpoints.apply(ctx, gone, kept), also()) })
	if err != nil && !errors.Is(err, errRunning) && !errors.Is(err, errMirror) && !errors.Is(err, errMoved) {
		return nil, err
	}
	t.all = slices.DeleteFunc(t.all, ours)
	t.all = append(t.all, kept...)
	answer := []dap.Breakpoint{}
	for _, b := range kept {
		if b.set == nil && err != nil {
			b.err = err
		}
		answer = append(answer, w.breakpoints.wire(b))
	}
	return answer, nil
}

// setBreakpoints replaces the breakpoints of a source file.
func (w *settings) setBreakpoints(ctx context.Context, args dap.SetBreakpointsArguments) (any, error) {
	path := args.Source.Path
	if path == "" {
		return nil, errors.New("the source has no path")
	}
	var specs []spec
	for _, b := range args.Breakpoints {
		specs = append(specs, spec{path: path, line: w.client.fromClientLine(b.Line), condition: b.Condition, hits: b.HitCondition, log: b.LogMessage})
	}
	all, err := w.replace(ctx, func(b *breakpoint) bool { return b.path == path }, "breakpoint", specs)
	return dap.SetBreakpointsResponseBody{Breakpoints: all}, err
}

// setFunctionBreakpoints replaces the breakpoints at functions.
func (w *settings) setFunctionBreakpoints(ctx context.Context, args dap.SetFunctionBreakpointsArguments) (any, error) {
	const kind = "function breakpoint"
	var specs []spec
	for _, b := range args.Breakpoints {
		specs = append(specs, spec{function: b.Name, condition: b.Condition, hits: b.HitCondition})
	}
	all, err := w.replace(ctx, func(b *breakpoint) bool { return b.kind == kind }, kind, specs)
	return dap.SetFunctionBreakpointsResponseBody{Breakpoints: all}, err
}

// setInstructionBreakpoints replaces the breakpoints at addresses.
func (w *settings) setInstructionBreakpoints(ctx context.Context, args dap.SetInstructionBreakpointsArguments) (any, error) {
	const kind = "instruction breakpoint"
	var specs []spec
	for _, b := range args.Breakpoints {
		addr, err := inspect.ParseAddress(b.InstructionReference)
		if err != nil {
			return nil, err
		}
		specs = append(specs, spec{address: addr + uint64(b.Offset), condition: b.Condition, hits: b.HitCondition})
	}
	all, err := w.replace(ctx, func(b *breakpoint) bool { return b.kind == kind }, kind, specs)
	return dap.SetInstructionBreakpointsResponseBody{Breakpoints: all}, err
}
