package recording

import (
	"bytes"

	"github.com/triptych-mcp/triptych/debugger/internal/inplace"
)

// bufferCalls makes the program make frequent system calls without a stop, if the system
// permits that.
func (r *recorder) bufferCalls() {
	r.run.Made = r.buffered
	r.filter = r.run.BufferCalls(r.filter) == nil
}

// buffered records a system call that the program has made without a stop.
func (r *recorder) buffered(c inplace.BufferedCall) error {
	e := Event{
		Kind: Call, Number: c.Before.RAX, Hash: hashRegisters(&c.Before),
		Position:  r.base + uint64(c.Executed) + r.extra,
		Registers: changed(&c.Before, &c.After),
	}
	if len(c.Written) > 0 {
		e.Writes = []Write{{c.Address, bytes.Clone(c.Written)}}
	}
	r.waiting, r.after = c.After.Restarts(), c.After
	r.recorded = e.Position + 1
	r.noteWritten(e.Writes)
	return r.out.Add(&e)
}
