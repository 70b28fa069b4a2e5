package gdbremote

import (
	"encoding/binary"
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// siginfo returns a siginfo_t for the signal of the last stop, with the fields
// that stops record: number, code, and the address of a fault.
func (ob *objects) siginfo(string) ([]byte, error) {
	stop, _, _ := ob.client.s.LastStop()
	if stop.Signal == 0 {
		return nil, errors.New("no signal has stopped the process")
	}
	var info ptrace.SigInfo
	binary.LittleEndian.PutUint32(info[0:], uint32(stop.Signal))
	binary.LittleEndian.PutUint32(info[8:], uint32(stop.Code))
	if stop.About() {
		info.SetAddress(stop.Fault)
	}
	return info[:], nil
}
