package proc

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/guard"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// prepareRescue installs the rescue code and starts the guard, unless that was done
// or has failed. Without it, killing this program may harm the process.
func (p *Process) prepareRescue() {
	if p.launched || p.rescue != 0 || p.rescueFailed || p.is32Bit {
		return
	}
	at := p.findRescue()
	if at == 0 || !guardMayTrace() || p.startGuard() != nil {
		p.rescueFailed = true
		p.log.Debug("no rescue code: the process may be harmed if this program is killed")
		return
	}
	owner := rand.Uint32() | 1 // not 0, and unlikely that of another debugger
	code := binary.LittleEndian.AppendUint32(slices.Clone(guard.RescueCode), owner)
	if _, err := p.memory.Write(at, append(code, 0, 0, 0, 0)); err != nil {
		p.rescueFailed = true
		return
	}
	p.rescue = at
	p.guard.Journal().SetRescue(at, owner)
}

// startGuard starts the guard of the process, unless it runs.
func (p *Process) startGuard() error {
	if p.guard != nil {
		return nil
	}
	j, err := guard.NewJournal()
	if err != nil {
		return err
	}
	g, err := guard.Start(p.options.Guard, p.memory.File(), j, p.claim)
	if err != nil {
		j.Close()
		return err
	}
	p.guard = g
	return nil
}

// findRescue returns the address for the code, where a killed debugger may have
// left it. It returns 0 if there is no room.
func (p *Process) findRescue() uint64 {
	maps, err := p.readMaps()
	if err != nil {
		return 0
	}
	for _, m := range maps {
		if m.Path != "[vdso]" || !m.Execute || m.End-m.Start < guard.RescueRoom {
			continue
		}
		var room [guard.RescueRoom]byte
		at := m.End - guard.RescueRoom
		if n, _ := p.memory.Read(at, room[:]); n != guard.RescueRoom {
			return 0
		}
		if bytes.HasPrefix(room[:], guard.RescueCode) {
			clear(room[:guard.RescueSize])
		}
		if room == [guard.RescueRoom]byte{} {
			return at
		}
	}
	return 0
}

// uninstallRescue removes the code from the process and tells the guard not to
// write there anymore.
func (p *Process) uninstallRescue() error {
	if p.rescue == 0 {
		return nil
	}
	p.guard.Journal().SetRescue(0, 0)
	var err error
	if !p.insideRescue() {
		err = removeRescue(p.memory, p.rescue)
	}
	p.rescue = 0
	return err
}

// insideRescue reports whether a thread executes the code: it may have entered the
// handler after an earlier debugger was killed.
func (p *Process) insideRescue() bool {
	for id := range p.threads {
		var r ptrace.Regs
		if err := p.tracer.Regs(id, &r); err == nil && r.RIP-p.rescue < guard.RescueSize {
			return true
		}
	}
	return false
}

// removeRescue clears the code in the memory of the process or a child. There is none at
// address 0.
func removeRescue(m *ptrace.Memory, at uint64) error {
	if at == 0 {
		return nil
	}
	_, err := m.Write(at, make([]byte, guard.RescueSize))
	return err
}

// trapAction returns the action for SIGTRAP that lets the process survive if this
// program is killed.
func (p *Process) trapAction() (sigaction, bool) {
	if p.rescue == 0 {
		return p.returnAction()
	}
	// All other signals are blocked in the handler. A nested handler could block
	// SIGTRAP, and an int3 ends a process that blocks it.
	const noDefer = 0x40000000 // SA_NODEFER
	return sigaction{p.rescue + guard.RescueHandler, handlerFlags | noDefer, p.rescue + guard.RescueReturn, ^uint64(trapBit)}, true
}

// guardMayTrace reports whether the system permits the guard, which is not an
// ancestor of the process, to trace it.
func guardMayTrace() bool {
	text, err := procfs.ReadFile("/proc/sys/kernel/yama/ptrace_scope")
	scope, _ := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || scope == 0 {
		return true
	}
	self, err := procfs.ReadStatus("/proc/self/status")
	return err == nil && (&candidate{self: self}).capable() && scope < 3
}

