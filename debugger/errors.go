package debugger

import (
	"errors"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/schema"
)

// wireError is where the family meets the wire: wrong arguments are -32602 with
// all that is wrong in the details, everything else is -32603 with what failed.
func wireError(err error) error {
	if args, ok := errors.AsType[*schema.Error](err); ok {
		return mcp.InvalidParams("%s", args.Error())
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
}
