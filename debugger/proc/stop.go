package proc

import (
	"fmt"
	"syscall"
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

// UnknownStatus is the status of a process whose end somebody else was told.
const UnknownStatus = -1

// A Stop says where and why a process stopped.
type Stop struct {
	Why        Why
	Thread     int            // the one it is about, which becomes the current one
	Address    uint64         // of its next instruction
	Signal     syscall.Signal // Signalled, Killed
	Fault      uint64         // the address behind a SIGSEGV, SIGBUS, SIGILL or SIGFPE
	Status     int            // Exited; UnknownStatus if nobody can say
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

// A ThreadInfo describes a thread.
type ThreadInfo struct {
	ID      int
	Name    string
	Current bool // the last stop was about it
}
