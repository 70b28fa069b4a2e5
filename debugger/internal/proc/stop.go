package proc

import (
	"fmt"
	"slices"
	"syscall"

	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
)

// Why says why a process stopped.
type Why uint8

// The reasons for a stop.
const (
	Paused       Why = iota + 1 // Pause was called, or the context ended
	Stepped                     // one instruction was done
	AtBreakpoint                // Breakpoint was reached; its instruction is not done
	AtWatchpoint                // the watched memory was used by the instruction before Address
	Signalled                   // Signal came; the thread gets it when it goes on
	Executed                    // another program was begun; the breakpoints are gone
	Exited                      // the process has ended with Status
	Killed                      // the process has ended by Signal
)

var whyNames = [...]string{
	Paused: "paused", Stepped: "stepped", AtBreakpoint: "breakpoint", AtWatchpoint: "watchpoint",
	Signalled: "signal", Executed: "exec", Exited: "exited", Killed: "killed",
}

// String is the reason in one word.
func (w Why) String() string {
	if int(w) < len(whyNames) && whyNames[w] != "" {
		return whyNames[w]
	}
	return fmt.Sprintf("reason %d", uint8(w))
}

// UnknownStatus is the status of a process whose end was reported to another
// process.
const UnknownStatus = -1

// A Stop says where and why a process stopped.
type Stop struct {
	Why        Why
	Thread     int            // the one it is about, which becomes the current one
	Address    uint64         // of its next instruction
	Signal     syscall.Signal // Signalled, Killed
	Code       int            // Signalled: the kernel's si_code; 0 when it is not known
	Fault      uint64         // the address behind a SIGSEGV, SIGBUS, SIGILL or SIGFPE, see About
	Status     int            // Exited; UnknownStatus if it is not known
	Breakpoint int            // the number of the breakpoint or watchpoint

	// Late says that the thread had blocked SIGTRAP when it reached the
	// breakpoint and has run on to Address since.
	Late bool

	// Err says why a condition could not be decided; then it stops.
	Err error
}

// Ended says whether the process is gone.
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

// Explain takes over what the kernel tells about the signal. With SI_KERNEL it
// tells no address: si_addr is 0 then, which is no null pointer.
func (s *Stop) Explain(info ptrace.SigInfo) {
	s.Code = info.Code()
	if slices.Contains(faults, s.Signal) && s.Code > 0 && s.Code != ptrace.CodeKernel {
		s.Fault = info.Address()
	}
}

// About says whether Fault is the address that the signal is about. That may be
// 0 for a SIGSEGV that the memory there has raised.
func (s Stop) About() bool {
	return s.Fault != 0 || s.Signal == segv && s.Code > 0 && s.Code != ptrace.CodeKernel
}

// Refused says that the processor refused an instruction so that the kernel
// knows no address (a general protection or stack fault in the processor's
// manuals): that of an operand cannot exist, is not aligned as it has to be, or
// the instruction is the kernel's alone.
func (s Stop) Refused() bool {
	return s.Why == Signalled && s.Code == ptrace.CodeKernel && slices.Contains(faults, s.Signal) && s.Signal != trap
}

// A ThreadInfo describes a thread.
type ThreadInfo struct {
	ID      int
	Name    string
	Current bool // the last stop was about it
}
