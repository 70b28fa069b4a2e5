package inplace

import "github.com/triptych-mcp/triptych/debugger/internal/ptrace"

// Emulate does as if the instruction at which the thread has stopped had been executed
// and had led to the given registers. It counts as an instruction.
func (r *Runner) Emulate(after ptrace.Regs) {
	r.executed++
	r.Replace(after)
}

// Replace replaces the registers, as Regs does, and forgets what the kernel is about to
// do when the thread continues.
func (r *Runner) Replace(regs ptrace.Regs) {
	r.Regs = regs
	r.Regs.OrigRAX = ptrace.NoSyscall
	r.indirect, r.restart = false, false
	r.clearDeadFlags()
}

// Inject makes the thread execute a system call that is not the program's. It must be
// called between stops, and not at one of kind [Signal].
func (r *Runner) Inject(number uint64, args ...uint64) (uint64, error) {
	if err := r.toEventStop(); err != nil {
		return 0, err
	}
	return r.inject(number, args...)
}

// Changed forgets what is known of a range of memory, whose mappings were changed by
// Inject.
func (r *Runner) Changed(start, length uint64) { r.changed(r.code.copied(start, length)) }
