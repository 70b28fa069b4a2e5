package inplace

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/codecache"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/translate"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// A Runner executes the threads of a process, one at a time.
type Runner struct {
	// The current thread. Its field Regs are the program's registers while it is
	// stopped. They may be changed.
	*thread

	// Replays says that the process makes no system calls. A stop of kind Call can only
	// be skipped.
	Replays bool

	// Early is the number of instructions that Run may leave out at the end. To stop at a
	// certain number takes dozens of stops, to stop early one or two. A Run of no more
	// instructions executes all.
	Early int64

	// Follow, unless nil, gets the children of the process. Otherwise they run on.
	Follow func(Child)

	tracer  *ptrace.Tracer
	pid     int
	threads map[int]*thread
	memory  *ptrace.Memory

	end ptrace.Event // of the process, if it was reported

	injector Injector // of Adopt, or nil
	adopting bool     // Adopt runs
	filtered bool     // see hasFilter

	// The parts. Each has its fields and methods to itself, and knows the Runner for the thread
	// that is the current one.

	Buffer CallBuffer // system calls without a stop
	Turns  Turns      // which thread runs, and those that wait in the cache
	Watch  Watch      // stops and writes to memory that are wanted

	space      codeSpace      // the code cache, and its memory in the process
	translated translated     // how threads run in it, and leave it
	native     native         // steps in the program's own code
	calls      calls          // system calls with a stop
	signals    signals        // their arrival, delivery and restarts
	children   children       // processes that the program begins
	log        instructionLog // instructions that are wanted
}

// newRunner returns a Runner whose parts know it.
func newRunner(tracer *ptrace.Tracer, pid int, memory *ptrace.Memory) *Runner {
	r := &Runner{tracer: tracer, pid: pid, threads: make(map[int]*thread), memory: memory}
	r.space.runner, r.translated.runner, r.native.runner, r.calls.runner, r.Buffer.runner = r, r, r, r, r
	r.signals.runner, r.Turns.runner, r.children.runner, r.Watch.runner, r.log.runner = r, r, r, r, r
	return r
}

// A place is the kind of stop that the thread is in.
type place uint8

const (
	atStop     place = iota // any other from which it can continue with other registers
	atEmulated              // the entry of a system call that the kernel will not make
	atEntry                 // the entry of a system call in the cache, which the kernel will make unless OrigRAX is changed
	atCall                  // the entry of a system call of the program, which the kernel will make
	atSignal                // a signal-delivery stop
)

// New returns a Runner for a thread, which must be the only one of its process and in
// an event stop. If the process may not have executable shared memory, the
// error is that of mmap(2).
func New(tracer *ptrace.Tracer, tid int) (*Runner, error) {
	memory, err := ptrace.OpenMemory(tid)
	if err != nil {
		return nil, err
	}
	t := &thread{tid: tid}
	r := newRunner(tracer, tid, memory)
	r.thread, r.threads[tid] = t, t
	if err = r.onlyThread(); err == nil {
		err = r.space.start(nil)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("translate process %d: %w", tid, err), r.Close())
	}
	return r, nil
}

// onlyThread reads the registers of the thread and checks that it is the only one.
func (r *Runner) onlyThread() error {
	if err := r.tracer.Regs(r.tid, &r.Regs); err != nil {
		return err
	}
	r.Regs.OrigRAX = ptrace.NoSyscall
	status, err := procfs.ReadStatus("/proc/" + strconv.Itoa(r.tid) + "/status")
	if err == nil && status.Number("Threads") != 1 {
		err = ErrThreads
	}
	return err
}

// A codeSpace holds the translated code, and the memory of the process that it needs.
type codeSpace struct {
	runner *Runner
	shared *shared
	cache  *codecache.Cache
	code   code
	site   uint64         // address of a syscall instruction
	kernel []ptrace.Range // mappings that the kernel gives every process, as the vdso

	entries   *Entries    // see Learn, or nil
	known     []knownFile // that the process has come to since its code was forgotten, by address
	forgotten int         // number of times
}

