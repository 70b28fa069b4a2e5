package clients

import (
	"fmt"
	"strings"
)

// An UnknownError reports a client that is not in the table.
type UnknownError struct {
	Name  string
	Known []string
	Near  string // the name that may be meant; may be empty
}

func (e *UnknownError) Error() string {
	if e.Near != "" {
		return fmt.Sprintf("unknown client %q; did you mean %s? Known are %s", e.Name, e.Near, strings.Join(e.Known, ", "))
	}
	return fmt.Sprintf("unknown client %q; known are %s", e.Name, strings.Join(e.Known, ", "))
}

// A ScopeError reports a scope that a client does not have.
type ScopeError struct {
	Client string
	Scope  Scope
	Has    []Scope
}

func (e *ScopeError) Error() string {
	has := make([]string, len(e.Has))
	for i, s := range e.Has {
		has[i] = string(s)
	}
	return fmt.Sprintf("%s has no %q scope, only %s", e.Client, e.Scope, strings.Join(has, " and "))
}

// An InvalidError reports a file that cannot be edited safely. Reason says
// what is wrong with it and where.
type InvalidError struct{ Reason string }

func (e *InvalidError) Error() string { return e.Reason }

func invalid(format string, args ...any) error {
	return &InvalidError{Reason: fmt.Sprintf(format, args...)}
}
