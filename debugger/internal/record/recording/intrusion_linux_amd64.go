package recording

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

// An intrusion lists the changes of a recording to a process that was started before: the
// code of its vdso, its rseq areas, and the processors of its threads.
type intrusion struct {
	tracer  *ptrace.Tracer
	pid     int
	threads []int // all of the process, in event stops
	memory  *ptrace.Memory
	inject  inplace.Injector
	other   func(ptrace.Event)

	vdso     []recfile.Write // code of the vdso as it was, where it jumps elsewhere now
	areas    map[int]ptrace.RseqArea
	affinity map[int]unix.CPUSet
	brk      uint64         // end of the heap
	cleared  map[int]uint64 // by thread: address of the id that the kernel clears at its end
	executed bool           // the process executes another program
	filtered bool           // it has the filter of CallBuffer.Use
	options  int            // of ptrace(2), as they are restored, or 0
}

// anyFilters is the argument of intrude for a process that may have the filter of
// CallBuffer.Use, and that is not traced with its events.
const anyFilters = -1

// intrudeLoan is intrude for a process that was lent.
func intrudeLoan(l *proc.Loan) (*intrusion, error) {
	return intrude(l.Tracer, l.PID, l.Threads, anyFilters, l.Inject, func(e ptrace.Event) { noteEnd(l, e) })
}

// intrude prepares a process for a recording. If it fails, nothing is changed. The process
// must have as many more filters for system calls than this one as the argument says.
func intrude(tracer *ptrace.Tracer, pid int, threads []int, filters int, inject inplace.Injector, other func(ptrace.Event)) (*intrusion, error) {
	memory, err := ptrace.OpenMemory(pid)
	if err != nil {
		return nil, err
	}
	i := &intrusion{
		tracer: tracer, pid: pid, threads: threads, memory: memory, inject: inject, other: other,
		areas: make(map[int]ptrace.RseqArea), affinity: make(map[int]unix.CPUSet), cleared: make(map[int]uint64),
	}
	if err := i.begin(filters); err != nil {
		return nil, errors.Join(err, i.undo(threads))
	}
	return i, nil
}

func (i *intrusion) begin(filters int) error {
	for _, tid := range i.threads {
		if err := i.repeatInterrupted(tid); err != nil {
			return err
		}
	}
	err := i.checkThreads()
	if err == nil && filters == anyFilters {
		filters, err = i.ownFilters()
	}
	if err == nil {
		err = i.checkFilters(filters)
	}
	if err != nil {
		return err
	}
	maps, err := procfs.ReadMaps(i.pid)
	if err != nil {
		return err
	}
	if err := checkShared(maps); err != nil {
		return err
	}
	if err := i.replaceVDSO(maps); err != nil {
		return err
	}
	for _, tid := range i.threads {
		if err := i.prepareThread(tid); err != nil {
			return fmt.Errorf("thread %d: %w", tid, err)
		}
	}
	i.brk, err = i.call(i.pid, unix.SYS_BRK)
	return err
}

// ownFilters returns how many filters the process has that an earlier recording has installed.
func (i *intrusion) ownFilters() (n int, err error) {
	if i.filtered, err = inplace.HasExitFilter(i.pid, i.inject); i.filtered {
		n = 1
	}
	return n, err
}

// traceFilter makes the tracer get the events of the filter, until undo.
func (i *intrusion) traceFilter(options int) {
	i.options = options
	for _, tid := range i.threads {
		_ = i.tracer.SetOptions(tid, options|ptrace.FilterEvents) // it may have been killed
	}
}

// checkFilters refuses a process that restricts its system calls by more or other filters,
// or that has a shadow stack, on which translated code leaves no return addresses.
func (i *intrusion) checkFilters(more int) error {
	theirs, err := procfs.ReadStatus("/proc/" + strconv.Itoa(i.pid) + "/status")
	if err != nil {
		return err
	}
	ours, err := procfs.ReadStatus("/proc/self/status")
	if err == nil && (more == 0 && theirs.Number("Seccomp") != ours.Number("Seccomp") || theirs.Number("Seccomp_filters") != ours.Number("Seccomp_filters")+more) {
		err = cutError("the program restricts its system calls by seccomp")
	}
	if theirs.ShadowStack() {
		err = cutError("the program has a shadow stack")
	}
	return err
}

