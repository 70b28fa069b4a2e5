package proc

import (
	"strconv"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"golang.org/x/sys/unix"
)

// pin moves the tracer to the processor where a thread last ran.
func (ts *threads) pin(t *thread) {
	if ts.pinned == t.id {
		return
	}
	cpu, err := strconv.Atoi(procfs.ThreadStat(ts.tracee.pid, t.id, procfs.StatProcessor))
	if err != nil {
		return
	}
	if err := ts.tracer.Pin(cpu); err == nil {
		ts.pinned = t.id
	}
}

// unpin lets the tracer run anywhere again.
func (ts *threads) unpin() {
	if ts.pinned != 0 {
		_ = ts.tracer.Unpin() // the thread may stay pinned if this fails
		ts.pinned = 0
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
func (ts *threads) clearMask(t *thread) error {
	if t.mask.known {
		return nil
	}
	mask, err := ts.tracer.SigMask(t.id)
	if err == nil && mask&trapBit != 0 {
		err = ts.tracer.SetSigMask(t.id, mask&^trapBit)
		t.mask.cleared = true
	}
	t.mask.known = err == nil
	return ts.tracee.checkEnded(err)
}

// restoreMask blocks SIGTRAP again if clearMask has unblocked it.
func (ts *threads) restoreMask(t *thread) error {
	if !t.mask.cleared {
		t.mask = trapMask{}
		return nil
	}
	t.mask = trapMask{}
	mask, err := ts.tracer.SigMask(t.id)
	if err == nil {
		err = ts.tracer.SetSigMask(t.id, mask|trapBit)
	}
	return ts.tracee.checkEnded(err)
}
