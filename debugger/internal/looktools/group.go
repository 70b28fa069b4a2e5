package looktools

import (
	"github.com/triptych-mcp/triptych/debugger/internal/session"
)

// A Group has the tools that show a stopped process, and the one that changes
// its memory.
type Group struct {
	Sessions *session.Registry
	NoWrite  bool
}