// checkThreads refuses threads with 32-bit code.
func (i *intrusion) checkThreads() error {
	for _, tid := range i.threads {
		var regs ptrace.Regs
		if err := i.tracer.Regs(tid, &regs); err != nil {
			return err
		}
		if regs.CS != recfile.LongMode {
			return errMode
		}
	}
	return nil
}

// checkShared refuses memory that others may write: it is unknown who they are.
func checkShared(maps procfs.Maps) error {
	for _, m := range maps {
		if m.Shared && m.Write {
			return cutError(fmt.Sprintf("the program shares the memory of %s at %#x, which others may write", m.Path, m.Start))
		}
	}
	return nil
}

// call makes a thread execute a system call.
func (i *intrusion) call(tid int, number uint64, args ...uint64) (uint64, error) {
	var all [6]uint64
	copy(all[:], args)
	return i.inject(tid, number, all, nil)
}

// prepareThread prepares a thread.
func (i *intrusion) prepareThread(tid int) error {
	var set unix.CPUSet
	if unix.SchedGetaffinity(tid, &set) == nil {
		i.affinity[tid] = set
	}
	if err := i.removeArea(tid); err != nil {
		return err
	}
	return i.findCleared(tid)
}

const (
	rseqUnregister = 1  // RSEQ_FLAG_UNREGISTER
	rseqSize       = 32 // least size and alignment of an area
)

// removeArea removes the rseq area of a thread, which the kernel writes at any time. A
// thread inside of a critical section is moved to where the kernel would move it when it
// is preempted.
func (i *intrusion) removeArea(tid int) error {
	area, err := i.tracer.RseqArea(tid)
	if err != nil || area.Address == 0 {
		return err
	}
	if err := i.abortSection(tid, area); err != nil {
		return err
	}
	if _, err := i.call(tid, unix.SYS_RSEQ, area.Address, uint64(area.Size), rseqUnregister, uint64(area.Signature)); err != nil {
		return cutError(fmt.Sprintf("its rseq area cannot be removed: %v", err))
	}
	i.areas[tid] = area
	return nil
}

// addArea reports whether a system call is one of rseq(2) with which a thread adds its area. The
// kernel learns of it at the end of the recording. The C library ends the process if a thread,
// which may have been started just before the recording, cannot add an area but others could.
func (i *intrusion) addArea(tid int, call *ptrace.Regs) bool {
	area := ptrace.RseqArea{Address: call.RDI, Size: uint32(call.RSI), Signature: uint32(call.R10)}
	_, has := i.areas[tid]
	if call.RAX != unix.SYS_RSEQ || call.RDX != 0 || i.executed || has || area.Address == 0 || area.Address%rseqSize != 0 || area.Size < rseqSize {
		return false
	}
	i.areas[tid] = area
	return true
}

// abortSection leaves the critical section of a thread, see struct rseq_cs.
func (i *intrusion) abortSection(tid int, area ptrace.RseqArea) error {
	var pointer [8]byte
	if _, err := i.memory.Read(area.Address+8, pointer[:]); err != nil {
		return err
	}
	at := binary.LittleEndian.Uint64(pointer[:])
	if at == 0 {
		return nil
	}
	var section [32]byte
	if _, err := i.memory.Read(at, section[:]); err != nil {
		return err
	}
	start, length, abort := binary.LittleEndian.Uint64(section[8:]), binary.LittleEndian.Uint64(section[16:]), binary.LittleEndian.Uint64(section[24:])
	var regs ptrace.Regs
	if err := i.tracer.Regs(tid, &regs); err != nil || regs.RIP-start >= length {
		return err
	}
	regs.RIP, regs.OrigRAX = abort, ptrace.NoSyscall
	return i.tracer.SetRegs(tid, &regs)
}

