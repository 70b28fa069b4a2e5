package recording

import (
	"bytes"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/inplace"
)

// bufferCalls makes the program make frequent system calls without a stop, if the system
// permits that.
func (r *recorder) bufferCalls() {
	if !r.filters {
		return
	}
	r.run.Made = r.buffered
	r.filter = r.run.BufferCalls(r.filter) == nil
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
		if err := r.readReports(nil); err != nil {
			return err
		}
	}
	e := Event{
		Kind: Call, Number: c.Before.RAX, Hash: hashRegisters(&c.Before),
		Position:  r.base + uint64(c.Executed) + r.extra,
		Registers: changed(&c.Before, &c.After),
	}
	if len(c.Written) > 0 {
		e.Writes = []Write{{c.Address, bytes.Clone(c.Written)}}
	}
	if c.Before.RAX == unix.SYS_FUTEX && wakesPrivate(&c.Before) {
		r.wakeParked(c.Before.RDI, int(int32(c.After.RAX)))
	}
	r.waiting, r.after = c.After.Restarts(), c.After
	r.recorded = e.Position + 1
	r.noteWritten(e.Writes)
	return r.out.Add(&e)
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
func (r *recorder) beforeRun() {
	if !r.filter {
		return
	}
	r.run.GuardFiles(len(r.mapped.list) > 0, r.mapped.writers)
	if len(r.threads) == 1 {
		return
	}
	waiting := make(map[uint64]int)
	r.run.MayWait = true
	for tid, t := range r.threads {
		switch {
		case r.parked(tid):
			waiting[t.call.regs.RDI]++
		case tid != r.run.Thread() && !r.run.Waits(tid):
			r.run.MayWait = false
		}
	}
	r.run.SetWaiters(waiting)
}
