package history

import (
	"context"
	"syscall"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// A Target is a stopped process to record. [NewTarget] makes one of a
// [proc.Process].
type Target interface {
	Base
	WriteMemory(addr uint64, b []byte) (int, error)
	SetRegs(thread int, r ptrace.Regs) error
	SetXState(thread int, state []byte) error
	Maps() (procfs.Maps, error)
	Threads() ([]proc.ThreadInfo, error)
	CurrentThread() (int, error)
	Rseq(thread int) (start, end uint64, err error)
	Inject(thread int, number uint64, args ...uint64) (uint64, error)
	Step(ctx context.Context, thread int, f func(Stepper) error) error
	Resume(ctx context.Context) (proc.Stop, error)
}

// A Stepper drives threads by single steps; see [proc.Stepper].
type Stepper interface {
	Thread() int
	Switch(thread int) error
	Regs() (*ptrace.Regs, error)
	SetRegs(r ptrace.Regs) error
	Step() (proc.Outcome, error)
	Signal() syscall.Signal
	Action() proc.Action
	DeferSignal()
	SignalStop() proc.Stop
	Paused() bool
	SetSyscallTimeout(d time.Duration)
	Waiting(thread int) bool
	Pending(thread int) bool
	Poll() (bool, error)
	Await(d time.Duration) error
	Commit(memory []proc.Patch, vector []byte, regs ptrace.Regs) error
	DropFault()
}

// NewTarget returns a Target for a process.
func NewTarget(p *proc.Process) Target { return target{p} }

type target struct{ *proc.Process }

func (t target) Step(ctx context.Context, thread int, f func(Stepper) error) error {
	return t.Process.Step(ctx, thread, func(s *proc.Stepper) error { return f(s) })
}
