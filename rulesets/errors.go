package rulesets

import (
	"errors"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/schema"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

var errNothingToUpdate = errors.New("nothing to update: give at least one of description, tags and markdown")

// An opError adds the failed operation to an error: "failed to create ruleset:
// …".
type opError struct {
	verb string // create, retrieve, update, delete, apply, label, list, search, find, lint
	err  error
}

func (e *opError) Error() string {
	thing := "ruleset"
	if e.verb == "list" || e.verb == "search" || e.verb == "find" || e.verb == "apply" {
		thing = "rulesets"
	}
	return fmt.Sprintf("failed to %s %s: %v", e.verb, thing, e.err)
}

func (e *opError) Unwrap() error { return e.err }

// A listedError is an error that lists the existing names.
type listedError struct {
	err  error
	text string
}

func (e *listedError) Error() string { return e.err.Error() + e.text }
func (e *listedError) Unwrap() error { return e.err }

// wireError converts errors of the domain to those of the protocol. Every error
// is a tool result that the model sees, except that the store is unavailable,
// which concerns the host.
func wireError(err error) error {
	if away, ok := errors.AsType[*ruleset.UnavailableError](err); ok {
		return &mcp.UnavailableError{Message: away.Error()}
	}
	if args, ok := errors.AsType[*schema.Error](err); ok {
		return mcp.ToolError(errors.New(argumentText(args)))
	}
	return mcp.ToolError(err)
}

// argumentText lists the mistakes in the arguments.
func argumentText(e *schema.Error) string {
	texts := make([]string, len(e.Violations))
	for i, v := range e.Violations {
		texts[i] = v.Message
		if v.Kind == schema.Missing {
			texts[i] = fmt.Sprintf("missing required parameter '%s': %s", v.Arg, requiredText)
		}
	}
	return strings.Join(append(texts, e.Rest()...), "; ")
}

const requiredText = "a string is required"