// start prepares the process, with what was translated before, if that is not nil.
func (cs *codeSpace) start(before *Translation) (err error) {
	cs.runner.filtered = hasFilter(cs.runner.pid)
	cs.code = code{memory: cs.runner.memory, pid: cs.runner.tid}
	if cs.site, err = SyscallSite(cs.runner.tid); err != nil {
		return err
	}
	maps, err := cs.code.readMaps()
	if err != nil {
		return err
	}
	for _, m := range maps {
		if strings.HasPrefix(m.Path, "[v") {
			cs.kernel = append(cs.kernel, ptrace.Range{Start: m.Start, End: m.End})
		}
	}
	if cs.reuse(before) {
		return nil
	}
	if cs.shared, err = mapShared(cs.runner); err != nil {
		return err
	}
	cs.cache = codecache.New(cs.config())
	return nil
}

// config returns what the code cache works on.
func (cs *codeSpace) config() codecache.Config {
	return codecache.Config{
		Fetch: cs.code.fetch, Variable: cs.code.fetchVariable, Arena: cs.arena, Targets: cs.shared.targets(), Stops: cs.runner.Watch.stopsAt,
		Loop: loopIsFast,
	}
}

var loopIsFast = x86.Machine().FastLoop

// hasFilter reports whether a seccomp filter decides about system calls of a process, as in
// many containers. It may answer the system call of an exit itself, and change rax, unless the
// thread comes to it by PTRACE_SYSEMU.
func hasFilter(pid int) bool {
	status, err := procfs.ReadStatus("/proc/" + strconv.Itoa(pid) + "/status")
	return err != nil || status.Number("Seccomp") != 0
}

// Close releases what this program has. The process keeps its mappings.
func (r *Runner) Close() error {
	err := r.memory.Close()
	if r.space.shared != nil {
		err = errors.Join(err, r.space.shared.close())
	}
	return err
}

// Thread returns the id of the current thread.
func (r *Runner) Thread() int { return r.tid }

// Memory returns the memory of the process.
func (r *Runner) Memory() *ptrace.Memory { return r.memory }

// Release moves the thread to its own code, where it continues when it is resumed, in
// an event stop. The Runner must not be used afterwards. Signals that were not delivered
// are sent again. A thread that is inside a system call, or
// has been interrupted in one, is in its own code already. It stays where it is and
// continues the call.
func (r *Runner) Release() error {
	if r.inKernel() {
		return nil
	}
	undelivered := r.signals.undelivered()
	if err := r.toEventStop(); err != nil {
		return err
	}
	return r.signals.sendAgain(undelivered)
}

// Gone reports whether the end of the process was reported, so that its number may be that
// of another process.
func (r *Runner) Gone() bool { return r.end.Gone() }

// toEventStop gives the thread the program's registers and moves it to an event stop.
func (r *Runner) toEventStop() error {
	if r.inKernel() {
		return errors.New("the thread is inside a system call")
	}
	if err := r.setRegs(); err != nil {
		return err
	}
	r.at, r.stale = atStop, false
	_, err := r.tracer.ToEventStop(r.tid, r.beside)
	return err
}

// setRegs gives the thread the program's registers.
func (r *Runner) setRegs() error { return r.tracer.SetRegs(r.tid, &r.Regs) }

func (cs *codeSpace) context() translate.Context { return cs.shared.context() }

// longMode is the code segment of 64-bit code, in which injected system calls are made.
const longMode = 0x33

var errMode = errors.New("the thread executes 32-bit code")

// inject makes the thread execute a system call.
func (cs *codeSpace) inject(number uint64, args ...uint64) (uint64, error) {
	if cs.runner.Regs.CS != longMode {
		return 0, errMode
	}
	var all [6]uint64
	copy(all[:], args)
	switch {
	case cs.runner.injector == nil:
		return cs.runner.tracer.Inject(cs.runner.tid, cs.site, number, all, cs.runner.beside)
	case cs.runner.adopting:
		return cs.runner.injector(cs.runner.tid, number, all, nil)
	}
	return cs.runner.injector(cs.runner.tid, number, all, cs.runner.beside)
}

// arena maps a new arena.
func (cs *codeSpace) arena(near uint64) (codecache.Arena, error) {
	if err := cs.runner.toEventStop(); err != nil {
		return codecache.Arena{}, err
	}
	maps, err := cs.code.readMaps()
	if err != nil {
		return codecache.Arena{}, err
	}
	return cs.shared.arena(cs.runner, maps, near)
}
