package proc

import (
	"fmt"
	"slices"
	"syscall"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// Why is the reason for a stop.
type Why uint8

// The reasons for a stop.
const (
	Paused       Why = iota + 1 // Pause was called, or the context is done
	Stepped                     // one instruction was executed
	AtBreakpoint                // Breakpoint was reached; its instruction was not executed
	AtWatchpoint                // the instruction before Address accessed the watched memory
	Signalled                   // Signal arrived; it is delivered when the thread continues
	Executed                    // exec has started another program; breakpoints are gone
	Exited                      // the process has exited with Status
	Killed                      // the process was killed by Signal
	AtSyscall                   // Syscall is about to be made, or has returned
)

var whyNames = [...]string{
	Paused: "paused", Stepped: "stepped", AtBreakpoint: "breakpoint", AtWatchpoint: "watchpoint",
	Signalled: "signal", Executed: "exec", Exited: "exited", Killed: "killed", AtSyscall: "system call",
}

// String returns the name of the reason.
func (w Why) String() string {
	if int(w) < len(whyNames) && whyNames[w] != "" {
		return whyNames[w]
	}
	return fmt.Sprintf("reason %d", uint8(w))
}

// UnknownStatus is the status of a process whose exit status was consumed by
// another waiter.
const UnknownStatus = -1

// A Stop describes where and why a process stopped.
type Stop struct {
	Why        Why
	Thread     int            // the thread that stopped, which becomes the current one
	Address    uint64         // of its next instruction
	Signal     syscall.Signal // Signalled, Killed
	Code       int            // Signalled: si_code, or 0 if unknown
	Fault      uint64         // si_addr of a SIGSEGV, SIGBUS, SIGILL or SIGFPE, see About
	Status     int            // Exited: the exit status, or UnknownStatus
	Breakpoint int            // the id of the breakpoint or watchpoint
	Syscall    Syscall        // AtSyscall
	Left       int            // the process that was left for its child before the stop, see FollowChild

	// Late reports that the thread blocked SIGTRAP when it reached the
	// breakpoint, and has run on to Address.
	Late bool

	// Err is the error of a condition, which stops the process.
	Err error
}

// Ended reports whether the process has ended.
func (s Stop) Ended() bool {
	return s.Why == Exited || s.Why == Killed
}

// faults are the signals that an instruction raises, by their numbers in Linux:
// SIGILL, SIGTRAP, SIGBUS, SIGFPE and SIGSEGV.
var faults = []syscall.Signal{4, 5, 7, 8, 11}

// SIGTRAP and SIGSEGV.
const (
	trap = 5
	segv = 11
)

// Explain sets Code and Fault from the siginfo_t of the signal. With SI_KERNEL
// there is no address: si_addr is 0 then, which does not mean a null pointer.
func (s *Stop) Explain(info ptrace.SigInfo) {
	s.Code = info.Code()
	if slices.Contains(faults, s.Signal) && s.Code > 0 && s.Code != ptrace.CodeKernel {
		s.Fault = info.Address()
	}
}

// About reports whether Fault is the address of the fault. That may be 0 for a
// SIGSEGV, by an access to address 0.
func (s Stop) About() bool {
	return s.Fault != 0 || s.Signal == segv && s.Code > 0 && s.Code != ptrace.CodeKernel
}

// Refused reports whether the signal is for a general protection or stack fault,
// for which the kernel has no address: an operand with a non-canonical or
// misaligned address, or a privileged instruction.
func (s Stop) Refused() bool {
	return s.Why == Signalled && s.Code == ptrace.CodeKernel && slices.Contains(faults, s.Signal) && s.Signal != trap
}

// A ThreadInfo describes a thread.
type ThreadInfo struct {
	ID      int
	Name    string
	Current bool // the last stop was about it
}
