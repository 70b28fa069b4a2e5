package main

import (
	"errors"
	"fmt"
)

// errTold is an error that people were already told about in full.
var errTold = errors.New("told")

// A usageError is a mistake on the command line; the exit status is 2.
type usageError struct{ reason string }

func (e *usageError) Error() string { return e.reason }

// misused reports a mistake on the command line.
func misused(format string, args ...any) error {
	return &usageError{reason: fmt.Sprintf(format, args...)}
}

// A hintError is an error with advice.
type hintError struct {
	err   error
	hints []string
}

func (e *hintError) Error() string { return e.err.Error() }
func (e *hintError) Unwrap() error { return e.err }

// hinted adds advice to an error. Nil stays nil.
func hinted(err error, hints ...string) error {
	if err == nil || len(hints) == 0 {
		return err
	}
	return &hintError{err: err, hints: hints}
}
