package proc

import (
	"fmt"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/guard"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// countHit counts a hit if it is of the right thread and the condition holds. It
// reports whether the process stops.
func (b *breakpoint) countHit(h Hit) (bool, error) {
	h.Breakpoint = b.ID
	if b.Spec.Thread != 0 && b.Spec.Thread != h.Thread {
		return false, nil
	}
	if b.Spec.Condition != nil {
		if ok, err := b.Spec.Condition(h); err != nil || !ok {
			return err != nil, err
		}
	}
	b.Hits++
	return b.Hits > b.Spec.Ignore, nil
}

// onInt3 handles an int3 instruction, ours or one of the program itself, which
// stops it and has no other effect.
func (bs *breakpoints) onInt3(t *thread, info ptrace.SigInfo) {
	var r ptrace.Regs
	if err := bs.tracer.Regs(t.id, &r); err != nil {
		return
	}
	moved := isMoved(info)
	at := r.RIP
	if !moved {
		at--
	}
	l := bs.softwareAt(at)
	if l == nil && !bs.isInt3(at) {
		// It belonged to a debugger that was killed, whose guard has removed it.
		if !moved {
			_ = bs.beforeInt3(t, &r, info) // the end of a thread is an event
		}
		return
	}
	if l == nil {
		if !bs.tracee.runningFree {
			bs.threads.report(t, Stop{Why: Signalled, Signal: unix.SIGTRAP})
		}
		return
	}
	if moved || bs.beforeInt3(t, &r, info) == nil {
		bs.hit(t, l, false)
	}
}

// isInt3 reports whether there is an int3 at an address, or unreadable memory.
func (bs *breakpoints) isInt3(address uint64) bool {
	var b [1]byte
	n, _ := bs.tracee.memory.Read(address, b[:])
	return n == 0 || b[0] == guard.Int3
}

// isMoved reports whether beforeInt3 has moved the thread. It marks that in si_addr,
// which the kernel leaves 0 for an int3.
func isMoved(info ptrace.SigInfo) bool {
	return info.Code() == ptrace.CodeKernel && info.Address() != 0
}

// beforeInt3 moves a thread from the end of an int3 back to its start. If this
// program is killed meanwhile, the signal is delivered to the handler of the rescue
// code, which must know whether the thread has been moved: si_addr then holds the
// new address, see guard.RescueCode.
func (bs *breakpoints) beforeInt3(t *thread, r *ptrace.Regs, info ptrace.SigInfo) error {
	r.RIP--
	if info.Code() == ptrace.CodeKernel {
		info.SetAddress(r.RIP)
		if err := bs.tracer.SetSigInfo(t.id, info); err != nil {
			return err
		}
	}
	return bs.tracer.SetRegs(t.id, r)
}

// onHiddenInt3 handles an int3 in a thread that blocks SIGTRAP while the SIGTRAP of
// a hardware breakpoint is pending. The kernel then drops the second SIGTRAP and
// delivers the first, after unblocking SIGTRAP and resetting its handler
// (legacy_queue and force_sig_info_to_task in kernel/signal.c).
func (bs *breakpoints) onHiddenInt3(t *thread, info ptrace.SigInfo) {
	var r ptrace.Regs
	if err := bs.tracer.Regs(t.id, &r); err != nil {
		return
	}
	if l := bs.softwareAt(r.RIP - 1); l == nil || !l.inserted {
		return
	}
	s, err := procfs.ReadStatus(fmt.Sprintf("/proc/%d/task/%d/status", bs.tracee.pid, t.id))
	if err == nil && s.Bits("SigCgt")&trapBit == 0 {
		bs.onInt3(t, info)
	}
}

// hitLate handles a trap that was pending while its thread blocked it and ran on.
func (bs *breakpoints) hitLate(t *thread, info ptrace.SigInfo) {
	if l := bs.locationByID(int(info.PerfData())); info.Code() == ptrace.CodePerf && l != nil {
		bs.hit(t, l, true)
	}
}

// hit counts a hit for the breakpoints of a location. The first one that stops
// is reported.
func (bs *breakpoints) hit(t *thread, l *location, late bool) {
	t.skipBreakpoint = t.skipBreakpoint || l.access == Execute && !late
	if bs.tracee.runningFree {
		return
	}
	var r ptrace.Regs
	if err := bs.tracer.Regs(t.id, &r); err != nil {
		return
	}
	for _, b := range slices.Clone(l.breakpoints) {
		ok, err := b.countHit(Hit{Thread: t.id, Address: r.RIP})
		if !ok || t.report != nil {
			continue
		}
		why := AtBreakpoint
		if l.access != Execute {
			why = AtWatchpoint
		}
		bs.threads.report(t, Stop{Why: why, Breakpoint: b.ID, Late: late, Err: err})
	}
}

// setResumeFlag keeps a hardware breakpoint at the pc from stopping the thread
// again: the resume flag suppresses it for one instruction (Intel SDM volume 3,
// 19.3.1.1).
func (bs *breakpoints) setResumeFlag(t *thread) {
	if !t.skipBreakpoint {
		return
	}
	t.skipBreakpoint = false
	var r ptrace.Regs
	if err := bs.tracer.Regs(t.id, &r); err != nil || bs.locationAt(r.RIP, Execute) == nil {
		return
	}
	r.EFlags |= ptrace.ResumeFlag
	_ = bs.tracer.SetRegs(t.id, &r)
}

// mustStepOver reports whether a thread continues at an int3 of ours.
func (bs *breakpoints) mustStepOver(t *thread) bool {
	if !t.skipBreakpoint || t.report != nil || t.group {
		return false
	}
	var r ptrace.Regs
	return bs.tracer.Regs(t.id, &r) == nil && bs.softwareAt(r.RIP) != nil
}

// hardwareAt returns the hardware breakpoint at which a thread continues; nil if there
// is none.
func (bs *breakpoints) hardwareAt(t *thread) *location {
	if !t.skipBreakpoint || t.report != nil || t.group {
		return nil
	}
	var r ptrace.Regs
	if bs.tracer.Regs(t.id, &r) != nil {
		return nil
	}
	if l := bs.locationAt(r.RIP, Execute); l != nil && l.hardware() {
		return l
	}
	return nil
}

// mustCount reports whether a thread continues at a hardware breakpoint each of whose
// hits counts.
func (bs *breakpoints) mustCount(t *thread) bool {
	l := bs.hardwareAt(t)
	return l != nil && slices.ContainsFunc(l.breakpoints, func(b *breakpoint) bool { return b.Spec.Counted })
}
