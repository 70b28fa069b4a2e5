package proc

import "fmt"

// An Outcome is the result of a step.
type Outcome uint8

// The outcomes of Stepper.Step.
const (
	StepDone    Outcome = iota + 1 // the instruction is done, or a signal's handler is about to begin
	StepSignal                     // a signal arrived and nothing was done; the next Step delivers it
	StepBlocked                    // the system call has not returned yet; Step again to wait longer
	StepPaused                     // a pause was requested; nothing was done
	StepExec                       // exec has started another program
	StepGone                       // the thread has ended
	StepEnded                      // the process has ended
	StepEntered                    // internal: a system call has begun
)

// String returns the name of the outcome.
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
