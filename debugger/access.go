package debugger

import (
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/history"
)

// errNoMemory says that memory cannot be read: errors of other kinds of scenes
// are made of it.
var errNoMemory = errors.New("there is no such memory")

// isAccess says whether memory could not be read or written.
func isAccess(err error) bool {
	return isProcessAccess(err) || errors.Is(err, history.ErrNotTraced) || errors.Is(err, errNoMemory)
}
