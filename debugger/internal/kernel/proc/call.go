package proc

import (
	"fmt"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// A Call describes a call of a function of the process, see Process.Call.
type Call struct {
	// Regs are the registers at the function's first instruction. RSP is the address
	// of the return address, which Call writes.
	Regs   ptrace.Regs
	Vector []byte  // vector state, in the layout of XSAVE; nil leaves it unchanged
	Memory []Patch // is written before the call, and stays
	Limit  time.Duration
}

// Returned holds the registers in which functions return values.
type Returned struct {
	RAX, RDX uint64
	Vector   []byte // in the layout of XSAVE
}

// A CallError reports that a function of the process did not return. The thread is
// where it was before the call; what the function has changed in memory stays.
type CallError struct {
	Stop  Stop          // why it was ended; Paused if it took too long or Pause was called
	Limit time.Duration // that it had
}

// Error says why the function was ended, and where.
func (e *CallError) Error() string {
	const kept = "; the thread is back where it was, and what the function changed in memory stays"
	at := fmt.Sprintf(" at %#x", e.Stop.Address)
	switch e.Stop.Why {
	case AtBreakpoint, AtWatchpoint:
		return fmt.Sprintf("the function reached %s %d%s and was ended there%s", e.Stop.Why, e.Stop.Breakpoint, at, kept)
	case Signalled:
		return fmt.Sprintf("the function was ended by signal %d (%v)%s%s", int(e.Stop.Signal), e.Stop.Signal, at, kept)
	case Executed:
		return "the function has started another program"
	case Exited, Killed:
		return "the process has ended in the function"
	}
	return fmt.Sprintf("the function had not returned after %v, or was paused,%s, and was ended; other threads stand still meanwhile, so it may have waited for one of them%s", e.Limit, at, kept)
}
