package target

import (
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// isProcessAccess is IsAccess for memory of a live process.
func isProcessAccess(err error) bool {
	_, ok := errors.AsType[*ptrace.AccessError](err)
	return ok
}
