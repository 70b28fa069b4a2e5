package proc

import (
	"slices"
)

// SignalStop returns the stop for the signal that the next Step delivers. The
// caller reports it, so Resume does not stop for that signal again.
func (s *Stepper) SignalStop() Stop {
	t := s.t
	stop := Stop{Why: Signalled, Signal: t.signal.number}
	stop.Explain(t.signal.info)
	t.reportedSignal = stop.Signal
	return s.x.threads.stopOf(t, stop)
}

// DropFault drops the signal that the next Step delivers if an instruction of the
// thread raised it. It must be called if the thread is moved to another address.
func (s *Stepper) DropFault() {
	if slices.Contains(faults, s.t.signal.number) && s.t.signal.info.Code() > 0 {
		s.t.signal, s.t.reportedSignal = signalled{}, 0
	}
}