// parkedRegs returns registers with which a thread waits for the guard.
func (p *Process) parkedRegs(r ptrace.Regs) *ptrace.Regs {
	r.RIP, r.OrigRAX = p.rescue+guard.RescuePark, ptrace.NoSyscall
	r.EFlags &^= ptrace.TrapFlag
	return &r
}

// injectOnce is Tracer.Inject, journalled for the guard. If other is nil, events of other
// threads are queued.
func (p *Process) injectOnce(tid int, number uint64, args [6]uint64, other func(ptrace.Event)) (uint64, error) {
	if other == nil {
		other = p.enqueue
	}
	site, err := p.syscallSite()
	if err != nil {
		return 0, err
	}
	if p.rescue == 0 {
		return p.tracer.Inject(tid, site, number, args, other)
	}
	var regs ptrace.Regs
	if err := p.tracer.Regs(tid, &regs); err != nil {
		return 0, err
	}
	mask, err := p.tracer.SigMask(tid)
	if err != nil {
		return 0, err
	}
	j := p.guard.Journal()
	begin, before := j.Length(), j.Published() // perhaps a function is called
	j.Thread(tid, &regs, &mask)
	j.Publish(guard.WorkCall)
	defer func() { j.Republish(before); j.Truncate(begin) }()
	return p.tracer.Inject(tid, site, number, args, other)
}

// A State is the state that a commit sets for a thread.
type State struct {
	Thread int
	Regs   *ptrace.Regs
	Vector []byte // in the layout of XSAVE; nil leaves it unchanged unchanged
}

// commit writes memory and states of threads atomically: if this program is killed
// meanwhile, the guard completes it before any thread continues.
func (p *Process) commit(memory []Patch, states []State) error {
	if p.rescue == 0 {
		return p.write(memory, states)
	}
	others, err := p.stoppedStates()
	if err != nil {
		return err
	}
	j := p.guard.Journal()
	defer func() { j.Publish(guard.NoWork); j.Truncate(0) }()
	for i := range others {
		j.Thread(others[i].Thread, others[i].Regs, nil)
	}
	j.Publish(guard.WorkThreads)
	begin := j.Length()
	for _, s := range others {
		if err := p.tracer.SetRegs(s.Thread, p.parkedRegs(*s.Regs)); err != nil {
			return err
		}
	}
	for _, patch := range memory {
		j.Write(p.pid, patch.Address, patch.Data)
	}
	for _, s := range states {
		j.Vector(s.Thread, s.Vector)
		j.Thread(s.Thread, s.Regs, nil)
	}
	if !j.Publish(guard.WorkAll) {
		j.Truncate(begin) // there is too much for it
	}
	err = p.write(memory, nil)
	for _, s := range states {
		if s.Vector != nil && err == nil {
			err = p.tracer.SetXState(s.Thread, s.Vector)
		}
		// The frame of a signal's handler must not lie in the new part of the stack.
		if err == nil {
			err = p.tracer.SetRegs(s.Thread, p.parkedRegs(*s.Regs))
		}
	}
	j.Publish(guard.WorkThreads)
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

// stoppedStates returns the current states of all stopped threads.
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

// write writes memory and states, without the guard.
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

// Commit writes memory, and the registers and vector state of the thread, as one
// operation that survives the end of this program. A nil vector leaves that state
// unchanged.
func (s *Stepper) Commit(memory []Patch, vector []byte, regs ptrace.Regs) error {
	old, err := s.Regs()
	if err != nil {
		return err
	}
	if old.RIP != regs.RIP {
		s.t.report, s.t.skipBreakpoint = nil, false
		if regs.OrigRAX == old.OrigRAX {
			regs.OrigRAX = ptrace.NoSyscall
		}
	}
	s.valid = false
	clear(s.p.cached)
	s.p.code.drop()
	if len(memory) == 0 && vector == nil {
		return s.p.checkEnded(s.p.tracer.SetRegs(s.t.id, &regs))
	}
	return s.p.checkEnded(s.p.commit(memory, []State{{Thread: s.t.id, Regs: &regs, Vector: vector}}))
}

// handlerFlags are SA_RESTORER, SA_ONSTACK, SA_RESTART and SA_SIGINFO. The handler
// uses the alternate signal stack, because stacks of goroutines may have no room.
const handlerFlags = 0x04000000 | 0x08000000 | 0x10000000 | 4
