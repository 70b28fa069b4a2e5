package recording

import (
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/inplace"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel"
	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
)

// refused lists the system calls that fail with ENOSYS, because after them the kernel
// would write to memory at any time. Programs can do without them.
var refused = map[uint64]bool{
	unix.SYS_RSEQ: true, unix.SYS_IO_SETUP: true, unix.SYS_IO_URING_SETUP: true, unix.SYS_USERFAULTFD: true,
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
	g := r.run.Regs
	e := r.event(Call)
	e.Number = g.RAX
	if refused[g.RAX] {
		failed := unix.ENOSYS
		r.run.Skip(-uint64(failed))
		return inplace.Stop{Kind: inplace.Done}, r.add(&e, g)
	}
	if err := r.check(&g); err != nil {
		return inplace.Stop{}, err
	}
	if r.stretch != nil && (g.RAX == unix.SYS_EXIT_GROUP || g.RAX == unix.SYS_EXIT && len(r.run.Threads()) == 1) {
		return inplace.Stop{}, &stretchEnd{StretchEnd{Why: EndExit}}
	}
	if g.RAX == unix.SYS_EXIT && len(r.run.Threads()) > 1 {
		return r.endThread(&e)
	}
	c := &call{event: e, regs: g}
	if stop, err := r.futex(c); stop.Kind != 0 || err != nil {
		return stop, err
	}
	c.effect = r.effect(&g)
	if err := r.prepare(c); err != nil {
		return inplace.Stop{}, err
	}
	return r.execute(c)
}

// A call is a system call that is being made.
type call struct {
	event   Event // without its result
	regs    ptrace.Regs
	effect  kernel.Effect
	altered bool      // it is made with other values of rdx or r10
	all     *snapshot // of the memory before it was begun last, if the effect is unknown

	changed   []Write   // what the kernel changes when it is interrupted: as it was before the call
	meanwhile []Write   // and as the kernel has left it, while the call is withdrawn
	began     time.Time // when it was first found to wait, or zero

	parked time.Time // when its thread was parked, or zero; see maxParked
	woken  bool      // it was parked, and returns 0 next
	wakes  uint64    // parked threads that it has woken
}

// mayWrite reports whether the kernel may write memory during the call.
func (c *call) mayWrite() bool { return c.effect.Unknown || len(c.effect.Writes) > 0 }

// prepare copies the memory that must be known as it was before a call.
func (r *recorder) prepare(c *call) (err error) {
	if interruptible[c.regs.RAX] && len(r.threads) > 1 {
		c.changed, err = r.written(&c.regs, c.effect.Writes)
	}
	return err
}

// execute makes a system call, and records it if it has returned. MADV_FREE is made
// MADV_DONTNEED, because it is not known when the kernel frees the memory.
func (r *recorder) execute(c *call) (inplace.Stop, error) {
	g := &c.regs
	if g.RAX == unix.SYS_MADVISE && g.RDX == unix.MADV_FREE {
		r.run.Regs.RDX, c.altered = unix.MADV_DONTNEED, true
	}
	if c.effect.Unknown && !r.run.Inside() {
		var err error
		if c.all, err = r.snapshot(); err != nil {
			return inplace.Stop{}, err
		}
	}
	run := r.run.Start
	if c.effect.Unknown && forks[g.RAX] || len(r.threads) == 1 && !r.stoppable {
		run = r.run.Execute
	}
	stop, err := r.beginAgain(c, run)
	if stop.Kind == inplace.Blocked {
		if r.thread.call = c; c.began.IsZero() {
			c.began = time.Now()
		}
		return stop, err
	}
	r.thread.call = nil
	if c.altered && stop.Kind != inplace.Exited {
		r.run.Regs.RDX, r.run.Regs.R10 = g.RDX, g.R10
	}
	if result := int64(r.run.Regs.RAX); c.wakes > 0 && stop.Kind == inplace.Done && result >= 0 {
		r.run.Regs.RAX += c.wakes
	}
	if err != nil || stop.Kind != inplace.Done {
		return stop, err
	}
	if err := r.show(r.position() - 1); err != nil {
		return inplace.Stop{}, err
	}
	c.event.Position = r.position() - 1
	return stop, r.finish(c)
}

// forks lists the system calls in which a child of vfork changes the memory of the program.
// No other thread may run meanwhile.
var forks = map[uint64]bool{unix.SYS_VFORK: true, unix.SYS_CLONE: true, unix.SYS_CLONE3: true}

// finish records a system call that has returned.
func (r *recorder) finish(c *call) (err error) {
	e, g := &c.event, &c.regs
	if e.Writes, err = r.written(g, c.effect.Writes); err != nil {
		return err
	}
	if c.all != nil {
		if e.Writes, err = r.differences(c.all, c.effect.Name, g.RAX); err != nil {
			return err
		}
	}
	if c.effect.Vector {
		if e.Vector, err = vectorState(r.tracer, r.run.Thread()); err != nil {
			return err
		}
	}
	if err := r.remap(e, g); err != nil {
		return err
	}
	if err := r.started(c); err != nil {
		return err
	}
	if g.RAX == unix.SYS_SCHED_YIELD {
		r.sliceEnd = 0
	}
	return r.add(e, *g)
}

