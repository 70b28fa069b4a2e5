package inplace

import "github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"

// LeaveSignal moves the current thread from the signal-delivery stop in which Park has left
// it to an event stop. The signal is lost unless it is sent again.
func (r *Runner) LeaveSignal() error {
	if r.at != atSignal {
		r.queue = r.queue[1:]
	}
	r.at, r.stale = atStop, false
	_, err := r.tracer.ToEventStop(r.tid, r.beside)
	return err
}

// RegsOf returns the program's registers of a thread, or false if there is no such thread.
func (r *Runner) RegsOf(tid int) (ptrace.Regs, bool) {
	t := r.threads[tid]
	if t == nil {
		return ptrace.Regs{}, false
	}
	return t.Regs, true
}
