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

	// OrigRAX is the number of the system call which the thread is in, all
	// ones outside of one. Together with a restart code in RAX it makes the
	// kernel begin the call again when the thread goes on.
	OrigRAX uint64

	RIP, CS, EFlags, RSP, SS uint64
	FSBase, GSBase           uint64
	DS, ES, FS, GS           uint64
}

// NumRegs is the number of words in Regs.
const NumRegs = 27

// The bits of EFlags that a tracer cares about.
const (
	TrapFlag   = 1 << 8  // a trap after the next instruction
	ResumeFlag = 1 << 16 // the next instruction ignores execute breakpoints
)

// NoSyscall is OrigRAX outside of a system call.
const NoSyscall = ^uint64(0)

// Words are the registers as an array, in the order of the fields. It shares
// their memory.
func (r *Regs) Words() *[NumRegs]uint64 {
	return (*[NumRegs]uint64)(unsafe.Pointer(r))
}

// InSyscall says whether the thread stopped inside of a system call that goes
// on, or begins again, when the thread does.
func (r *Regs) InSyscall() bool {
	return int64(r.OrigRAX) >= 0
}
