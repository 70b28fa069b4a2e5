package inplace

import (
	"fmt"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// Emulate does as if the instruction at which the thread has stopped had been executed
// and had led to the given registers. It counts as an instruction.
func (r *Runner) Emulate(after ptrace.Regs) {
	r.translated.executed++
	r.Replace(after)
}

// Replace replaces the registers, as Regs does, and forgets what the kernel is about to
// do when the thread continues.
func (r *Runner) Replace(regs ptrace.Regs) {
	r.Regs = regs
	r.Regs.OrigRAX = ptrace.NoSyscall
	r.indirect, r.restart = false, false
	r.ClearDeadFlags()
}

// Inject makes the thread execute a system call that is not the program's. It must be
// called between stops, and not at one of kind [Signal].
func (r *Runner) Inject(number uint64, args ...uint64) (uint64, error) {
	if err := r.toEventStop(); err != nil {
		return 0, err
	}
	return r.space.inject(number, args...)
}

// Reserved reports whether a range of memory has a part of the code cache, or of what the
// kernel has mapped for every process. What is not the program's must not change there.
func (r *Runner) Reserved(start, length uint64) bool {
	length = max(length, 1) // mremap(2) copies mappings of which it moves nothing
	overlaps := func(m ptrace.Range) bool { return m.Start < start+length && start < m.End }
	return slices.ContainsFunc(r.space.kernel, overlaps) || r.Owns(start, length)
}

// Owns reports whether a range of memory has a part of the code cache.
func (r *Runner) Owns(start, length uint64) bool {
	return slices.ContainsFunc(r.space.shared.mapped, func(m mapping) bool { return m.Start < start+length && start < m.End })
}

// Write writes the program's memory, whatever its protection. Code in it is translated
// again.
func (r *Runner) Write(addr uint64, b []byte) error {
	if r.Reserved(addr, uint64(len(b))) {
		return fmt.Errorf("the %d bytes at %#x are not the program's", len(b), addr)
	}
	if r.space.code.copied(addr, uint64(len(b))) {
		r.Forget()
	}
	_, err := r.memory.Write(addr, b)
	return err
}

// Changed forgets what is known of a range of memory, whose mappings were changed by
// Inject.
func (r *Runner) Changed(start, length uint64) { r.calls.changed(r.space.code.copied(start, length)) }
