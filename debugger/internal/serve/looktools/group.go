package looktools

import (
	"github.com/triptych-mcp/triptych/debugger/internal/session"
)

// A Group implements the tools that inspect a stopped process, and the one that
// writes its memory.
type Group struct {
	Sessions *session.Registry
	NoWrite  bool
	// AllowCalls lets expressions call functions of the process.
	AllowCalls bool
}
