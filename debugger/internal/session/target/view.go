package target

import (
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// A View reads a target at one position: a stopped process, a position of its
// past, a core file, or a position of a trace. Thread 0 is the current one.
//
// A View belongs to the call that holds the gate of its session, or to its
// operation. [proc.Process] is the View of the present.
type View interface {
	// ReadMemory returns how many bytes could be read, and an error if not all
	// could.
	ReadMemory(addr uint64, b []byte) (int, error)
	// Regs and XState return proc.ErrNoThread for unknown threads. XState has
	// the layout of XSAVE; other errors mean that only general registers are
	// known.
	Regs(thread int) (ptrace.Regs, error)
	XState(thread int, buf []byte) ([]byte, error)
	Threads() ([]proc.ThreadInfo, error) // by id
	CurrentThread() (int, error)
	SetCurrentThread(id int) error
	Maps() (procfs.Maps, error)
}