// check returns why a system call cannot be recorded, as a cutError.
func (r *recorder) check(g *ptrace.Regs) error {
	if reason, ok := unrecordable[g.RAX]; ok {
		return cutError(reason)
	}
	switch g.RAX {
	case unix.SYS_PRCTL:
		const dispatch = 59 // PR_SET_SYSCALL_USER_DISPATCH
		if g.RDI == unix.PR_SET_SECCOMP || g.RDI == dispatch {
			return cutError("the program restricts its system calls by prctl")
		}
	case unix.SYS_MMAP:
		if g.R10&unix.MAP_SHARED != 0 && g.R10&unix.MAP_ANONYMOUS == 0 && g.RDX&unix.PROT_WRITE != 0 {
			return cutError("the program maps a file that others may write, and may write it itself")
		}
	case unix.SYS_CLONE, unix.SYS_CLONE3, unix.SYS_FORK, unix.SYS_VFORK:
		if flags, _ := r.cloneFlags(g); r.shared && flags&unix.CLONE_THREAD == 0 {
			return cutError("the program would share memory with a child")
		}
	}
	return nil
}

// effect returns what a system call will write.
func (r *recorder) effect(g *ptrace.Regs) kernel.Effect {
	call := kernel.Call{Number: g.RAX, Args: [6]uint64{g.RDI, g.RSI, g.RDX, g.R10, g.R8, g.R9}}
	return kernel.Of(call, func(addr uint64, b []byte) bool {
		_, err := r.run.Memory().Read(addr, b)
		return err == nil
	})
}

// exec records that the process executes another program.
func (r *recorder) exec() (inplace.Stop, error) {
	r.base, r.extra = r.position(), 0
	if err := r.run.Close(); err != nil {
		return inplace.Stop{}, err
	}
	if r.run = nil; r.live != nil {
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

// remap records how a system call that has returned changed the mappings.
func (r *recorder) remap(e *Event, g *ptrace.Regs) error {
	result := r.run.Regs.RAX
	if int64(result) < 0 && int64(result) > -4096 {
		return nil
	}
	m := Mapping{Start: g.RDI, Length: (g.RSI + pageSize - 1) &^ (pageSize - 1), Protection: uint32(g.RDX & 7), File: -1}
	switch g.RAX {
	case unix.SYS_MMAP:
		m.Start = result
		return r.mapped(e, g, m)
	case unix.SYS_MUNMAP:
		m.Protection = 0
		e.Remap = Remap{Kind: Unmap, Mapping: m}
		e.Writes = nil
	case unix.SYS_MPROTECT, unix.SYS_PKEY_MPROTECT:
		if g.RDX&(unix.PROT_GROWSDOWN|unix.PROT_GROWSUP) != 0 {
			return cutError("the program protects memory that grows")
		}
		e.Remap = Remap{Kind: Protect, Mapping: m}
	case unix.SYS_MREMAP:
		if g.R10&unix.MREMAP_DONTUNMAP != 0 || g.RSI == 0 {
			return cutError("the program maps memory twice")
		}
		m.Protection = 0
		e.Remap = Remap{Kind: Move, Mapping: m, To: result, ToLen: (g.RDX + pageSize - 1) &^ (pageSize - 1)}
		e.Writes = nil
	case unix.SYS_MADVISE:
		if e.Writes = nil; g.RDX == unix.MADV_DONTNEED || g.RDX == unix.MADV_FREE || g.RDX == 24 { // MADV_DONTNEED_LOCKED
			m.Protection = 0
			e.Remap = Remap{Kind: Discard, Mapping: m}
		}
	case unix.SYS_BRK:
		r.moveBreak(e, result)
	}
	return nil
}

// mapped records a new mapping.
func (r *recorder) mapped(e *Event, g *ptrace.Regs, m Mapping) error {
	e.Writes = nil
	if g.R10&unix.MAP_ANONYMOUS != 0 {
		r.shared = r.shared || g.R10&unix.MAP_SHARED != 0
		e.Remap = Remap{Kind: Map, Mapping: m}
		return nil
	}
	direct := fmt.Sprintf("/proc/%d/fd/%d", r.run.Thread(), int32(g.R8))
	path, err := os.Readlink(direct)
	if err != nil {
		return err
	}
	if m.Name = path; strings.HasPrefix(path, "/") {
		m.File = r.files.add(path, direct)
	}
	if m.File >= 0 && g.R10&unix.MAP_SHARED == 0 {
		m.Offset = g.R9
		e.Remap = Remap{Kind: Map, Mapping: m}
		return nil
	}
	m.File = -1
	e.Remap = Remap{Kind: Map, Mapping: m}
	const most = 1 << 28
	if m.Length > most {
		return cutError("the program maps a large file that a replay may not find: " + path)
	}
	b := make([]byte, m.Length)
	n, _ := r.run.Memory().Read(m.Start, b) // up to the end of the file
	e.Writes = appendPages(nil, m.Start, append(b[:n], make([]byte, len(b)-n)...), nil)
	return nil
}

// moveBreak records the move of the end of the heap.
func (r *recorder) moveBreak(e *Event, end uint64) {
	e.Writes = nil
	from, to := pageUp(r.heap), pageUp(end)
	r.heap = end
	m := Mapping{File: -1, Name: "[heap]"}
	switch {
	case to > from:
		m.Start, m.Length, m.Protection = from, to-from, unix.PROT_READ|unix.PROT_WRITE
		e.Remap = Remap{Kind: Map, Mapping: m}
	case to < from:
		m.Start, m.Length = to, from-to
		e.Remap = Remap{Kind: Unmap, Mapping: m}
	}
}

func pageUp(n uint64) uint64 { return (n + pageSize - 1) &^ (pageSize - 1) }
