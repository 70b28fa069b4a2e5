package proc

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
)

// When this program is killed, its process goes on at once, with the registers
// and memory that it has at that moment. In between two of our changes these fit
// nothing: a thread may be in a system call of ours, a step may be half written,
// an int3 may still be in the code. So a few instructions are put into the unused
// end of the vdso while the process is debugged:
//
//	call     the system call that Inject makes, and behind it
//	park     a loop around pause(2), in which threads wait for the guard
//	return   rt_sigreturn(2), for the handler
//	handler  of SIGTRAP: takes the trap flag out of what it returns to, and goes
//	         back before an int3 until the guard has taken that out
//
// While a change is made the threads stand in park, and what they are to become
// is in the journal, which the guard reads after our end.
var rescueCode = []byte{
	0x0f, 0x05, // call: syscall
	0xb8, 0x22, 0, 0, 0, // park: mov eax, 34
	0x0f, 0x05, // syscall
	0xeb, 0xf7, // jmp park
	0xb8, 0x0f, 0, 0, 0, // return: mov eax, 15
	0x0f, 0x05, // syscall
	0x81, 0xa2, 0xb0, 0, 0, 0, 0xff, 0xfe, 0xff, 0xff, // handler: and dword [rdx+0xb0], ~0x100
	0x81, 0x7e, 0x08, 0x80, 0, 0, 0, // cmp dword [rsi+8], SI_KERNEL
	0x75, 0x2e, // jne out
	0x48, 0x8b, 0x46, 0x10, // mov rax, [rsi+16]
	0x48, 0x85, 0xc0, // test rax, rax
	0x75, 0x1e, // jne set: beforeInt3 says where to
	0x48, 0x8b, 0x82, 0xa8, 0, 0, 0, // mov rax, [rdx+0xa8]
	0x8b, 0x0d, 0x1d, 0, 0, 0, // mov ecx, [owner]
	0x3b, 0x0d, 0x1b, 0, 0, 0, // cmp ecx, [repaired]
	0x75, 0x06, // jne back
	0x80, 0x78, 0xff, 0xcc, // cmp byte [rax-1], 0xcc
	0x74, 0x0a, // je out: the program's own
	0x48, 0xff, 0xc8, // back: dec rax
	0x48, 0x89, 0x82, 0xa8, 0, 0, 0, // set: mov [rdx+0xa8], rax
	0xc3,                   // out: ret
	0x0f, 0x1f, 0x40, 0x00, // nop, so that the words are aligned
}

// Places in the code.
const (
	rescuePark     = 2
	rescueParked   = 9 // where a thread is that waits in pause
	rescueReturn   = 11
	rescueHandler  = 18
	rescueOwner    = 88 // which debugger is at work, by a number that it has chosen
	rescueRepaired = 92 // whose guard has taken the int3 instructions out

	rescueSize = 96
	rescueRoom = 128 // of the end of the vdso
)

// prepareRescue puts the code in and starts the guard, unless that was done or
// cannot be. Without it a process that is let go in the middle may be harmed.
func (p *Process) prepareRescue() {
	if p.launched || p.rescue != 0 || p.helpless || p.narrow {
		return
	}
	at := p.findRescue()
	if at == 0 || !guardMayTrace() || p.startGuard() != nil {
		p.helpless = true
		p.log.Debug("nothing can put the process right if this program is killed")
		return
	}
	owner := rand.Uint32() | 1 // not that of another debugger, nor 0
	code := binary.LittleEndian.AppendUint32(slices.Clone(rescueCode), owner)
	if _, err := p.memory.Write(at, append(code, 0, 0, 0, 0)); err != nil {
		p.helpless = true
		return
	}
	p.rescue = at
	p.guard.journal.setRescue(at, owner)
}

// findRescue returns where the code can be, or is from another debugger that was
// killed; 0 if nowhere.
func (p *Process) findRescue() uint64 {
	maps, err := p.readMaps()
	if err != nil {
		return 0
	}
	for _, m := range maps {
		if m.Path != "[vdso]" || !m.Execute || m.End-m.Start < rescueRoom {
			continue
		}
		var room [rescueRoom]byte
		at := m.End - rescueRoom
		if n, _ := p.memory.Read(at, room[:]); n != rescueRoom {
			return 0
		}
		if bytes.HasPrefix(room[:], rescueCode) {
			clear(room[:rescueSize])
		}
		if room == [rescueRoom]byte{} {
			return at
		}
	}
	return 0
}

// leaveRescue takes the code out of the process. The guard must not write there
// from then on.
func (p *Process) leaveRescue() error {
	if p.rescue == 0 {
		return nil
	}
	p.guard.journal.setRescue(0, 0)
	err := p.removeRescue(p.memory)
	p.rescue = 0
	return err
}

// removeRescue takes the code out of a memory.
func (p *Process) removeRescue(m *ptrace.Memory) error {
	if p.rescue == 0 {
		return nil
	}
	_, err := m.Write(p.rescue, make([]byte, rescueSize))
	return err
}

// trapAction is the action for SIGTRAP by which the process survives our end.
func (p *Process) trapAction() (sigaction, bool) {
	if p.rescue == 0 {
		return p.returning()
	}
	// No other handler begins on top of this one: SIGTRAP is blocked there, too, and
	// an int3 is the end of a process that blocks it.
	const noDefer = 0x40000000 // SA_NODEFER
	return sigaction{p.rescue + rescueHandler, handlerFlags | noDefer, p.rescue + rescueReturn, ^uint64(trapBit)}, true
}

