package ptrace

import "unsafe"

// Regs are the general registers of a thread, in the kernel's order (struct
// user_regs_struct).
type Regs struct {
	R15, R14, R13, R12 uint64
	RBP, RBX           uint64
	R11, R10, R9, R8   uint64
	RAX, RCX, RDX      uint64
	RSI, RDI           uint64

	// OrigRAX is the number of the current system call, or NoSyscall. Together
	// with an ERESTART code in RAX it makes the kernel restart the call when the
	// thread continues.
	OrigRAX uint64

	RIP, CS, EFlags, RSP, SS uint64
	FSBase, GSBase           uint64
	DS, ES, FS, GS           uint64
}

// NumRegs is the number of words in Regs.
const NumRegs = 27

// RegNames are the names of the registers in the order of [Regs.Words].
var RegNames = [NumRegs]string{
	"r15", "r14", "r13", "r12", "rbp", "rbx", "r11", "r10", "r9", "r8", "rax", "rcx", "rdx", "rsi", "rdi",
	"orig_rax", "rip", "cs", "eflags", "rsp", "ss", "fs_base", "gs_base", "ds", "es", "fs", "gs",
}

// Bits of EFlags.
const (
	TrapFlag   = 1 << 8  // TF: trap after the next instruction
	ResumeFlag = 1 << 16 // RF: the next instruction ignores execute breakpoints

	AlignmentCheck = 1 << 18 // AC: trap at accesses to unaligned addresses
)

// NoSyscall is OrigRAX outside of a system call.
const NoSyscall = ^uint64(0)

// Words returns the registers as an array in the order of the fields. The array
// aliases r.
func (r *Regs) Words() *[NumRegs]uint64 {
	return (*[NumRegs]uint64)(unsafe.Pointer(r))
}

// InSyscall reports whether the thread is stopped in a system call that continues or
// restarts when the thread continues.
func (r *Regs) InSyscall() bool {
	return int64(r.OrigRAX) >= 0
}

// Restarts reports whether the thread is stopped in a system call that the kernel will
// restart: RAX has one of the ERESTART codes of include/linux/errno.h.
func (r *Regs) Restarts() bool {
	switch -int64(r.RAX) {
	case 512, 513, 514, 516:
		return r.InSyscall()
	}
	return false
}
