package ptrace

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// noteXState is NT_X86_XSTATE.
const noteXState = 0x202

// Regs fills r with the registers of a stopped thread.
func (t *Tracer) Regs(tid int, r *Regs) error {
	return exchange("read the registers of", unix.PTRACE_GETREGS, tid, 0, unsafe.Pointer(r))
}

// SetRegs replaces the registers of a stopped thread.
func (t *Tracer) SetRegs(tid int, r *Regs) error {
	return exchange("set the registers of", unix.PTRACE_SETREGS, tid, 0, unsafe.Pointer(r))
}

// XState fills buf with the floating point and vector state of a stopped
// thread, in the layout of XSAVE, and returns its length.
func (t *Tracer) XState(tid int, buf []byte) (int, error) {
	v := unix.Iovec{Base: unsafe.SliceData(buf), Len: uint64(len(buf))}
	err := exchange("read the vector state of", unix.PTRACE_GETREGSET, tid, noteXState, unsafe.Pointer(&v))
	return int(v.Len), err
}

// SetXState replaces the vector state. Its length must be that of XState's result.
func (t *Tracer) SetXState(tid int, buf []byte) error {
	v := unix.Iovec{Base: unsafe.SliceData(buf), Len: uint64(len(buf))}
	return exchange("set the vector state of", unix.PTRACE_SETREGSET, tid, noteXState, unsafe.Pointer(&v))
}
