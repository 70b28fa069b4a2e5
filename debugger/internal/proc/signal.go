package proc

import "syscall"

// An Action says what is done about a signal that the process gets.
type Action uint8

// The actions.
const (
	StopAndPass Action = iota // stop; the process gets it when it goes on
	Pass                      // the process gets it at once
	StopAndDrop               // stop; the process never gets it
	Drop                      // the process never gets it
)

// stops says whether the action stops the process.
func (a Action) stops() bool { return a == StopAndPass || a == StopAndDrop }

// passes says whether the process gets the signal.
func (a Action) passes() bool { return a == StopAndPass || a == Pass }

// signalNumber is a signal by its number.
type signalNumber = syscall.Signal

// maxSignal is the highest signal of Linux.
const maxSignal = 64

// An actionTable has an action for each signal; 0 is unused.
type actionTable [maxSignal + 1]Action

// everyday are the signals that do not mean trouble and are passed silently,
// by their numbers in Linux on amd64.
var everyday = [...]syscall.Signal{
	14, 26, 27, // SIGALRM, SIGVTALRM, SIGPROF: timers
	17, 28, 29, // SIGCHLD, SIGWINCH, SIGIO: news
	18,     // SIGCONT: job control lets it go on
	23,     // SIGURG: preemption in Go
	32, 33, // thread cancelling and setuid in glibc
}

// defaultActions stop at everything that is not everyday.
func defaultActions() actionTable {
	var table actionTable
	for _, sig := range everyday {
		table[sig] = Pass
	}
	return table
}

// of is the action for a signal.
func (t *actionTable) of(sig syscall.Signal) Action {
	if sig <= 0 || sig > maxSignal {
		return Pass
	}
	return t[sig]
}
