package debugger

import (
	"context"
	"errors"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/expr"
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols/callstack"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols/dwarfregs"
)

// conditional gives a mark its condition. Where the mark is at places of the
// code, its names must have a meaning at one of them.
func (s *stepper) conditional(ctx context.Context, m *mark, text string) error {
	if text == "" {
		return nil
	}
	condition, err := expr.Parse(text)
	if err != nil {
		return &breakpointError{fmt.Sprintf("the condition cannot be understood: %v", err)}
	}
	if err := s.checkNames(ctx, condition, m.places); err != nil {
		return err
	}
	m.condition = text
	m.holds = func(hit proc.Hit) (bool, error) {
		scope, err := s.scope(hit.Thread, 0)
		if err != nil {
			return false, err
		}
		value, err := condition.Eval(s.life, scope)
		if err != nil {
			return false, err
		}
		return value.Bool()
	}
	return nil
}

// checkNames refuses a condition with a name that is not known at any of the
// places. Where the debug information does not know the place, or libraries are
// still to be loaded, the name may become known.
func (s *stepper) checkNames(ctx context.Context, condition *expr.Expr, places []symbols.Location) error {
	if !s.program.Complete() {
		return nil
	}
	var unknown error
	for _, p := range places {
		scope := s.stillScope(p.Addr)
		if scope == nil {
			return nil
		}
		if unknown = condition.Check(ctx, scope); unknown == nil {
			return nil
		}
	}
	if name, ok := errors.AsType[*expr.NameError](unknown); ok {
		return &breakpointError{fmt.Sprintf("the condition cannot be decided there: %v", name)}
	}
	return nil
}

// stillScope is the innermost frame of code as if a thread were there, with zero
// in all registers and all memory; nil where the debug information knows no
// function.
func (s *inspector) stillScope(pc uint64) *frameScope {
	regs := dwarfregs.NewRegisters([17]uint64{dwarfregs.RIP: pc}, 0)
	frames, err := callstack.Unwind(s.program, regs, zeros{}, 1)
	if err != nil || len(frames) == 0 || !frames[0].Described() {
		return nil
	}
	return &frameScope{s: s, frame: &frames[0], regs: regs, mem: zeros{}, inner: true}
}

// zeros is memory in which nothing was ever written.
type zeros struct{}

func (zeros) ReadMemory(_ uint64, p []byte) error {
	clear(p)
	return nil
}
