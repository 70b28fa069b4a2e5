package aoc

import (
	"errors"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/schema"
)

// codeApplication is the documented code of the family's own errors.
const codeApplication jsonrpc.Code = -1

// A loadError reports a text that could not be loaded.
type loadError struct{ err error }

func (e *loadError) Error() string { return "Error loading instruction: " + e.err.Error() }
func (e *loadError) Unwrap() error { return e.err }

// wireError converts the family's errors. Invalid arguments have the code -32602,
// with all mistakes in the details; everything else has -1 with its message.
func wireError(err error) error {
	if args, ok := errors.AsType[*schema.Error](err); ok {
		return mcp.InvalidParams("%s", args.Error())
	}
	return &jsonrpc.Error{Code: codeApplication, Message: err.Error()}
}
