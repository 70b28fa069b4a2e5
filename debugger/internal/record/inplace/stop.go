package inplace

import "errors"

// A Kind says why a thread has stopped.
type Kind uint8

// The kinds of stops.
const (
	Done    Kind = iota + 1 // as many instructions were executed as Run was to execute, or Run was canceled
	Call                    // before a system call; see Runner.Execute and Runner.Skip
	Native                  // before an instruction that is not translated; see Runner.Step
	Signal                  // a signal is to be delivered; see Runner.Deliver
	Exited                  // the process has ended
	Reached                 // before an instruction at an address of Watch.StopAt
	Blocked                 // the system call waits in the kernel; see Runner.Start
	Exec                    // the process executes another program; the Runner is of no more use
)

// A Stop describes a stop.
type Stop struct {
	Kind   Kind
	Status int // of Exited: exit status, or -1 if a signal has killed the process
	Killed int // of Exited: number of the signal
}

// ErrThreads reports a system call that would make another process in the same memory
// that is not a child of vfork.
var ErrThreads = errors.New("the program would share all its memory with a child")
