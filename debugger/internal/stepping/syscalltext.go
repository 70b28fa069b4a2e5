package stepping

import (
	"github.com/triptych-mcp/triptych/debugger/internal/kernel"
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
)

// SyscallText describes the system call of a stop, with its result if it has returned;
// "" for other stops. Secrets in its strings are masked as in other values.
func (s *Stepper) SyscallText(stop proc.Stop) string {
	if stop.Why != proc.AtSyscall {
		return ""
	}
	read := func(addr uint64, b []byte) bool {
		n, _ := s.View.ReadMemory(addr, b)
		s.MaskDisplayed(addr, b[:n])
		return n == len(b)
	}
	call := kernel.Call{Number: stop.Syscall.Number, Args: stop.Syscall.Args}
	if stop.Syscall.Returned {
		return kernel.ReturnText(call, stop.Syscall.Result, read)
	}
	return kernel.Text(call, read)
}
