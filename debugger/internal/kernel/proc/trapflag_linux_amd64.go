package proc

import (
	"encoding/binary"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// The kernel single-steps with the trap flag. It hides the flag and clears it when
// the thread continues. But some instructions copy the flag to memory or registers,
// and before an instruction that loads the flags, popf or iret, the kernel treats
// the flag as set by the program (enable_single_step and is_setting_trap_flag in
// arch/x86/kernel/step.c). A trap flag left behind would end the process after the
// detach. See also set_flags in arch/x86/kernel/ptrace.c.

// emulatePushf emulates pushfq, which would push the trap flag: if this program
// were killed before hideTrapFlag, the process would see it. It returns false for
// other instructions, and if a signal or fault comes first.
func (s *Stepper) emulatePushf() (bool, error) {
	const pushed = 0x00fcffff // all but RF and VM (Intel SDM volume 2, PUSHF)
	r, err := s.Regs()
	if err != nil || s.t.signal.number != 0 || r.EFlags&ptrace.TrapFlag != 0 || s.x.code.kindAt(r) != pushfCode {
		return false, nil //nolint:nilerr // the step finds out
	}
	var code [1]byte
	if n, _ := s.x.tracee.memory.Read(r.RIP, code[:]); n != 1 || code[0] != 0x9c {
		return false, nil // with a prefix it is another one
	}
	if s.x.threads.signalWaits(s.t) {
		return false, nil // it comes before the instruction
	}
	next := *r
	next.RSP, next.RIP, next.OrigRAX = r.RSP-8, r.RIP+1, ptrace.NoSyscall
	next.EFlags &^= ptrace.ResumeFlag
	if _, err := s.x.tracee.memory.Write(next.RSP, binary.LittleEndian.AppendUint64(nil, r.EFlags&pushed)); err != nil {
		return false, nil //nolint:nilerr // a fault is the processor's
	}
	s.valid = false
	s.t.reportedSignal, s.t.skipBreakpoint = 0, false
	return true, s.x.tracee.checkEnded(s.x.tracer.SetRegs(s.t.id, &next))
}

// hideTrapFlag clears the copy of the trap flag that a step has made.
func (s *Stepper) hideTrapFlag(done step, r *ptrace.Regs) error {
	if done.traced {
		return nil
	}
	switch grown := done.sp - r.RSP; {
	case r.RIP == done.from:
		return nil
	case done.kind == syscallCode && grown == 0:
		r.R11 &^= ptrace.TrapFlag
		return s.x.tracee.checkEnded(s.x.tracer.SetRegs(s.t.id, r))
	case done.kind == pushfCode && (grown == 8 || grown == 2):
		return s.clearFlag(r.RSP)
	case done.kind == popfCode:
		return s.forgetFlagLoad(done, r)
	}
	return nil // the handler of a signal has begun instead
}

// forgetFlagLoad leaves the trap stop after popf. Otherwise the kernel would set
// the flag before the next step and treat it as the program's.
func (s *Stepper) forgetFlagLoad(done step, r *ptrace.Regs) error {
	if s.inFrame(done, r.RSP) {
		if err := s.clearFlag(r.RSP + frameFlags); err != nil {
			return err
		}
	}
	s.x.threads.leaveTrap(s.t)
	return nil
}

// Offsets of saved registers in the kernel's struct rt_sigframe, whose first word is
// the return address.
const (
	frameSP    = 8 + 40 + 15*8 // uc_mcontext.gregs[REG_RSP]
	frameIP    = frameSP + 8
	frameFlags = frameIP + 8
)

// inFrame reports whether sp points to the frame of a signal handler that was
// entered in place of a step.
func (s *Stepper) inFrame(begun step, sp uint64) bool {
	var b [16]byte
	if _, err := s.x.tracee.memory.Read(sp+frameSP, b[:]); err != nil {
		return false // there is no frame
	}
	return binary.LittleEndian.Uint64(b[:]) == begun.sp && binary.LittleEndian.Uint64(b[8:]) == begun.from
}

// clearFlag clears the trap flag in flags that are in memory.
func (s *Stepper) clearFlag(address uint64) error {
	const second = 1 // the byte with the flag
	var b [1]byte
	if _, err := s.x.tracee.memory.Read(address+second, b[:]); err != nil {
		return s.x.tracee.checkEnded(err)
	}
	b[0] &^= ptrace.TrapFlag >> 8
	_, err := s.x.tracee.memory.Write(address+second, b[:])
	return s.x.tracee.checkEnded(err)
}

// clearStaleFlag clears the trap flag of a thread whose step over popf a signal has
// interrupted. The kernel still marks the thread as stepping, until it continues or
// leaveTrap is called.
func (s *Stepper) clearStaleFlag(begun step) error {
	if begun.kind != popfCode || begun.traced {
		return nil
	}
	r, err := s.Regs()
	if err != nil {
		return err
	}
	s.t.staleStep, s.valid = true, false
	r.EFlags &^= ptrace.TrapFlag
	return s.x.tracee.checkEnded(s.x.tracer.SetRegs(s.t.id, r))
}
