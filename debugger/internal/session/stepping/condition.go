package stepping

import (
	"context"
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/session/expr"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
)

// SetCondition parses the condition of a breakpoint. Its names must be known
// at one of the breakpoint's addresses.
func (bs *Breakpoints) SetCondition(ctx context.Context, m *Breakpoint, text string) error {
	err := bs.parseCondition(ctx, m, text)
	bs.maskWatch(m)
	return err
}

func (bs *Breakpoints) parseCondition(ctx context.Context, m *Breakpoint, text string) error {
	if text == "" {
		return nil
	}
	condition, err := expr.Parse(text)
	if err != nil {
		return failure.Breakpointf("the condition cannot be understood: %v", err)
	}
	if err := bs.CheckNames(ctx, condition, m.Places, "condition cannot be decided"); err != nil {
		return err
	}
	m.Condition = text
	m.Holds = func(hit proc.Hit) (bool, error) {
		scope, err := bs.inspector.Scope(hit.Thread, 0)
		if err != nil {
			return false, err
		}
		value, err := condition.Eval(bs.inspector.Life, scope)
		if err != nil {
			return false, err
		}
		return value.Bool()
	}
	return nil
}

// CheckNames rejects an expression with a name that is known at none of the
// addresses; text says what cannot be done with it. Names are not checked at
// addresses without debug information, nor while libraries are still to be loaded.
func (bs *Breakpoints) CheckNames(ctx context.Context, e *expr.Expr, places []symbols.Location, text string) error {
	if !bs.inspector.Program.Complete() {
		return nil
	}
	var unknown error
	for _, p := range places {
		scope := bs.inspector.ScopeAt(p.Addr)
		if scope == nil {
			return nil
		}
		if unknown = e.Check(ctx, scope); unknown == nil {
			return nil
		}
	}
	if name, ok := errors.AsType[*expr.NameError](unknown); ok {
		return failure.Breakpointf("the %s there: %v", text, name)
	}
	return nil
}
