package proc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/guard"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// rescue lets the process survive the end of this program.
type rescue struct {
	tracer  *ptrace.Tracer
	tracee  *tracee
	threads *threads

	guard   *guard.Guard
	claim   *os.File // see guard.Claim
	address uint64   // of the rescue code, 0 if it is not installed
	failed  bool     // the rescue code cannot be installed
}

// prepare installs the rescue code and starts the guard, unless that was done
// or has failed. Without it, killing this program may harm the process.
func (rs *rescue) prepare() {
	if rs.tracee.launched || rs.address != 0 || rs.failed || rs.tracee.is32Bit {
		return
	}
	at := rs.find()
	if at == 0 || !guardMayTrace() || rs.startGuard() != nil {
		rs.failed = true
		rs.tracee.log.Debug("no rescue code: the process may be harmed if this program is killed")
		return
	}
	owner := rand.Uint32() | 1 // not 0, and unlikely that of another debugger
	code := binary.LittleEndian.AppendUint32(slices.Clone(guard.RescueCode), owner)
	if _, err := rs.tracee.memory.Write(at, append(code, 0, 0, 0, 0)); err != nil {
		rs.failed = true
		return
	}
	rs.address = at
	rs.guard.Journal().SetRescue(at, owner)
}

// startGuard starts the guard of the process, unless it runs.
func (rs *rescue) startGuard() error {
	if rs.guard != nil {
		return nil
	}
	j, err := guard.NewJournal()
	if err != nil {
		return err
	}
	g, err := guard.Start(rs.tracee.options.Guard, rs.tracee.memory.File(), j, rs.claim)
	if err != nil {
		j.Close()
		return err
	}
	rs.guard = g
	return nil
}

// forget ends the guard of a program that is gone, with its rescue code.
func (rs *rescue) forget() {
	rs.guard.Close()
	rs.guard, rs.address, rs.failed = nil, 0, false
}

