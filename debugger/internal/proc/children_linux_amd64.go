package proc

import (
	"errors"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
)

// A patch is an int3 instruction in memory and the byte that it replaced.
type patch struct {
	address  uint64
	original byte
}

// patches returns the inserted patches. A child that is created now inherits them.
func (p *Process) patches() []patch {
	var all []patch
	for _, l := range p.locations {
		if l.inserted {
			all = append(all, patch{l.address, l.original})
		}
	}
	return all
}

// releaseChild detaches from a child, after removing what it has inherited from
// the debugger. A child that shares the memory, as after vfork, would die of int3
// instructions: they are removed until it has its own memory.
func (p *Process) releaseChild(child int, inherited []patch) {
	shared := p.sharesMemory(child)
	p.cleanChild(child, inherited, shared)
	if shared {
		p.shareMemory(child)
	}
	_ = p.tracer.Detach(child, 0) // fails if the child was killed
}

// shareMemory removes the int3 instructions as long as a child shares the memory.
func (p *Process) shareMemory(child int) {
	p.sharers = append(p.sharers, child)
	for _, l := range p.locations {
		if err := p.removeInt3(l); err != nil {
			p.log.Warn("cannot remove a breakpoint from a child", "err", err)
		}
	}
}

// cleanChild removes patches from a child's memory and restores its handler of
// SIGTRAP. If this program is killed meanwhile, an int3 that is still there needs the
// handler, and the handler needs the rescue code.
func (p *Process) cleanChild(child int, inherited []patch, shared bool) {
	if len(inherited) == 0 && p.trapHandler == nil && p.rescue == 0 {
		return
	}
	m, err := ptrace.OpenMemory(child)
	if err != nil {
		return // the child was killed
	}
	defer func() { _ = m.Close() }()
	for _, x := range inherited {
		err = errors.Join(err, restoreByte(m, x.address, x.original))
	}
	if p.trapHandler != nil {
		err = errors.Join(err, p.restoreTrapHandlerOf(child, m))
	}
	if !shared {
		err = errors.Join(err, p.removeRescue(m))
	}
	if err != nil && !errors.Is(err, ptrace.ErrGone) {
		p.log.Warn("cannot remove all breakpoints from a child", "child", child, "err", err)
	}
}

// kcmpVM is KCMP_VM of kcmp(2).
const kcmpVM = 1

// sharesMemory reports whether a child shares the memory of the process. It
// returns false if kcmp(2) fails, because most programs use fork.
func (p *Process) sharesMemory(child int) bool {
	same, _, e := unix.Syscall6(unix.SYS_KCMP, uintptr(p.pid), uintptr(child), kcmpVM, 0, 0, 0)
	return e == 0 && same == 0
}

// forgetSharers drops the children that have their own memory by now. After the
// last of them it inserts the int3 instructions again.
func (p *Process) forgetSharers() {
	if len(p.sharers) == 0 {
		return
	}
	p.sharers = slices.DeleteFunc(p.sharers, func(child int) bool { return !p.sharesMemory(child) })
	if len(p.sharers) > 0 || !p.armed {
		return
	}
	for _, l := range p.locations {
		if l.hardware() {
			continue
		}
		if err := p.insertInt3(l); err != nil {
			p.log.Warn("cannot insert a breakpoint again", "err", err)
		}
	}
}
