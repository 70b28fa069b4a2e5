package bugtools

import (
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs"
	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
)

const projectsHint = "--projects names those that may"

// WireError returns the JSON-RPC error for a path that cannot be searched, nil
// for other errors.
func WireError(err error) *jsonrpc.Error {
	e, ok := errors.AsType[*bugs.PathError](err)
	switch {
	case !ok:
		return nil
	case e.Denied:
		return jsonrpc.Errorf(host.CodePermissionDenied, "Permission denied").WithDetails("%v; %s", e, projectsHint)
	}
	return mcp.InvalidParams("%v", e)
}
