package target

import (
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// ErrNoMemory is wrapped by errors of views that cannot read memory.
var ErrNoMemory = errors.New("there is no such memory")

// IsAccess reports whether an error is that memory cannot be read or written.
func IsAccess(err error) bool {
	return isProcessAccess(err) || errors.Is(err, history.ErrNotTraced) || errors.Is(err, ErrNoMemory)
}
