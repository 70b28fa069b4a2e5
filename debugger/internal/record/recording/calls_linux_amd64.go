package recording

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/syscalls"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
	"github.com/triptych-mcp/triptych/debugger/internal/record/replay"
)

// refused lists the system calls that fail with ENOSYS, because after them the kernel
// would write to memory at any time. Programs can do without them.
var refused = map[uint64]bool{
	unix.SYS_RSEQ: true, unix.SYS_IO_SETUP: true, unix.SYS_IO_URING_SETUP: true, unix.SYS_USERFAULTFD: true,
}

// shadowStack reports whether a system call asks for a shadow stack. Translated code leaves no
// return addresses on one, so it is answered as by a processor that has none (Linux,
// Documentation/arch/x86/shstk.rst).
func shadowStack(g *ptrace.Regs) bool {
	const enable = 0x5001 // ARCH_SHSTK_ENABLE
	return g.RAX == unix.SYS_ARCH_PRCTL && g.RDI == enable || g.RAX == unix.SYS_MAP_SHADOW_STACK
}

// unrecordable lists the system calls that end a recording, with the reason.
var unrecordable = map[uint64]string{
	unix.SYS_SHMAT:            "the program maps System V shared memory",
	unix.SYS_REMAP_FILE_PAGES: "the program maps a file by remap_file_pages",
	unix.SYS_SECCOMP:          "the program restricts its system calls by seccomp",
	unix.SYS_MODIFY_LDT:       "the program changes its segments",
	unix.SYS_PTRACE:           "the program traces others",
}

// call records a system call.
func (r *recorder) call() (inplace.Stop, error) {
	if r.late.before() {
		return inplace.Stop{Kind: inplace.Done}, nil
	}
	g := r.run.Regs
	e := r.log.event(recfile.Call)
	e.Number = g.RAX
	if refused[g.RAX] {
		failed := unix.ENOSYS
		result := -uint64(failed)
		if r.live != nil && r.live.addArea(r.run.Thread(), &g) {
			result = 0
		}
		r.run.Skip(result)
		return inplace.Stop{Kind: inplace.Done}, r.log.add(&e, g)
	}
	if shadowStack(&g) {
		failed := unix.EOPNOTSUPP
		r.run.Skip(-uint64(failed))
		return inplace.Stop{Kind: inplace.Done}, r.log.add(&e, g)
	}
	if err := r.mappings.check(&g); err != nil {
		return inplace.Stop{}, err
	}
	if r.stretch != nil && (g.RAX == unix.SYS_EXIT_GROUP || g.RAX == unix.SYS_EXIT && len(r.run.Threads()) == 1) {
		return inplace.Stop{}, &stretchEnd{StretchEnd{Why: EndExit}}
	}
	if g.RAX == unix.SYS_EXIT && len(r.run.Threads()) > 1 {
		return r.endThread(&e)
	}
	c := &call{event: e, regs: g}
	if result, ok := r.adjuster.returnsEarly(&g); ok {
		r.run.Skip(result)
		return inplace.Stop{Kind: inplace.Done}, r.log.add(&e, g)
	}
	if stop, err := r.futexes.call(c); stop.Kind != 0 || err != nil {
		return stop, err
	}
	c.effect = r.effects.of(&g)
	if err := r.effects.prepare(c); err != nil {
		return inplace.Stop{}, err
	}
	return r.execute(c)
}

// A call is a system call that is being made.
type call struct {
	event   recfile.Event // without its result
	regs    ptrace.Regs
	effect  syscalls.Effect
	file    *sharedFile // that it changes and the program has mapped, or nil
	altered bool        // it is made with other values of rdi, rdx or r10
	all     *snapshot   // of the memory before it was begun last, if the effect is unknown

	changed   []recfile.Write // what the kernel changes when it is interrupted: as it was before the call was begun last
	meanwhile []recfile.Write // the time that is left in memory, see timeoutAt, while the call is withdrawn
	began     time.Time       // when it was first found to wait, or zero

	parked time.Time // when its thread was parked, or zero; see maxParked
	woken  bool      // it was parked, and returns 0 next
	wakes  uint64    // parked threads that it has woken
}

// mayWrite reports whether the kernel may write memory during the call.
func (c *call) mayWrite() bool { return c.effect.Unknown || len(c.effect.Writes) > 0 }

