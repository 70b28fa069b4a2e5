package inplace

import "github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"

// frameFlags is the offset of the flags in the frame of a signal (struct rt_sigframe): after
// the return address, five words and seventeen registers.
const frameFlags = 8 + 5*8 + 17*8

// hideStep clears the trap flag in the frame of a signal that was delivered by a step, unless
// the program had set it. If the next instruction of the program is one that may set the flag,
// such as popf, the kernel takes it for the program's, and the program would trap after its
// handler.
func (nt *native) hideStep(before uint64) error {
	if before&ptrace.TrapFlag != 0 {
		return nil
	}
	var flags [2]byte
	at := nt.runner.Regs.RSP + frameFlags
	if _, err := nt.runner.memory.Read(at, flags[:]); err != nil || flags[1]&(ptrace.TrapFlag>>8) == 0 {
		return err
	}
	flags[1] &^= ptrace.TrapFlag >> 8
	_, err := nt.runner.memory.Write(at, flags[:])
	return err
}

// keepTrapFlag gives the registers the trap flag of the program, which a step has set for the
// same reason as in hideStep.
func (nt *native) keepTrapFlag(flags uint64) {
	nt.runner.Regs.EFlags = nt.runner.Regs.EFlags&^ptrace.TrapFlag | flags&ptrace.TrapFlag
}
