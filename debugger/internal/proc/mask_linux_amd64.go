package proc

import (
	"strconv"

	"github.com/triptych-mcp/triptych/debugger/internal/procfs"
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

// trapMask says what was done about a thread that blocks SIGTRAP. The kernel
// would take a step's trap for a reason to unblock it and to drop its handler.
type trapMask struct {
	known   bool
	cleared bool // SIGTRAP was blocked, and is not until restoreMask
}

const trapBit = 1 << (unix.SIGTRAP - 1)

// clearMask unblocks SIGTRAP for the time of the steps.
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
	return p.noticeEnd(err)
}

// restoreMask blocks it again.
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
	return p.noticeEnd(err)
}
