package proc

import (
	"encoding/binary"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
)

// The kernel makes steps with the trap flag, and knows that the flag is its own
// and not the program's: it does not show it and takes it away when the thread
// goes on. But instructions copy the flag to where the kernel does not look, and
// before one that loads the flags, popf or iret, the kernel takes the flag for
// the program's from then on (enable_single_step and is_setting_trap_flag in
// arch/x86/kernel/step.c). What is left of it makes the process trap, and die,
// after it was let go. See also set_flags in arch/x86/kernel/ptrace.c.

// pushFlags does pushfq in place of the processor, which would push the trap flag:
// if this program were killed before that is hidden, the process would see it. It
// reports false for other instructions, and where the processor has to do more.
func (s *Stepper) pushFlags() (bool, error) {
	const pushed = 0x00fcffff // all but RF and VM (Intel SDM volume 2, PUSHF)
	r, err := s.Regs()
	if err != nil || s.t.signal.number != 0 || r.EFlags&ptrace.TrapFlag != 0 || s.p.kindAt(r) != pushfCode {
		return false, nil //nolint:nilerr // the step finds out
	}
	var code [1]byte
	if n, _ := s.p.memory.Read(r.RIP, code[:]); n != 1 || code[0] != 0x9c {
		return false, nil // with a prefix it is another one
	}
	if s.p.signalWaits(s.t) {
		return false, nil // it comes before the instruction
	}
	next := *r
	next.RSP, next.RIP, next.OrigRAX = r.RSP-8, r.RIP+1, ptrace.NoSyscall
	next.EFlags &^= ptrace.ResumeFlag
	if _, err := s.p.memory.Write(next.RSP, binary.LittleEndian.AppendUint64(nil, r.EFlags&pushed)); err != nil {
		return false, nil //nolint:nilerr // a fault is the processor's
	}
	s.valid = false
	s.t.told, s.t.leave = 0, false
	return true, s.p.noticeEnd(s.p.tracer.SetRegs(s.t.id, &next))
}

// signalWaits reports whether a thread gets a signal as soon as it goes on.
func (p *Process) signalWaits(t *thread) bool {
	s, err := procfs.ReadStatus(fmt.Sprintf("/proc/%d/task/%d/status", p.pid, t.id))
	return err == nil && (s.Bits("SigPnd")|s.Bits("ShdPnd"))&^s.Bits("SigBlk") != 0
}

// hideTrapFlag takes the flag out of where a step has left it.
func (s *Stepper) hideTrapFlag(done step, r *ptrace.Regs) error {
	if done.traced {
		return nil
	}
	switch grown := done.sp - r.RSP; {
	case r.RIP == done.from:
		return nil
	case done.kind == syscallCode && grown == 0:
		r.R11 &^= ptrace.TrapFlag
		return s.p.noticeEnd(s.p.tracer.SetRegs(s.t.id, r))
	case done.kind == pushfCode && (grown == 8 || grown == 2):
		return s.p.clearFlag(r.RSP)
	case done.kind == popfCode:
		return s.leaveLoad(done, r)
	}
	return nil // the handler of a signal has begun instead
}

// leaveLoad makes the kernel forget that it has stepped over popf: else it sets
// the flag before the next step, in the name of the program.
func (s *Stepper) leaveLoad(done step, r *ptrace.Regs) error {
	if s.p.inFrame(done, r.RSP) {
		if err := s.p.clearFlag(r.RSP + frameFlags); err != nil {
			return err
		}
	}
	s.p.settle(s.t)
	return nil
}

// Where a handler finds what the thread had: struct rt_sigframe of the kernel,
// whose first word is the return address.
const (
	frameSP    = 8 + 40 + 15*8 // uc_mcontext.gregs[REG_RSP]
	frameIP    = frameSP + 8
	frameFlags = frameIP + 8
)

// inFrame says whether a stack pointer is that of a handler which was begun in
// place of a step.
func (p *Process) inFrame(begun step, sp uint64) bool {
	var b [16]byte
	if _, err := p.memory.Read(sp+frameSP, b[:]); err != nil {
		return false // there is no frame
	}
	return binary.LittleEndian.Uint64(b[:]) == begun.sp && binary.LittleEndian.Uint64(b[8:]) == begun.from
}

// clearFlag clears the trap flag in flags that are in memory.
func (p *Process) clearFlag(address uint64) error {
	const second = 1 // the byte with the flag
	var b [1]byte
	if _, err := p.memory.Read(address+second, b[:]); err != nil {
		return p.noticeEnd(err)
	}
	b[0] &^= ptrace.TrapFlag >> 8
	_, err := p.memory.Write(address+second, b[:])
	return p.noticeEnd(err)
}

// unmark takes the flag from a thread that a signal has kept from the step over
// popf. That the thread was about to step is left in the kernel, until it goes
// on or is settled.
func (s *Stepper) unmark(begun step) error {
	if begun.kind != popfCode || begun.traced {
		return nil
	}
	r, err := s.Regs()
	if err != nil {
		return err
	}
	s.t.steps, s.valid = true, false
	r.EFlags &^= ptrace.TrapFlag
	return s.p.noticeEnd(s.p.tracer.SetRegs(s.t.id, r))
}
