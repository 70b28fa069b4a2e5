package inspect

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/expr"
	"github.com/triptych-mcp/triptych/debugger/internal/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/target"
)

// ParseAddress reads an address in hexadecimal, or decimal.
func ParseAddress(text string) (uint64, error) {
	n, err := strconv.ParseUint(strings.TrimSpace(text), 0, 64)
	if err != nil {
		return 0, errors.New("address must be a number such as 0x401000")
	}
	return n, nil
}

// isProcess says whether an error is about the process, not about what was
// asked of it.
func isProcess(err error) bool {
	for _, each := range []error{proc.ErrExited, proc.ErrDetached, proc.ErrRunning, proc.ErrNoThread, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, each) {
			return true
		}
	}
	return false
}

// Address evaluates an argument that is an address.
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

// WrapError tells what is wrong with an expression from what is wrong
// with the process.
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

// Evaluate evaluates an expression in a frame.
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
