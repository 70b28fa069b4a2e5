package replay

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/xsave"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

// A builder makes a process the one of a recorded program. The process is this program,
// stopped before its first instruction, of which only the vdso stays.
type builder struct {
	tracer *ptrace.Tracer
	pid    int
	gone   bool   // the process has ended, and its end was reported
	site   uint64 // address of a syscall instruction
	memory *ptrace.Memory
	source *sources
}

// attempts limits the processes that are started until the vdso of one is not in the
// way. The first one has its vdso above all that the kernel maps at random addresses, further
// ones have it at such an address; so has the first one of a program that had no random
// addresses, which may come to map memory there.
const attempts = 10

// errInTheWay reports that the vdso has an address that the program had used.
var errInTheWay = errors.New("the kernel's own mappings are in the way")

// restore starts a process in the state of an event of kind Image.
func restore(tracer *ptrace.Tracer, e *recfile.Event, source *sources) (*inplace.Runner, error) {
	var last error
	for n := range attempts {
		r, err := restoreOnce(tracer, e, source, n > 0 || hasFixedAddresses(e.Mappings))
		if !errors.Is(err, errInTheWay) {
			return r, err
		}
		last = err
	}
	return nil, last
}

// hasFixedAddresses reports whether a program has no random addresses: its stack ends where that
// of such a program does (STACK_TOP in arch/x86/include/asm/processor.h). A random one ends there
// once in millions of times.
func hasFixedAddresses(mappings []recfile.Mapping) bool {
	const top = 1<<47 - 4096
	return slices.ContainsFunc(mappings, func(m recfile.Mapping) bool { return m.Start+m.Length == top })
}

func restoreOnce(tracer *ptrace.Tracer, e *recfile.Event, source *sources, random bool) (*inplace.Runner, error) {
	pid, err := startEmpty(tracer, random)
	if err != nil {
		return nil, err
	}
	memory, err := ptrace.OpenMemory(pid)
	if err != nil {
		return nil, errors.Join(err, end(pid))
	}
	b := &builder{tracer: tracer, pid: pid, memory: memory, source: source}
	r, err := b.build(e)
	if err = errors.Join(err, memory.Close()); b.gone {
		return nil, err
	} else if err != nil {
		return nil, errors.Join(err, end(pid))
	}
	return r, nil
}

// startEmpty starts this program, stopped before its first instruction, with mappings of the
// kernel at random addresses or not.
func startEmpty(tracer *ptrace.Tracer, random bool) (int, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer func() { _ = null.Close() }()
	attr := &syscall.ProcAttr{
		Files: []uintptr{null.Fd(), null.Fd(), null.Fd()}, Env: []string{},
		Sys: &syscall.SysProcAttr{Setsid: true}, // signals of the terminal are not for it
	}
	if !random {
		defer WithoutRandomAddresses()()
	}
	return tracer.Launch("/proc/self/exe", []string{"replay"}, attr, ptrace.Options|ptrace.ExitKill)
}

// WithoutRandomAddresses makes this thread, which must be that of a tracer, start programs whose
// mappings have no random addresses, until restore is called. The kernel may refuse that.
func WithoutRandomAddresses() (restore func()) {
	const query, fixed = 0xffffffff, 0x0040000 // ADDR_NO_RANDOMIZE, personality(2)
	old, _, errno := unix.RawSyscall(unix.SYS_PERSONALITY, query, 0, 0)
	if errno != 0 {
		return func() {}
	}
	_, _, _ = unix.RawSyscall(unix.SYS_PERSONALITY, old|fixed, 0, 0)
	return func() { _, _, _ = unix.RawSyscall(unix.SYS_PERSONALITY, old, 0, 0) }
}

// end kills a process and waits for its end.
func end(pid int) error {
	if err := unix.Kill(pid, unix.SIGKILL); err != nil {
		return err
	}
	for {
		var status unix.WaitStatus
		_, err := unix.Wait4(pid, &status, unix.WALL, nil)
		if err != nil && !errors.Is(err, unix.EINTR) || status.Exited() || status.Signaled() {
			return err
		}
	}
}

func (b *builder) build(e *recfile.Event) (*inplace.Runner, error) {
	if err := b.clear(e.Mappings); err != nil {
		return nil, err
	}
	for _, m := range e.Mappings {
		if err := b.add(m); err != nil {
			return nil, fmt.Errorf("map %s at %#x again: %w", m.Name, m.Start, err)
		}
	}
	for _, w := range e.Writes {
		if !within(w, e.Mappings) {
			return nil, fmt.Errorf("the contents at %#x are of no mapping", w.Address)
		}
		if _, err := b.memory.Write(w.Address, w.Data); err != nil {
			return nil, err
		}
	}
	var regs ptrace.Regs
	if err := b.tracer.Regs(b.pid, &regs); err != nil {
		return nil, err
	}
	recfile.SetRegisters(&regs, recordedRegisters(e))
	if err := b.tracer.SetRegs(b.pid, &regs); err != nil {
		return nil, err
	}
	if err := errors.Join(setVectorState(b.tracer, b.pid, e.Vector), limitTime(b.pid, maxReplaySeconds)); err != nil {
		return nil, err
	}
	r, err := inplace.New(b.tracer, b.pid)
	if err == nil {
		r.Replays = true
	}
	return r, err
}

