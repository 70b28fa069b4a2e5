package history

import (
	"bufio"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/xsave"
	"github.com/triptych-mcp/triptych/debugger/internal/record/memdiff"
)

// Options configure a recorder. The zero value is ready to use.
type Options struct {
	// Budget limits the bytes of records; 0 means DefaultBudget.
	Budget int

	// MaxSnapshot limits the bytes of memory that are copied to find changes; 0
	// means 512 MiB, or half of the machine's available memory if that
	// is less. If a step needs more, history restarts after it.
	MaxSnapshot int

	// Single turns interpretation off: each instruction is single-stepped. That
	// is hundreds of times slower. The recordings differ at most in flags that
	// the manuals leave undefined.
	Single bool

	// Room has the memory that the history takes; nil does not limit it.
	Room Room

	// First is the position at which history begins.
	First uint64

	// WholeRepeats makes a repeated string operation one step. The target must step so,
	// too.
	WholeRepeats bool

	// Log reports what cannot be recorded; nil discards it.
	Log *slog.Logger
}

// defaultSnapshot is the default of [Options.MaxSnapshot]. If the system cannot
// report which pages were written, all writable memory is copied at each stop,
// and the limit is half of that.
const defaultSnapshot = 512 << 20

// A Recorder records the history of a process. Use [New] to create one. Its parts:
//
//	memory    reads the process, and finds what has changed by copies of its memory
//	signals   knows the stacks of signal handlers
//	attempts  say what a step may change
//	records   are written of what it has changed
//	rewinder  sets the process back
type Recorder struct {
	target  Target
	history *History
	options Options
	log     *slog.Logger

	memory   *memdiff.Copies
	signals  *signalStacks
	attempts *attempts
	records  *recordWriter
	rewinder *rewinder

	fresh       bool // the view has the maps and threads of the process
	code        codeCache
	interpreter *interpreter // nil: none
	shadowStack bool         // the process has one, so that the processor must execute its calls and returns
	exiting     uint64       // position of the last Exiting result, plus one
	addr        x86.Regs
}

// New returns a recorder of a stopped process. History begins at its present
// state.
func New(p Target, options Options) (*Recorder, error) {
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	if options.Budget == 0 {
		options.Budget = DefaultBudget
	}
	if options.MaxSnapshot == 0 {
		options.MaxSnapshot = min(defaultSnapshot, availableMemory()/2)
	}
	r := newRecorder(p, options)
	if !options.Single {
		r.interpreter = newInterpreter(r)
	}
	r.history.useRoom(options.Room)
	r.history.view.threads = nil
	r.code.read, r.code.alias = p.ReadMemory, r.aliased
	return r, r.refresh()
}

// newRecorder returns a recorder with its parts and an empty history.
func newRecorder(p Target, options Options) *Recorder {
	r := &Recorder{target: p, options: options, log: options.Log}
	r.history = newHistory(present{p, r}, options.Budget, options.First)
	r.memory = &memdiff.Copies{Process: p, Most: options.MaxSnapshot, Count: func() uint64 { return r.history.count }}
	r.signals = &signalStacks{recorder: r, target: p, log: options.Log, byThread: make(map[int]signalStack)}
	r.attempts = &attempts{
		recorder: r, target: p, memory: r.memory, signals: r.signals, options: options,
		pending: make(map[int]*attempt), returning: make(map[int]bool),
	}
	r.records = &recordWriter{recorder: r, target: p, history: r.history, memory: r.memory, signals: r.signals, room: options.Room}
	r.attempts.records = r.records
	r.rewinder = &rewinder{recorder: r, target: p, memory: r.memory}
	return r
}

// History returns the recorded history.
func (r *Recorder) History() *History { return r.history }

// Mappings returns the mappings of the present, and false if the process has
// run unrecorded since they were read. Stacks may have grown since.
func (r *Recorder) Mappings() (procfs.Maps, bool) {
	if v := r.view(); v.remapped {
		return v.now, r.fresh
	}
	return r.view().maps, r.fresh
}

// view returns the view of the history, which is at the present while steps are
// recorded.
func (r *Recorder) view() *View { return &r.history.view }

