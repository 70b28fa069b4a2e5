package proc

import (
	"slices"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/ptrace"
)

// release lets a child go. The int3 instructions that it has in its copy of
// the code are taken out first. A child that shares the memory, as after
// vfork, would die of them: they stay out until it has a memory of its own.
func (p *Process) release(child int) {
	shared := p.shares(child)
	p.clean(child)
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

// clean takes the breakpoints out of a child's memory, and gives it the handler
// of SIGTRAP back.
func (p *Process) clean(child int) {
	in := func(l *location) bool { return l.in }
	if p.shield == nil && !slices.ContainsFunc(p.locations, in) {
		return
	}
	m, err := ptrace.OpenMemory(child)
	if err != nil {
		return // it was killed
	}
	defer func() { _ = m.Close() }()
	if p.shield != nil {
		if err := p.unshield(child, m); err != nil {
			p.log.Warn("the handler of SIGTRAP cannot be put back in a child", "err", err)
		}
	}
	for _, l := range p.locations {
		if !l.in {
			continue
		}
		if err := restoreByte(m, l.address, l.original); err != nil {
			p.log.Warn("a breakpoint cannot be taken out of a child", "err", err)
		}
	}
}

// kcmpVM is KCMP_VM of kcmp(2).
const kcmpVM = 1

// shares says whether a child uses the process's own memory. When the kernel
// does not tell, it does not: fork is what almost everybody does.
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
