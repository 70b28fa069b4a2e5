package proc

import (
	"strconv"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"golang.org/x/sys/unix"
)

// pin moves the tracer to the processor where a thread last ran.
func (p *Process) pin(t *thread) {
	if p.pinned == t.id {
		return
	}
	cpu, err := strconv.Atoi(procfs.ThreadStat(p.pid, t.id, procfs.StatProcessor))
	if err != nil {
		return
	}
	if err := p.tracer.Pin(cpu); err == nil {
		p.pinned = t.id
	}
}

// unpin lets the tracer run anywhere again.
func (p *Process) unpin() {
	if p.pinned != 0 {
		_ = p.tracer.Unpin() // the thread may stay pinned if this fails
		p.pinned = 0
	}
}

// trapMask is the state of SIGTRAP in a thread's signal mask. A single step of a
// thread that blocks SIGTRAP would make the kernel unblock it and reset its
// handler to SIG_DFL (force_sig_info_to_task in kernel/signal.c).
type trapMask struct {
	known   bool
	cleared bool // the thread blocks SIGTRAP, which is unblocked until restoreMask
}

const trapBit = 1 << (unix.SIGTRAP - 1)

// clearMask unblocks SIGTRAP while the thread is single-stepped.
func (p *Process) clearMask(t *thread) error {
	if t.mask.known {
		return nil
	}
	mask, err := p.tracer.SigMask(t.id)
	if err == nil && mask&trapBit != 0 {
		err = p.tracer.SetSigMask(t.id, mask&^trapBit)
		t.mask.cleared = true
	}
	t.mask.known = err == nil
	return p.checkEnded(err)
}

// restoreMask blocks SIGTRAP again if clearMask has unblocked it.
func (p *Process) restoreMask(t *thread) error {
	if !t.mask.cleared {
		t.mask = trapMask{}
		return nil
	}
	t.mask = trapMask{}
	mask, err := p.tracer.SigMask(t.id)
	if err == nil {
		err = p.tracer.SetSigMask(t.id, mask|trapBit)
	}
	return p.checkEnded(err)
}