// repeatInterrupted makes a thread begin a system call again that has failed because the
// thread was stopped.
func (i *intrusion) repeatInterrupted(tid int) error {
	var regs ptrace.Regs
	if err := i.tracer.Regs(tid, &regs); err != nil || !repeats(i.pid, tid, &regs) {
		return err
	}
	return i.tracer.SetRegs(tid, &regs)
}

// repeats reports whether a thread has failed to make a system call because it was stopped,
// and changes its registers so that it begins the call again.
func repeats(pid, tid int, regs *ptrace.Regs) bool {
	if !regs.InSyscall() || -int64(regs.RAX) != int64(unix.EINTR) || !repeatable[regs.OrigRAX] && !receives[regs.OrigRAX] {
		return false
	}
	status, err := procfs.ReadStatus(fmt.Sprintf("/proc/%d/task/%d/status", pid, tid))
	if err != nil || (status.Bits("SigPnd")|status.Bits("ShdPnd"))&^status.Bits("SigBlk") != 0 {
		return false // it is the signal that has ended the call, or the thread has ended
	}
	regs.RIP, regs.RAX, regs.OrigRAX = regs.RIP-2, regs.OrigRAX, ptrace.NoSyscall
	return true
}

// repeatable lists the system calls that fail when their thread is stopped, instead of
// being restarted by the kernel.
var repeatable = map[uint64]bool{
	unix.SYS_EPOLL_WAIT: true, unix.SYS_EPOLL_PWAIT: true, unix.SYS_EPOLL_PWAIT2: true, unix.SYS_RT_SIGTIMEDWAIT: true,
	unix.SYS_SEMOP: true, unix.SYS_SEMTIMEDOP: true, unix.SYS_MSGRCV: true, unix.SYS_MSGSND: true, unix.SYS_IO_GETEVENTS: true,
}

// getTIDAddress is PR_GET_TID_ADDRESS.
const getTIDAddress = 40

// findCleared finds the address of the id that the kernel clears at the end of a thread. The
// kernel writes the answer below the stack.
func (i *intrusion) findCleared(tid int) error {
	var regs ptrace.Regs
	if err := i.tracer.Regs(tid, &regs); err != nil {
		return err
	}
	const below = 256 // the red zone is nearer
	at := (regs.RSP - below) &^ 15
	var old, word [8]byte
	if _, err := i.memory.Read(at, old[:]); err != nil {
		return err
	}
	_, err := i.call(tid, unix.SYS_PRCTL, getTIDAddress, at)
	if errno := syscall.Errno(0); errors.As(err, &errno) {
		return cutError(fmt.Sprintf("the kernel does not say what it writes at the end of a thread (PR_GET_TID_ADDRESS: %v)", errno))
	}
	if err != nil {
		return err
	}
	_, err = i.memory.Read(at, word[:])
	_, restored := i.memory.Write(at, old[:])
	i.cleared[tid] = binary.LittleEndian.Uint64(word[:])
	return errors.Join(err, restored)
}

// forget forgets what was changed: the process executes another program.
func (i *intrusion) forget() { i.vdso, i.areas, i.executed = nil, nil, true }

// undo undoes what was changed, in the threads that are still there. They are in event
// stops.
func (i *intrusion) undo(threads []int) error {
	var err error
	all := i.affinity[i.pid]
	for _, tid := range threads {
		if i.options != 0 {
			_ = i.tracer.SetOptions(tid, i.options) // it may have been killed
		}
		if a, ok := i.areas[tid]; ok {
			_, failed := i.call(tid, unix.SYS_RSEQ, a.Address, uint64(a.Size), 0, uint64(a.Signature))
			err = errors.Join(err, failed)
		}
		set, ok := i.affinity[tid]
		if !ok {
			set = all
		}
		if set.Count() > 0 {
			_ = unix.SchedSetaffinity(tid, &set) // it may have been killed
		}
	}
	for _, w := range i.vdso {
		_, failed := i.memory.Write(w.Address, w.Data)
		err = errors.Join(err, failed)
	}
	return errors.Join(err, i.memory.Close())
}
