package debugger

import (
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/guard"
)

// GuardCommand is the first argument with which the debugger starts its own
// executable as the guard of a process that it debugs.
const GuardCommand = guard.Command

// GuardMain runs the guard and returns its exit status. A program that serves
// this family must call it when its first argument is GuardCommand.
func GuardMain() int { return guard.Main() }
