package history

import "github.com/triptych-mcp/triptych/debugger/internal/machine/x86"

// An Input describes a step that takes its results from a recording instead of
// executing an instruction.
type Input struct {
	Kind   Kind   // Stepped, Called or Signalled
	Number uint64 // of the system call or signal, or id of the thread that goes on
	Writes []x86.Span
	Vector bool // the vector state changes, or cannot be read afterwards
	Maps   bool // mappings change
	Ends   bool // the process ends

	Threads  bool // threads are started
	Switches bool // another thread is the current one from now on
}

// An InputStepper is a Stepper of a process that replays a recording.
type InputStepper interface {
	Stepper

	// Input returns what the next step does, and false if it executes an instruction.
	Input() (Input, bool)
}

// prepareInput adds what an input changes.
func (as *attempts) prepareInput(a *attempt, in *Input) {
	a.input, a.kind, a.number = true, in.Kind, in.Number
	a.differ, a.vector = true, in.Vector
	a.call.Number = in.Number
	a.effect.Maps, a.effect.Ends, a.effect.Threads = in.Maps, in.Ends, in.Threads
	a.switches = in.Switches
	for _, s := range in.Writes {
		a.spans = as.clip(a.spans, s)
	}
}
