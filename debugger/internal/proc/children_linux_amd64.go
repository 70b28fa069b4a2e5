package proc

import (
	"errors"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
)

// A patch is a byte that is behind an int3 instruction.
type patch struct {
	address  uint64
	original byte
}

// patches returns the patches that are in memory now, which a child that is
// created now has too.
func (p *Process) patches() []patch {
	var all []patch
	for _, l := range p.locations {
		if l.in {
			all = append(all, patch{l.address, l.original})
		}
	}
	return all
}

// release lets a child go, after it has got back what the process had of ours
// when it was born. A child that shares the memory, as after vfork, would die
// of int3 instructions: they stay out until it has a memory of its own.
func (p *Process) release(child int, born []patch) {
	shared := p.shares(child)
	if len(born) > 0 || p.trapHandler != nil || p.rescue != 0 {
		p.clean(child, born, shared)
	}
	if shared {
		p.sharers = append(p.sharers, child)
		for _, l := range p.locations {
			if err := p.takeOut(l); err != nil {
				p.log.Warn("a breakpoint cannot be taken out of a child", "err", err)
			}
		}
	}
	_ = p.tracer.Detach(child, 0) // one that was killed is gone
}

// clean takes patches out of a child's memory, and gives it the handler of
// SIGTRAP back.
func (p *Process) clean(child int, born []patch, shared bool) {
	m, err := ptrace.OpenMemory(child)
	if err != nil {
		return // it was killed
	}
	defer func() { _ = m.Close() }()
	if p.trapHandler != nil {
		err = p.restoreTrapHandlerOf(child, m)
	}
	if !shared {
		err = errors.Join(err, p.removeRescue(m))
	}
	for _, x := range born {
		err = errors.Join(err, restoreByte(m, x.address, x.original))
	}
	if err != nil && !errors.Is(err, ptrace.ErrGone) {
		p.log.Warn("a child keeps something of a breakpoint", "child", child, "err", err)
	}
}

// kcmpVM is KCMP_VM of kcmp(2).
const kcmpVM = 1

// shares reports whether a child uses the process's own memory. If the kernel
// does not say, the answer is false: most programs use fork.
func (p *Process) shares(child int) bool {
	same, _, e := unix.Syscall6(unix.SYS_KCMP, uintptr(p.pid), uintptr(child), kcmpVM, 0, 0, 0)
	return e == 0 && same == 0
}

// forgetSharers drops the children that have a memory of their own now, and
// with the last of them puts the int3 instructions back in.
func (p *Process) forgetSharers() {
	if len(p.sharers) == 0 {
		return
	}
	p.sharers = slices.DeleteFunc(p.sharers, func(child int) bool { return !p.shares(child) })
	if len(p.sharers) > 0 || !p.armed {
		return
	}
	for _, l := range p.locations {
		if l.hardware() {
			continue
		}
		if err := p.putIn(l); err != nil {
			p.log.Warn("a breakpoint cannot be put back in", "err", err)
		}
	}
}
