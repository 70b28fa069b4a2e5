package expr

import (
	"context"
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
)

// A NameError reports an unknown name. It wraps [symbols.ErrNotFound].
type NameError struct{ Name string }

// Error names the unknown name.
func (e *NameError) Error() string { return e.Name + ": " + symbols.ErrNotFound.Error() }

// Unwrap is symbols.ErrNotFound.
func (*NameError) Unwrap() error { return symbols.ErrNotFound }

// Check returns a *NameError for a name of the expression that is unknown in
// the scope. It evaluates all operands, also those that Eval would skip, and
// ignores other errors, as values may be different later.
func (e *Expr) Check(ctx context.Context, scope Scope) error {
	_, err := e.root.eval(&evaluator{ctx: ctx, scope: scope, lang: scope.Language(), checking: true})
	if unknown, ok := errors.AsType[*NameError](err); ok {
		return unknown
	}
	return nil
}

// excused drops an error about an unknown name if the other operand has no
// value: the name may be an enumerator of its type.
func excused(left, right node, errA, errB error) (error, error) {
	if errA == nil || errB == nil {
		return errA, errB
	}
	if _, ok := right.(*nameNode); ok {
		return errA, nil
	}
	if _, ok := left.(*nameNode); ok {
		return nil, errB
	}
	return errA, errB
}