// within reports whether a write is in one of the mappings.
func within(w recfile.Write, mappings []recfile.Mapping) bool {
	for _, m := range mappings {
		if m.Start <= w.Address && w.Address+uint64(len(w.Data)) <= m.Start+m.Length {
			return true
		}
	}
	return false
}

// recordedRegisters returns the registers of an event of kind Image: those that are not
// listed are 0.
func recordedRegisters(e *recfile.Event) []recfile.Register {
	var all ptrace.Regs
	recfile.SetRegisters(&all, e.Registers)
	var list []recfile.Register
	for n, value := range all.Words() {
		if n != recfile.OrigRAX {
			list = append(list, recfile.Register{Number: uint8(n), Value: value})
		}
	}
	return list
}

// setVectorState sets the vector state of a thread, which may be that of another processor.
func setVectorState(tracer *ptrace.Tracer, tid int, state []byte) error {
	state, err := xsave.Own(state)
	if err == nil {
		err = tracer.SetXState(tid, state)
	}
	return err
}

// clear unmaps what the process has, except what the kernel gives every process.
func (b *builder) clear(wanted []recfile.Mapping) error {
	maps, err := procfs.ReadMaps(b.pid)
	if err != nil {
		return err
	}
	for _, m := range maps {
		if strings.HasPrefix(m.Path, "[v") && b.taken(m.Start, m.End, wanted) {
			return errInTheWay
		}
	}
	if b.site, err = inplace.SyscallSite(b.pid); err != nil {
		return err
	}
	for _, m := range maps {
		if !strings.HasPrefix(m.Path, "[v") {
			if _, err := b.inject(unix.SYS_MUNMAP, m.Start, m.End-m.Start); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *builder) taken(start, end uint64, wanted []recfile.Mapping) bool {
	for _, m := range wanted {
		if m.Start < end && start < m.Start+m.Length {
			return true
		}
	}
	return false
}

func (b *builder) inject(number uint64, args ...uint64) (uint64, error) {
	var all [6]uint64
	copy(all[:], args)
	return b.tracer.Inject(b.pid, b.site, number, all, func(e ptrace.Event) { b.gone = b.gone || e.Thread == b.pid && e.Gone() })
}

// add maps memory where nothing is.
func (b *builder) add(m recfile.Mapping) error {
	return b.source.mapInto(b.pid, b.inject, b.memory, m, unix.MAP_FIXED_NOREPLACE)
}

// An injector makes a process execute a system call.
type injector func(number uint64, args ...uint64) (uint64, error)

// mapInto maps memory into a process. The flag says how its address is fixed.
func (s *sources) mapInto(pid int, inject injector, memory *ptrace.Memory, m recfile.Mapping, fixed uint64) error {
	fd, flags := ^uint64(0), uint64(unix.MAP_PRIVATE|unix.MAP_NORESERVE)|fixed
	if m.File < 0 {
		flags |= unix.MAP_ANONYMOUS
	} else {
		var err error
		if fd, err = s.openInto(inject, memory, m.File); err != nil {
			return err
		}
		defer func() { _, _ = inject(unix.SYS_CLOSE, fd) }() // the end of the process closes it, too
	}
	at, err := inject(unix.SYS_MMAP, m.Start, m.Length, uint64(m.Protection), flags, fd, m.Offset)
	if err == nil && at != m.Start {
		err = fmt.Errorf("it is at %#x", at)
	}
	return err
}

// openInto makes the process open a file of the recording, and returns its descriptor. Its path
// is in a mapping meanwhile.
func (s *sources) openInto(inject injector, memory *ptrace.Memory, n int) (uint64, error) {
	f, err := s.open(n)
	if err != nil {
		return 0, err
	}
	path := fmt.Sprintf("/proc/%d/fd/%d\x00", os.Getpid(), f.Fd())
	scratch, err := inject(unix.SYS_MMAP, 0, pageSize, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANONYMOUS, ^uint64(0), 0)
	if err != nil {
		return 0, err
	}
	fd := uint64(0)
	if _, err = memory.Write(scratch, []byte(path)); err == nil {
		fd, err = inject(unix.SYS_OPEN, scratch, unix.O_RDONLY|unix.O_CLOEXEC)
	}
	_, unmapped := inject(unix.SYS_MUNMAP, scratch, pageSize)
	return fd, errors.Join(err, unmapped)
}
