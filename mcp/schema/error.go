package schema

import (
	"fmt"
	"strings"
)

// A Kind is a way for an argument to be wrong.
type Kind int

// The kinds.
const (
	Missing Kind = iota + 1 // a required argument is not there
	Unknown                 // the struct has no such field
	Type                    // it has another JSON type
	Range                   // a number is too small or too large
	Length                  // a string or list is too short or too long
	Enum                    // it is none of the values allowed
	Rule                    // it breaks a rule that the schema does not say
)

// A Violation is one thing that is wrong.
type Violation struct {
	Kind Kind
	Arg  string // the argument, by its name on the wire
	Path string // where in the arguments: "tags[2]"
	// Message is a sentence for the sender of the arguments.
	Message string
}

// MaxViolations is the number of violations that an [Error] of [Schema.Decode]
// names. The rest are only counted, so that the error stays small whatever was sent.
const MaxViolations = 20

// maxShown is the number of bytes of a name or path that a message quotes.
const maxShown = 100

// An Error holds everything that is wrong with the arguments of one call.
type Error struct {
	Violations []Violation
	More       int // how many were found beyond those in Violations
}

func (e *Error) Error() string { return strings.Join(e.Messages(), "; ") }

// Messages returns the messages of the violations, and a last one with the
// number of those that are only counted.
func (e *Error) Messages() []string {
	messages := make([]string, 0, len(e.Violations)+1)
	for _, v := range e.Violations {
		messages = append(messages, v.Message)
	}
	return append(messages, e.Rest()...)
}

// Rest returns the message for the violations that are only counted, nothing
// when all are in Violations.
func (e *Error) Rest() []string {
	if e.More == 0 {
		return nil
	}
	return []string{fmt.Sprintf("and %d more", e.More)}
}

// full counts one violation and reports true when the error names enough.
// Callers ask before they build a message.
func (e *Error) full() bool {
	if len(e.Violations) < MaxViolations {
		return false
	}
	e.More++
	return true
}

func (e *Error) add(kind Kind, path, message string) {
	if e.full() {
		return
	}
	arg, _, _ := strings.Cut(path, "[")
	arg, _, _ = strings.Cut(arg, ".")
	e.Violations = append(e.Violations, Violation{Kind: kind, Arg: shortened(arg), Path: shortened(path), Message: message})
}

// merge appends the violations of other.
func (e *Error) merge(other *Error) {
	for _, v := range other.Violations {
		if !e.full() {
			e.Violations = append(e.Violations, v)
		}
	}
	e.More += other.More
}

// shortened cuts a name that a client made up.
func shortened(name string) string {
	if len(name) <= maxShown {
		return name
	}
	return strings.ToValidUTF8(name[:maxShown], "") + "…"
}
