package event

import "fmt"

// A SyntaxError reports a document that is not well-formed.
type SyntaxError struct {
	Line, Column int
	Message      string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message)
}

// A LimitError reports a document that exceeds a limit.
type LimitError struct {
	Line, Column int
	What         string
	Limit        int64
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("%d:%d: the limit of %s is %d", e.Line, e.Column, e.What, e.Limit)
}

// A RefusedError reports a document that asks for something from outside.
type RefusedError struct {
	Line, Column int
	What         string
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.What)
}
