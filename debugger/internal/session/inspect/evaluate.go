package inspect

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/session/expr"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
)

// ParseAddress parses an address in hexadecimal or decimal.
func ParseAddress(text string) (uint64, error) {
	n, err := strconv.ParseUint(strings.TrimSpace(text), 0, 64)
	if err != nil {
		return 0, errors.New("address must be a number such as 0x401000")
	}
	return n, nil
}

// isProcess reports whether an error is about the state of the process rather
// than about the request.
func isProcess(err error) bool {
	for _, each := range []error{proc.ErrExited, proc.ErrDetached, proc.ErrRunning, proc.ErrNoThread, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, each) {
			return true
		}
	}
	return false
}

// Address evaluates an expression that is an address.
func (s *Inspector) Address(ctx context.Context, text string) (uint64, error) {
	if addr, err := ParseAddress(text); err == nil {
		return addr, nil
	}
	value, err := s.Evaluate(ctx, text, 0, 0)
	if err != nil {
		return 0, WrapError(err)
	}
	addr, err := value.Address()
	return addr, WrapError(err)
}

// WrapError makes an error of evaluation one for the caller. Errors about the
// process stay as they are.
func WrapError(err error) error {
	_, reported := errors.AsType[*failure.Error](err)
	if err == nil || reported || target.IsAccess(err) || isProcess(err) {
		return err
	}
	if _, ok := errors.AsType[*expr.SyntaxError](err); ok {
		return failure.Argumentf("the expression cannot be understood: %s", err)
	}
	return failure.Errorf("Expression failed", "%v", err)
}

// Evaluate evaluates an expression in a frame of a thread; thread 0 is the
// current one.
func (s *Inspector) Evaluate(ctx context.Context, text string, thread, frame int) (expr.Value, error) {
	e, err := expr.Parse(text)
	if err != nil {
		return expr.Value{}, err
	}
	scope, err := s.Scope(thread, frame)
	if err != nil {
		return expr.Value{}, err
	}
	return e.Eval(ctx, scope)
}
