package stepping

import (
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/syscalls"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
)

// SyscallText describes the system call of a stop, with its result if it has returned;
// "" for other stops. Secrets in its strings are masked as in other values.
func SyscallText(on *target.Target, stop proc.Stop) string {
	if stop.Why != proc.AtSyscall {
		return ""
	}
	read := func(addr uint64, b []byte) bool {
		n, _ := on.View.ReadMemory(addr, b)
		on.MaskDisplayed(addr, b[:n])
		return n == len(b)
	}
	call := syscalls.Call{Number: stop.Syscall.Number, Args: stop.Syscall.Args}
	if stop.Syscall.Returned {
		return syscalls.ReturnText(call, stop.Syscall.Result, read)
	}
	return syscalls.Text(call, read)
}