// aliased reports whether the code at pc may be changed through another mapping.
func (r *Recorder) aliased(pc uint64) bool {
	m, ok := r.view().maps.Find(pc)
	return !ok || m.Shared
}

// refresh reads mappings and threads of the process again, after it has run
// unrecorded. It must not be called within [Target.Step].
func (r *Recorder) refresh() error {
	if r.fresh {
		return nil
	}
	v := r.view()
	maps, err := r.target.Maps()
	if err != nil {
		return fmt.Errorf("list mappings: %w", err)
	}
	v.maps = maps
	r.invalidateCode()
	r.memory.Changed()
	r.checkShadowStack()
	if err := r.refreshThreads(); err != nil {
		return err
	}
	r.fresh = true
	return nil
}

// checkShadowStack notes whether the process has a shadow stack. Its contents follow calls and
// returns that the processor executes, and cannot be set back.
func (r *Recorder) checkShadowStack() {
	target, ok := r.target.(interface{ ShadowStack() bool })
	r.shadowStack = ok && target.ShadowStack()
}

// refreshThreads reads the list of threads and their registers.
func (r *Recorder) refreshThreads() error {
	infos, err := r.target.Threads()
	if err != nil {
		return fmt.Errorf("list threads: %w", err)
	}
	r.memory.Rseq = r.memory.Rseq[:0]
	clear(r.signals.byThread)
	for _, info := range infos {
		if err := r.refreshThread(info.ID); err != nil && !errors.Is(err, proc.ErrNoThread) {
			return err
		}
	}
	current, err := r.target.CurrentThread()
	if i := r.index(current); err == nil && i >= 0 {
		r.view().current = i
	}
	return err
}

func (r *Recorder) refreshThread(id int) error {
	regs, err := r.target.Regs(id)
	if err != nil {
		return fmt.Errorf("thread %d: %w", id, err)
	}
	if i := r.index(id); i < 0 {
		r.view().threads = append(r.view().threads, thread{id: id, alive: true, regs: regs})
	}
	if start, end, err := r.target.Rseq(id); err == nil && end > start {
		r.memory.Rseq = append(r.memory.Rseq, x86.Span{Addr: start, Len: end - start})
	}
	return nil
}

// index returns the index of a living thread in the table, or -1.
func (r *Recorder) index(id int) int {
	threads := r.view().threads
	if c := r.view().current; c < len(threads) && threads[c].id == id && threads[c].alive {
		return c
	}
	for i := range threads {
		if threads[i].id == id && threads[i].alive {
			return i
		}
	}
	return -1
}

// loadVectorState reads the vector state of a thread unless it is known.
func (r *Recorder) loadVectorState(t *thread) error {
	if t.vector != nil {
		return nil
	}
	state, err := r.target.XState(t.id, nil)
	if err == nil {
		t.vector = append([]byte(nil), state...)
		r.addr.XSave = uint64(max(len(state), xsave.Machine().Compacted()))
	}
	return err
}

// invalidateCode drops decoded code and cached pages, because mappings have
// changed or the process has run.
func (r *Recorder) invalidateCode() {
	r.code.drop()
	if r.interpreter != nil {
		r.interpreter.dropPages()
	}
}

// invalidate drops decoded code and cached pages of memory that was written.
func (r *Recorder) invalidate(addr, n uint64) {
	if n == 0 {
		return
	}
	r.code.invalidate(addr, n)
	if r.interpreter != nil {
		r.interpreter.invalidate(addr, n)
	}
}

// restart drops the history so far. It begins again at the present.
func (r *Recorder) restart(reason string) {
	r.history.restart(reason)
	r.records.unmapped = r.records.unmapped[:0]
	r.log.Info("history begins anew", "reason", reason, "position", r.history.End())
}

// availableMemory returns MemAvailable of proc_meminfo(5) in bytes, or
// math.MaxInt if the machine does not report it.
func availableMemory() int {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return math.MaxInt
	}
	defer func() { _ = f.Close() }() // only read
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var kib int
		if n, _ := fmt.Sscanf(lines.Text(), "MemAvailable: %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	return math.MaxInt
}
