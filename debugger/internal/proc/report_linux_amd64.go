package proc

import (
	"slices"
)

// Report is the stop for the signal that the next Step delivers. Who asks tells
// of it, so that Resume does not stop for it again.
func (s *Stepper) Report() Stop {
	t := s.t
	stop := Stop{Why: Signalled, Signal: t.signal.number}
	stop.Explain(t.signal.info)
	t.told = stop.Signal
	return s.p.stopOf(t, stop)
}

// Forget drops that signal if an instruction of the thread itself has raised
// it. It is for a thread that is moved to where it has not done so.
func (s *Stepper) Forget() {
	if slices.Contains(faults, s.t.signal.number) && s.t.signal.info.Code() > 0 {
		s.t.signal, s.t.told = signalled{}, 0
	}
}
