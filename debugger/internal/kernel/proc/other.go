//go:build !linux || !amd64

package proc

import (
	"context"
	"syscall"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// A Process cannot be had on this system: Attach and Launch answer
// ptrace.ErrPlatform, and so do its methods.
type Process struct{}

// A Stepper cannot be had on this system.
type Stepper struct{}

const errPlatform = platformError("")

// platformError is ptrace.ErrPlatform as a constant.
type platformError string

func (platformError) Error() string   { return ptrace.ErrPlatform.Error() }
func (platformError) Is(e error) bool { return e == ptrace.ErrPlatform }

func Attach(context.Context, int, Options) (*Process, error)  { return nil, errPlatform }
func Launch(context.Context, Spec, Options) (*Process, error) { return nil, errPlatform }

func (p *Process) ID() int                                           { return 0 }
func (p *Process) Launched() bool                                    { return false }
func (p *Process) End() (Stop, bool)                                 { return Stop{}, false }
func (p *Process) Pause()                                            {}
func (p *Process) Threads() ([]ThreadInfo, error)                    { return nil, errPlatform }
func (p *Process) Halted() syscall.Signal                            { return 0 }
func (p *Process) CurrentThread() (int, error)                       { return 0, errPlatform }
func (p *Process) SetCurrentThread(int) error                        { return errPlatform }
func (p *Process) SetSignal(syscall.Signal, Action) error            { return errPlatform }
func (p *Process) WithTracer(func() error) error                     { return errPlatform }
func (p *Process) SetFollow(Follow, ChildTaker) error                { return errPlatform }
func (p *Process) CatchSyscalls(func(uint64) bool) error             { return errPlatform }
func (p *Process) Regs(int) (ptrace.Regs, error)                     { return ptrace.Regs{}, errPlatform }
func (p *Process) SetRegs(int, ptrace.Regs) error                    { return errPlatform }
func (p *Process) XState(int, []byte) ([]byte, error)                { return nil, errPlatform }
func (p *Process) SetXState(int, []byte) error                       { return errPlatform }
func (p *Process) Rseq(int) (start, end uint64, err error)           { return 0, 0, errPlatform }
func (p *Process) ReadMemory(uint64, []byte) (int, error)            { return 0, errPlatform }
func (p *Process) WriteMemory(uint64, []byte) (int, error)           { return 0, errPlatform }
func (p *Process) Maps() (procfs.Maps, error)                        { return nil, errPlatform }
func (p *Process) Executable() (string, error)                       { return "", errPlatform }
func (p *Process) ExecutableFile() string                            { return "" }
func (p *Process) Descriptor(int) string                             { return "" }
func (p *Process) AuxV() ([]byte, error)                             { return nil, errPlatform }
func (p *Process) Written() (Written, error)                         { return Written{}, errPlatform }
func (p *Process) Gather([]ptrace.Range, []byte) error               { return errPlatform }
func (p *Process) Inject(int, uint64, ...uint64) (uint64, error)     { return 0, errPlatform }
func (p *Process) Call(context.Context, int, Call) (Returned, error) { return Returned{}, errPlatform }
func (p *Process) SetBreakpoint(BreakpointSpec) (Breakpoint, error)  { return Breakpoint{}, errPlatform }
func (p *Process) ClearBreakpoint(int) error                         { return errPlatform }
func (p *Process) Breakpoints() ([]Breakpoint, error)                { return nil, errPlatform }
func (p *Process) Resume(context.Context) (Stop, error)              { return Stop{}, errPlatform }
func (p *Process) Detach(context.Context) error                      { return errPlatform }
func (p *Process) Kill() error                                       { return errPlatform }

func (p *Process) Step(context.Context, int, func(*Stepper) error) error { return errPlatform }

func (s *Stepper) Thread() int                 { return 0 }
func (s *Stepper) Switch(int) error            { return errPlatform }
func (s *Stepper) Regs() (*ptrace.Regs, error) { return nil, errPlatform }
func (s *Stepper) SetRegs(ptrace.Regs) error   { return errPlatform }
func (s *Stepper) Signal() syscall.Signal      { return 0 }
func (s *Stepper) Action() Action              { return Pass }
func (s *Stepper) DeferSignal()                {}
func (s *Stepper) SignalStop() Stop            { return Stop{} }
func (s *Stepper) DropFault()                  {}
func (s *Stepper) Step() (Outcome, error)      { return 0, errPlatform }

func (*Stepper) Paused() bool                              { return false }
func (*Stepper) SetSyscallTimeout(time.Duration)           {}
func (*Stepper) Waiting(int) bool                          { return false }
func (*Stepper) Pending(int) bool                          { return false }
func (*Stepper) Poll() (bool, error)                       { return false, errPlatform }
func (*Stepper) Await(time.Duration) error                 { return errPlatform }
func (*Stepper) Commit([]Patch, []byte, ptrace.Regs) error { return errPlatform }
