package history

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/x86"
)

// Options say how a process is recorded. The zero value is good.
type Options struct {
	// Budget limits the bytes of records; 0 means DefaultBudget.
	Budget int

	// MaxSnapshot limits the bytes of memory that are copied to find changes; 0
	// means DefaultSnapshot, or half of the machine's available memory if that
	// is less. When more bytes would be needed, the history starts again.
	MaxSnapshot int

	// Single keeps from interpreting: the processor makes each step. That is
	// hundreds of times slower; only flags that the manuals leave undefined may
	// differ.
	Single bool

	// Log gets what cannot be recorded; nil discards it.
	Log *slog.Logger
}

// DefaultSnapshot limits the bytes that are copied of the writable memory that
// a process has used. If the system cannot report which pages were written
// since, everything is copied at each stop, and the limit is half of that.
const DefaultSnapshot = 512 << 20

// A Recorder makes the history of a process. Make one with [New].
type Recorder struct {
	target  Target
	history *History
	options Options
	log     *slog.Logger

	fresh       bool // maps and threads are known
	code        codeCache
	interpreter *interpreter     // nil: none
	pending     map[int]*attempt // of threads that are in a system call, by id
	stacks      map[int]stack    // for signals, by thread
	returning   map[int]bool     // threads that come back from the kernel, by id
	rseq        []x86.Span       // memory that the kernel writes by itself
	dropped     []x86.Span       // memory that was unmapped in this history
	image       image            // for snapshots
	exiting     uint64           // one more than the position where the end was announced
	addr        x86.Regs
	fast        attempt // of the thread that steps now
	buf         []byte  // the record in the making
	part        []byte
	vector      []byte
}

// New makes a recorder of a stopped process. History begins there.
func New(p Target, options Options) (*Recorder, error) {
	r := &Recorder{
		target: p, options: options, log: options.Log,
		pending: make(map[int]*attempt), stacks: make(map[int]stack), returning: make(map[int]bool),
	}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	if options.Budget == 0 {
		r.options.Budget = DefaultBudget
	}
	if options.MaxSnapshot == 0 {
		r.options.MaxSnapshot = min(DefaultSnapshot, spareMemory()/2)
	}
	if !options.Single {
		r.interpreter = newInterpreter(r)
	}
	r.history = newHistory(present{p, r}, r.options.Budget, 0)
	r.history.view.threads = nil
	r.code.read, r.code.alias = p.ReadMemory, r.aliased
	return r, r.refresh()
}

// History returns the recorded history.
func (r *Recorder) History() *History { return r.history }

// Mappings returns the mappings of the present, if they are known: the process
// may have run without being recorded. Stacks may have grown since.
func (r *Recorder) Mappings() (procfs.Maps, bool) {
	if v := r.view(); v.remapped {
		return v.now, r.fresh
	}
	return r.view().maps, r.fresh
}

// view is the present.
func (r *Recorder) view() *View { return &r.history.view }

// aliased says whether code may be written by another address than its own.
func (r *Recorder) aliased(pc uint64) bool {
	m, ok := r.view().maps.Find(pc)
	return !ok || m.Shared
}

// refresh learns the present anew, where the process has done what was not
// recorded step by step. It is for the outside of [Target.Step].
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
	r.forgetCode()
	r.image.fresh = false
	if err := r.refreshThreads(); err != nil {
		return err
	}
	r.fresh = true
	return nil
}

// refreshThreads learns which threads there are and their registers.
func (r *Recorder) refreshThreads() error {
	infos, err := r.target.Threads()
	if err != nil {
		return fmt.Errorf("list threads: %w", err)
	}
	r.rseq = r.rseq[:0]
	clear(r.stacks)
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
		r.rseq = append(r.rseq, x86.Span{Addr: start, Len: end - start})
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

// learn makes sure that the vector state of a thread is known.
func (r *Recorder) learn(t *thread) error {
	if t.vector != nil {
		return nil
	}
	state, err := r.target.XState(t.id, nil)
	if err == nil {
		t.vector = append([]byte(nil), state...)
		r.addr.XSave = uint64(len(state))
	}
	return err
}

// forgetCode drops what is known of memory, because mappings have changed or the
// process has run.
func (r *Recorder) forgetCode() {
	r.code.drop()
	if r.interpreter != nil {
		r.interpreter.forget()
	}
}

// wrote drops what is known of memory that the processor has written.
func (r *Recorder) wrote(addr, n uint64) {
	if n == 0 {
		return
	}
	r.code.wrote(addr, n)
	if r.interpreter != nil {
		r.interpreter.wrote(addr, n)
	}
}

// restart begins history anew.
func (r *Recorder) restart(reason string) {
	r.history.restart(reason)
	r.dropped = r.dropped[:0]
	r.log.Info("history begins anew", "reason", reason, "position", r.history.End())
}

// inSyscall says whether a thread stands in a system call that begins again,
// and with that, how it stops: the codes of include/linux/errno.h.
func inSyscall(r *ptrace.Regs) bool {
	switch int64(r.RAX) {
	case -512, -513, -514, -516:
		return r.InSyscall()
	}
	return false
}
