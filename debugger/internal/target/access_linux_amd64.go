package target

import (
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
)

// isProcessAccess says whether memory of a process could not be read or
// written.
func isProcessAccess(err error) bool {
	_, ok := errors.AsType[*ptrace.AccessError](err)
	return ok
}
