package ptrace

import (
	"errors"
	"fmt"
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
	if errors.Is(err, unix.ENODEV) {
		return legacyState(tid, buf)
	}
	return int(v.Len), err
}

// SetXState replaces the vector state. Its length must be that of XState's result.
func (t *Tracer) SetXState(tid int, buf []byte) error {
	v := unix.Iovec{Base: unsafe.SliceData(buf), Len: uint64(len(buf))}
	err := exchange("set the vector state of", unix.PTRACE_SETREGSET, tid, noteXState, unsafe.Pointer(&v))
	if errors.Is(err, unix.ENODEV) {
		return setLegacyState(tid, buf)
	}
	return err
}

// The state of a processor without XSAVE: the region of FXSAVE, and a header which says
// that the x87 and SSE registers are in use (Intel SDM volume 1, 10.5 and 13.4).
const (
	fxsaveSize = 512
	legacySize = fxsaveSize + 64
	legacyMark = 0b11
)

func legacyState(tid int, buf []byte) (int, error) {
	if len(buf) < legacySize {
		return 0, fmt.Errorf("read the vector state of thread %d: %w", tid, unix.EINVAL)
	}
	clear(buf[fxsaveSize:legacySize])
	buf[fxsaveSize] = legacyMark
	err := exchange("read the floating point state of", unix.PTRACE_GETFPREGS, tid, 0, unsafe.Pointer(&buf[0]))
	return legacySize, err
}

func setLegacyState(tid int, buf []byte) error {
	if len(buf) != legacySize {
		return fmt.Errorf("set the vector state of thread %d: %w", tid, unix.EINVAL)
	}
	return exchange("set the floating point state of", unix.PTRACE_SETFPREGS, tid, 0, unsafe.Pointer(&buf[0]))
}