// guardMayTrace reports whether the system lets the guard, which is no ancestor
// of the process, trace it.
func guardMayTrace() bool {
	text, err := readProc("/proc/sys/kernel/yama/ptrace_scope")
	scope, _ := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || scope == 0 {
		return true
	}
	self, err := readStatus("/proc/self/status")
	return err == nil && (&candidate{self: self}).capable() && scope < 3
}

// parked returns registers with which a thread waits for the guard.
func (p *Process) parkedRegs(r ptrace.Regs) *ptrace.Regs {
	r.RIP, r.OrigRAX = p.rescue+rescuePark, ptrace.NoSyscall
	r.EFlags &^= ptrace.TrapFlag
	return &r
}

// injectOnce is Tracer.Inject with the guard behind it.
func (p *Process) injectOnce(tid int, number uint64, args [6]uint64) (uint64, error) {
	site, err := p.syscallSite()
	if err != nil {
		return 0, err
	}
	if p.rescue == 0 {
		return p.tracer.Inject(tid, site, number, args, p.later)
	}
	var regs ptrace.Regs
	if err := p.tracer.Regs(tid, &regs); err != nil {
		return 0, err
	}
	mask, err := p.tracer.SigMask(tid)
	if err != nil {
		return 0, err
	}
	j := p.guard.journal
	begin := j.length()
	j.thread(tid, &regs, &mask)
	j.publish(journalCall)
	defer func() { j.publish(journalNothing); j.truncate(begin) }()
	return p.tracer.Inject(tid, site, number, args, p.later)
}

// A State holds the state that Commit gives to a thread.
type State struct {
	Thread int
	Regs   *ptrace.Regs
	Vector []byte // in the layout of XSAVE; nil leaves it
}

// commit writes memory and threads' states as one: if this program is killed
// meanwhile, the guard finishes it before any thread goes on.
func (p *Process) commit(memory []Patch, states []State) error {
	if p.rescue == 0 {
		return p.write(memory, states)
	}
	others, err := p.stoppedStates()
	if err != nil {
		return err
	}
	j := p.guard.journal
	defer func() { j.publish(journalNothing); j.truncate(0) }()
	for i := range others {
		j.thread(others[i].Thread, others[i].Regs, nil)
	}
	j.publish(journalThreads)
	begin := j.length()
	for _, s := range others {
		if err := p.tracer.SetRegs(s.Thread, p.parkedRegs(*s.Regs)); err != nil {
			return err
		}
	}
	for _, patch := range memory {
		j.write(p.pid, patch.Address, patch.Data)
	}
	for _, s := range states {
		j.vector(s.Thread, s.Vector)
		j.thread(s.Thread, s.Regs, nil)
	}
	if !j.publish(journalAll) {
		j.truncate(begin) // there is too much for it
	}
	err = p.write(memory, nil)
	for _, s := range states {
		if s.Vector != nil && err == nil {
			err = p.tracer.SetXState(s.Thread, s.Vector)
		}
	}
	j.publish(journalThreads)
	return p.unpark(others, states, err)
}

// unpark gives the threads their registers, the former ones after an error.
func (p *Process) unpark(others, states []State, err error) error {
	for _, s := range others {
		regs := s.Regs
		for i := range states {
			if states[i].Thread == s.Thread && err == nil {
				regs = states[i].Regs
			}
		}
		if failed := p.tracer.SetRegs(s.Thread, regs); err == nil {
			err = failed
		}
	}
	return err
}

// standing are the present states of all threads that stand still.
func (p *Process) stoppedStates() ([]State, error) {
	var all []State
	for id, t := range p.threads {
		if t.running {
			continue
		}
		regs := new(ptrace.Regs)
		if err := p.tracer.Regs(id, regs); err != nil {
			return nil, err
		}
		all = append(all, State{Thread: id, Regs: regs})
	}
	return all, nil
}

// write writes memory and states one after the other.
func (p *Process) write(memory []Patch, states []State) error {
	for _, patch := range memory {
		if _, err := p.memory.Write(patch.Address, patch.Data); err != nil {
			return err
		}
	}
	for _, s := range states {
		if s.Vector != nil {
			if err := p.tracer.SetXState(s.Thread, s.Vector); err != nil {
				return err
			}
		}
		if err := p.tracer.SetRegs(s.Thread, s.Regs); err != nil {
			return err
		}
	}
	return nil
}

// Commit writes memory, and registers and vector state of the thread, as one. A
// nil vector leaves that state as it is.
func (s *Stepper) Commit(memory []Patch, vector []byte, regs ptrace.Regs) error {
	old, err := s.Regs()
	if err != nil {
		return err
	}
	if old.RIP != regs.RIP {
		s.t.report, s.t.leave = nil, false
		if regs.OrigRAX == old.OrigRAX {
			regs.OrigRAX = ptrace.NoSyscall
		}
	}
	s.valid = false
	clear(s.p.cached)
	s.p.code.drop()
	if len(memory) == 0 && vector == nil {
		return s.p.noticeEnd(s.p.tracer.SetRegs(s.t.id, &regs))
	}
	return s.p.noticeEnd(s.p.commit(memory, []State{{Thread: s.t.id, Regs: &regs, Vector: vector}}))
}

// handlerFlags are SA_RESTORER, SA_ONSTACK, SA_RESTART and SA_SIGINFO. The
// thread's stack for signals is used if it has one: stacks of Go have no room.
const handlerFlags = 0x04000000 | 0x08000000 | 0x10000000 | 4
