package target

import (
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
)

// A View is what the tools look at: a process that stands still, a moment of
// its past, a core file or a moment of a trace. Thread 0 is the current one.
//
// A View belongs to who has the gate of its session, or its operation.
// [proc.Process] is one for the present.
type View interface {
	// ReadMemory returns how many bytes could be read, and an error when not
	// all could.
	ReadMemory(addr uint64, b []byte) (int, error)
	// Regs and XState answer proc.ErrNoThread. The layout is that of XSAVE; an
	// error says that only the general registers are known.
	Regs(thread int) (ptrace.Regs, error)
	XState(thread int, buf []byte) ([]byte, error)
	Threads() ([]proc.ThreadInfo, error) // by id
	CurrentThread() (int, error)
	SetCurrentThread(id int) error
	Maps() (proc.Maps, error)
}
