package schema

import "strings"

// A Kind is a way for an argument to be wrong.
type Kind int

// The kinds.
const (
	Missing Kind = iota + 1 // a required argument is not there
	Unknown                 // nobody asked for it
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
	// Message is a sentence for whoever sent the arguments.
	Message string
}

// An Error is everything that is wrong with the arguments of one call.
type Error struct{ Violations []Violation }

func (e *Error) Error() string {
	messages := make([]string, len(e.Violations))
	for i, v := range e.Violations {
		messages[i] = v.Message
	}
	return strings.Join(messages, "; ")
}

func (e *Error) add(kind Kind, path, message string) {
	arg, _, _ := strings.Cut(path, "[")
	arg, _, _ = strings.Cut(arg, ".")
	e.Violations = append(e.Violations, Violation{Kind: kind, Arg: arg, Path: path, Message: message})
}
