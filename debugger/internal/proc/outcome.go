package proc

import "fmt"

// An Outcome says how a step ended.
type Outcome uint8

// The outcomes of Stepper.Step.
const (
	StepDone    Outcome = iota + 1 // the instruction is done, or a signal's handler is about to begin
	StepSignal                     // a signal came and nothing was done; the next Step begins its handler
	StepBlocked                    // the system call is not done yet; Step again to wait on
	StepPaused                     // a stop of the process was requested; nothing was done
	StepExec                       // another program was begun
	StepGone                       // the thread has ended
	StepEnded                      // the process has ended
	StepEntered                    // for ourselves: a system call has begun
)

// String is the outcome in words.
func (o Outcome) String() string {
	names := [...]string{
		StepDone: "done", StepSignal: "signal", StepBlocked: "blocked", StepPaused: "paused",
		StepExec: "exec", StepGone: "gone", StepEnded: "ended", StepEntered: "entered",
	}
	if int(o) < len(names) && names[o] != "" {
		return names[o]
	}
	return fmt.Sprintf("outcome %d", uint8(o))
}
