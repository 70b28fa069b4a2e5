package target

import (
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/budget"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
)

// isFull reports whether an error says that a file takes more memory than it may.
func isFull(err error) bool {
	_, full := errors.AsType[*budget.Error](err)
	return full
}

// tooLarge describes a file of a kind that takes more memory than it may.
func tooLarge(kind string, err error) error {
	full, _ := errors.AsType[*budget.Error](err)
	return failure.Errorf("File too large", "the %s cannot be opened: %v", kind, full)
}
