package proc

import "syscall"

// An Action decides whether a signal stops the process and is delivered.
type Action uint8

// The actions.
const (
	StopAndPass Action = iota // stop, and deliver the signal when the process continues
	Pass                      // deliver it without a stop
	StopAndDrop               // stop, and never deliver it
	Drop                      // never deliver it
)

// stops reports whether the action stops the process.
func (a Action) stops() bool { return a == StopAndPass || a == StopAndDrop }

// passes reports whether the signal is delivered.
func (a Action) passes() bool { return a == StopAndPass || a == Pass }

// signalNumber is a signal by its number.
type signalNumber = syscall.Signal

// maxSignal is the highest signal of Linux.
const maxSignal = 64

// An actionTable has an action for each signal; 0 is unused.
type actionTable [maxSignal + 1]Action

// benignSignals do not indicate an error and are passed without a stop. They have
// their numbers in Linux on amd64.
var benignSignals = [...]syscall.Signal{
	14, 26, 27, // SIGALRM, SIGVTALRM, SIGPROF: timers
	17, 28, 29, // SIGCHLD, SIGWINCH, SIGIO: notifications
	18,     // SIGCONT: job control
	23,     // SIGURG: preemption in Go
	32, 33, // thread cancelling and setuid in glibc
}

// defaultActions returns a table that stops at all signals but the benign ones.
func defaultActions() actionTable {
	var table actionTable
	for _, sig := range benignSignals {
		table[sig] = Pass
	}
	return table
}

// of returns the action for a signal.
func (t *actionTable) of(sig syscall.Signal) Action {
	if sig <= 0 || sig > maxSignal {
		return Pass
	}
	return t[sig]
}
