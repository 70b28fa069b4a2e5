package main

import (
	"errors"
	"fmt"
)

// ErrReported is an error that people were already told about in full.
var ErrReported = errors.New("told")

// A usageError is a mistake on the command line; the exit status is 2.
type usageError struct{ reason string }

func (e *usageError) Error() string { return e.reason }

// UsageErrorf reports a mistake on the command line.
func UsageErrorf(format string, args ...any) error {
	return &usageError{reason: fmt.Sprintf(format, args...)}
}

// A HintError is an error with advice.
type HintError struct {
	err   error
	Hints []string
}

func (e *HintError) Error() string { return e.err.Error() }
func (e *HintError) Unwrap() error { return e.err }

// WithHints adds advice to an error. Nil stays nil.
func WithHints(err error, hints ...string) error {
	if err == nil || len(hints) == 0 {
		return err
	}
	return &HintError{err: err, Hints: hints}
}
