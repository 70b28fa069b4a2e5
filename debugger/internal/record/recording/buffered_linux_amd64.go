package recording

import (
	"bytes"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

// bufferCalls makes the program make frequent system calls without a stop, if the system
// permits that.
func (r *recorder) bufferCalls() {
	if !r.filters {
		return
	}
	r.run.Buffer.Made = r.buffered
	r.filter = r.run.Buffer.Use(r.filter) == nil
}

// bufferLent is bufferCalls for a process that was lent. One that the debugger has launched gets
// the filter, which it keeps. Another one only has it from an earlier recording.
func (r *recorder) bufferLent(l *proc.Loan) {
	r.filter = r.live.filtered
	if r.filters = r.filter || l.Launched; r.filters {
		r.live.traceFilter(l.Options)
		r.bufferCalls()
	}
	l.Filtered = r.filter
}

// buffered records a system call that the program has made without a stop. After an error no
// more are recorded.
func (r *recorder) buffered(c inplace.BufferedCall) error {
	if r.lost {
		return nil
	}
	err := r.addBuffered(&c)
	r.lost = err != nil
	return err
}

func (r *recorder) addBuffered(c *inplace.BufferedCall) error {
	if !c.Follows { // all that follow were made before the reports are read
		if err := r.mappings.shared.readReports(nil); err != nil {
			return err
		}
	}
	switch {
	case c.Waits:
		return r.futexes.waitsItself(c)
	case c.Returned:
		return r.futexes.returnsItself(c)
	case c.Woken != 0:
		if err := r.futexes.wakeThread(c.Woken); err != nil {
			return err
		}
	}
	r.log.current.call = nil // if it was to wait, it has not
	e := recfile.Event{
		Kind: recfile.Call, Number: c.Before.RAX, Hash: recfile.HashRegisters(&c.Before),
		Position:  r.log.positionAfter(c.Executed),
		Registers: recfile.ChangedRegisters(&c.Before, &c.After),
	}
	if len(c.Written) > 0 {
		e.Writes = []recfile.Write{{Address: c.Address, Data: bytes.Clone(c.Written)}}
	}
	r.log.current.waiting, r.log.current.after = c.After.Restarts(), c.After
	r.log.recorded = e.Position + 1
	r.opened.note(&c.Before, c.After.RAX)
	r.log.noteWritten(e.Writes)
	return r.log.out.Add(&e)
}

// endLost ends the recording at the last event: calls that the program has made since then are
// not recorded.
func (r *recorder) endLost(stop inplace.Stop, err error) error {
	if stop.Kind == inplace.Exited {
		r.gone, r.result.Status, r.result.Killed = true, stop.Status, stop.Killed
	}
	return err
}

// beforeRun says what the system calls that are made without a stop may do. Those that change
// a file that the program has mapped need stops.
func (r *recorder) beforeRun() error {
	if !r.filter {
		return nil
	}
	r.run.Buffer.GuardFiles(len(r.mappings.shared.list) > 0, r.mappings.shared.writers)
	if len(r.log.threads) == 1 {
		return nil
	}
	r.run.Buffer.MayWait = true
	for tid, t := range r.log.threads {
		if tid == r.run.Thread() {
			continue
		}
		var err error
		parked := r.log.parked(tid)
		switch {
		case parked || t.call != nil && t.call.woken:
			err = r.run.Turns.Wait(tid, !parked)
		default:
			err = r.run.Turns.EndWait(tid)
		}
		if err != nil {
			return err
		}
		if !parked && !r.run.Waits(tid) {
			r.run.Buffer.MayWait = false
		}
	}
	return nil
}
