package expr

import (
	"context"
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/symbols"
)

// A NameError says that nobody knows a name. It wraps [symbols.ErrNotFound].
type NameError struct{ Name string }

// Error names what is not known.
func (e *NameError) Error() string { return e.Name + ": " + symbols.ErrNotFound.Error() }

// Unwrap is symbols.ErrNotFound.
func (*NameError) Unwrap() error { return symbols.ErrNotFound }

// Check returns a *NameError for a name of the expression that the scope does
// not know. Values do not matter: all operands are looked at, also those that
// an evaluation would leave out, and what goes wrong for another reason, which
// may be right at another time, is nobody's fault.
func (e *Expr) Check(ctx context.Context, scope Scope) error {
	_, err := e.root.eval(&evaluator{ctx: ctx, scope: scope, lang: scope.Language(), checking: true})
	if unknown, ok := errors.AsType[*NameError](err); ok {
		return unknown
	}
	return nil
}

// excused takes back that a name is not known when the other side has no value:
// that could have said of which enumeration the name is.
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
