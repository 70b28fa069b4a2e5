package target

import (
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/history"
)

// ErrNoMemory says that memory cannot be read: errors of other kinds of scenes
// are made of it.
var ErrNoMemory = errors.New("there is no such memory")

// IsAccess says whether memory could not be read or written.
func IsAccess(err error) bool {
	return isProcessAccess(err) || errors.Is(err, history.ErrNotTraced) || errors.Is(err, ErrNoMemory)
}