// find returns the address for the code, where a killed debugger may have
// left it. It returns 0 if there is no room.
func (rs *rescue) find() uint64 {
	maps, err := rs.tracee.readMaps()
	if err != nil {
		return 0
	}
	for _, m := range maps {
		if m.Path != "[vdso]" || !m.Execute || m.End-m.Start < guard.RescueRoom {
			continue
		}
		var room [guard.RescueRoom]byte
		at := m.End - guard.RescueRoom
		if n, _ := rs.tracee.memory.Read(at, room[:]); n != guard.RescueRoom {
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

// uninstall removes the code from the process and tells the guard not to
// write there anymore.
func (rs *rescue) uninstall() error {
	if rs.address == 0 {
		return nil
	}
	rs.guard.Journal().SetRescue(0, 0)
	var err error
	if !rs.inside() {
		err = removeRescue(rs.tracee.memory, rs.address)
	}
	rs.address = 0
	return err
}

// inside reports whether a thread executes the code: it may have entered the
// handler after an earlier debugger was killed.
func (rs *rescue) inside() bool {
	for id := range rs.threads.byID {
		var r ptrace.Regs
		if err := rs.tracer.Regs(id, &r); err == nil && r.RIP-rs.address < guard.RescueSize {
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
func (rs *rescue) parkedRegs(r ptrace.Regs) *ptrace.Regs {
	r.RIP, r.OrigRAX = rs.address+guard.RescuePark, ptrace.NoSyscall
	r.EFlags &^= ptrace.TrapFlag
	return &r
}

// A State is the state that a commit sets for a thread.
type State struct {
	Thread int
	Regs   *ptrace.Regs
	Vector []byte // in the layout of XSAVE; nil leaves it unchanged unchanged
}

// commit writes memory and states of threads atomically: if this program is killed
// meanwhile, the guard completes it before any thread continues.
func (rs *rescue) commit(memory []Patch, states []State) error {
	if rs.address == 0 {
		return rs.write(memory, states)
	}
	others, err := rs.threads.states()
	if err != nil {
		return err
	}
	j := rs.guard.Journal()
	defer func() { j.Publish(guard.NoWork); j.Truncate(0) }()
	for i := range others {
		j.Thread(others[i].Thread, others[i].Regs, nil)
	}
	j.Publish(guard.WorkThreads)
	begin := j.Length()
	for _, s := range others {
		if err := rs.tracer.SetRegs(s.Thread, rs.parkedRegs(*s.Regs)); err != nil {
			return err
		}
	}
	for _, patch := range memory {
		j.Write(rs.tracee.pid, patch.Address, patch.Data)
	}
	for _, s := range states {
		j.Vector(s.Thread, s.Vector)
		j.Thread(s.Thread, s.Regs, nil)
	}
	if !j.Publish(guard.WorkAll) {
		j.Truncate(begin) // there is too much for it
	}
	err = rs.write(memory, nil)
	for _, s := range states {
		if s.Vector != nil && err == nil {
			err = rs.tracer.SetXState(s.Thread, s.Vector)
		}
		// The frame of a signal's handler must not lie in the new part of the stack.
		if err == nil {
			err = rs.tracer.SetRegs(s.Thread, rs.parkedRegs(*s.Regs))
		}
	}
	j.Publish(guard.WorkThreads)
	return rs.unpark(others, states, err)
}

// unpark gives the threads their registers, the former ones after an error.
func (rs *rescue) unpark(others, states []State, err error) error {
	for _, s := range others {
		regs := s.Regs
		for i := range states {
			if states[i].Thread == s.Thread && err == nil {
				regs = states[i].Regs
			}
		}
		if failed := rs.tracer.SetRegs(s.Thread, regs); err == nil {
			err = failed
		}
	}
	return err
}

// write writes memory and states, without the guard.
func (rs *rescue) write(memory []Patch, states []State) error {
	for _, patch := range memory {
		if _, err := rs.tracee.memory.Write(patch.Address, patch.Data); err != nil {
			return err
		}
	}
	for _, s := range states {
		if s.Vector != nil {
			if err := rs.tracer.SetXState(s.Thread, s.Vector); err != nil {
				return err
			}
		}
		if err := rs.tracer.SetRegs(s.Thread, s.Regs); err != nil {
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
	clear(s.x.cache.threads)
	s.x.code.drop()
	if len(memory) == 0 && vector == nil {
		return s.x.tracee.checkEnded(s.x.tracer.SetRegs(s.t.id, &regs))
	}
	return s.x.tracee.checkEnded(s.x.rescue.commit(memory, []State{{Thread: s.t.id, Regs: &regs, Vector: vector}}))
}

// prepareLanding returns the address of the rescue code, and a function that removes
// it from a launched program again.
func (rs *rescue) prepareLanding() (code uint64, remove func() error, err error) {
	if rs.prepare(); rs.address != 0 {
		return rs.address, func() error { return nil }, nil
	}
	if !rs.tracee.launched {
		return 0, nil, errors.New("no function is called in this process: there would be nobody to bring it back if the debugger were killed meanwhile (the guard must be permitted to trace it, see kernel.yama.ptrace_scope)")
	}
	code = rs.find()
	if code == 0 {
		return 0, nil, errors.New("the process has no room for the code that a function returns to")
	}
	if _, err := rs.tracee.memory.Write(code, guard.RescueCode); err != nil {
		return 0, nil, err
	}
	return code, func() error {
		if rs.tracee.ended != nil {
			return nil
		}
		_, err := rs.tracee.memory.Write(code, make([]byte, len(guard.RescueCode)))
		return rs.tracee.checkEnded(err)
	}, nil
}

// guardSpin starts the guard of a child, which knows the code that spin replaces. It
// returns nil without a guard.
func (rs *rescue) guardSpin(child int, memory *ptrace.Memory, claim *os.File, code Patch) *guard.Guard {
	j, err := guard.NewJournal()
	if err != nil {
		return nil
	}
	g, err := guard.Start(rs.tracee.options.Guard, memory.File(), j, claim)
	if err != nil {
		j.Close()
		return nil
	}
	j.Write(child, code.Address, code.Data)
	j.Publish(guard.WorkMemory)
	return g
}
