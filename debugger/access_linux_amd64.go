package debugger

import (
	"errors"

	"github.com/triptych-mcp/triptych/debugger/ptrace"
)

// isAccess says whether memory could not be read or written.
func isAccess(err error) bool {
	_, ok := errors.AsType[*ptrace.AccessError](err)
	return ok
}
