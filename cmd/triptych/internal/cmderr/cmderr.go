// Package cmderr has the errors of commands: [UsageErrorf] makes errors of the command line,
// which end the program with status 2, [WithHints] adds advice, [ErrReported] is for errors
// that were printed already, and an [ExitError] ends the program with a status of its own.
package cmderr

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
)

// ErrReported is an error that people were already told about in full.
var ErrReported = errors.New("told")

// A UsageError is a mistake on the command line; the exit status is 2.
type UsageError struct{ reason string }

func (e *UsageError) Error() string { return e.reason }

// UsageErrorf reports a mistake on the command line.
func UsageErrorf(format string, args ...any) error {
	return &UsageError{reason: fmt.Sprintf(format, args...)}
}

// An ExitError ends the command with a status of its own. Nothing is printed.
type ExitError int

func (e ExitError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// A HintError is an error with advice.
type HintError struct {
	err   error
	Hints []string
}

func (e *HintError) Error() string { return e.err.Error() }
func (e *HintError) Unwrap() error { return e.err }

// WithHints adds advice to an error, after the advice that it has. Nil stays nil.
func WithHints(err error, hints ...string) error {
	if err == nil || len(hints) == 0 {
		return err
	}
	if h, ok := errors.AsType[*HintError](err); ok {
		hints = slices.Concat(h.Hints, hints)
	}
	return &HintError{err: err, Hints: hints}
}

// WithoutDisconnects drops the errors of a conversation that ended as it should: the client is
// gone, or ctx is done.
func WithoutDisconnects(ctx context.Context, err error) error {
	gone := errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed)
	asked := errors.Is(err, context.Canceled) || ctx.Err() != nil && errors.Is(err, context.Cause(ctx))
	if gone || asked {
		return nil
	}
	return err
}