// execute makes a system call, and records it if it has returned. MADV_FREE is made
// MADV_DONTNEED, because it is not known when the kernel frees the memory.
func (r *recorder) execute(c *call) (inplace.Stop, error) {
	g := &c.regs
	if g.RAX == unix.SYS_MADVISE && g.RDX == unix.MADV_FREE {
		r.run.Regs.RDX, c.altered = unix.MADV_DONTNEED, true
	}
	if c.effect.Unknown && !r.run.Inside() {
		var err error
		if c.all, err = r.effects.snapshot(); err != nil {
			return inplace.Stop{}, err
		}
	}
	run := r.run.Start
	if c.effect.Unknown && forks[g.RAX] || c.file != nil || len(r.log.threads) == 1 && !r.stoppable {
		run = r.run.Execute
	}
	stop, err := r.adjuster.begin(c, run)
	if stop.Kind == inplace.Blocked {
		if r.log.current.call = c; c.began.IsZero() {
			c.began = time.Now()
		}
		return stop, err
	}
	r.log.current.call = nil
	if c.altered && stop.Kind != inplace.Exited {
		r.run.Regs.RDI, r.run.Regs.RDX, r.run.Regs.R10 = g.RDI, g.RDX, g.R10
	}
	if result := int64(r.run.Regs.RAX); c.wakes > 0 && stop.Kind == inplace.Done && result >= 0 {
		r.run.Regs.RAX += c.wakes
	}
	if err != nil || stop.Kind != inplace.Done {
		return stop, err
	}
	if err := r.log.show(r.log.position() - 1); err != nil {
		return inplace.Stop{}, err
	}
	c.event.Position = r.log.position() - 1
	return stop, r.finish(c)
}

// forks lists the system calls in which a child of vfork changes the memory of the program.
// No other thread may run meanwhile.
var forks = map[uint64]bool{unix.SYS_VFORK: true, unix.SYS_CLONE: true, unix.SYS_CLONE3: true}

// finish records a system call that has returned.
func (r *recorder) finish(c *call) (err error) {
	e, g := &c.event, &c.regs
	if err = r.adjuster.advanceClock(g); err != nil {
		return err
	}
	if !r.mappings.replaced(g) {
		if e.Writes, err = r.effects.written(g, c.effect.Writes); err != nil {
			return err
		}
	}
	if c.all != nil {
		if e.Writes, err = r.effects.differences(c.all, c.effect.Name, g.RAX); err != nil {
			return err
		}
	}
	if c.effect.Vector {
		if e.Vector, err = replay.VectorState(r.tracer, r.run.Thread()); err != nil {
			return err
		}
	}
	if err := r.mappings.remap(e, g); err != nil {
		return err
	}
	if err := r.started(c); err != nil {
		return err
	}
	if c.file != nil {
		contents, err := r.mappings.shared.contents(c.file, g)
		if err != nil {
			return err
		}
		e.Writes = append(e.Writes, contents...)
	}
	if err := r.mappings.shared.readReports(c.file); err != nil {
		return err
	}
	if err := r.mappings.shared.noteDescriptors(g); err != nil {
		return err
	}
	r.opened.note(g, r.run.Regs.RAX)
	if err := r.opened.hideCache(); err != nil {
		return err
	}
	switch g.RAX {
	case unix.SYS_SCHED_YIELD:
		r.turns.end, r.turns.slack = 0, 0
	case unix.SYS_FUTEX:
		r.log.current.handled = false
		r.turns.cut()
	default:
		if r.turns.scheduler.chaos != nil {
			r.turns.cut()
			r.late.noteSending(g)
		}
	}
	return r.log.add(e, *g)
}

// exec records that the process executes another program.
func (r *recorder) exec() (inplace.Stop, error) {
	r.log.base, r.log.extra = r.log.position(), 0
	if err := r.run.Close(); err != nil {
		return inplace.Stop{}, err
	}
	r.use(nil)
	if r.live != nil {
		r.live.forget()
	}
	if _, err := r.tracer.ToEventStop(r.pid, func(ptrace.Event) {}); err != nil {
		return inplace.Stop{}, err
	}
	if r.stretch != nil {
		return inplace.Stop{}, &stretchEnd{StretchEnd{Why: EndExec}}
	}
	return inplace.Stop{Kind: inplace.Done}, r.begin(unix.SYS_EXECVE)
}
