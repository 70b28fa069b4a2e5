package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/xsave"
	"github.com/triptych-mcp/triptych/debugger/internal/record/memdiff"
)

// A RewindError reports why the process cannot be set back to a position.
type RewindError struct{ Reason string }

const noShadowStack = "the program has a shadow stack, which cannot be set back"

// Error implements error.
func (e *RewindError) Error() string { return "the process cannot go on from here: " + e.Reason }

// Rewind sets the process back to the position of the view: it writes memory,
// registers and vector state to the process and drops the records after the
// position. If the threads or mappings have changed since, it returns a
// *[RewindError] and changes nothing. [Steps.SideEffects] lists what is not
// undone.
func (r *Recorder) Rewind(ctx context.Context) error {
	v := r.view()
	if v.Present() {
		return nil
	}
	if r.history.away() {
		return r.rewindToEarlier(ctx)
	}
	if err := r.rewinder.check(); err != nil {
		return err
	}
	err := r.target.Step(ctx, 0, func(s Stepper) error { return r.rewinder.write(s) })
	if err != nil {
		r.invalidateCode()
		return fmt.Errorf("go back: %w", err)
	}
	r.history.own.log.truncate(v.position)
	r.history.reachPresent()
	r.exiting = 0
	r.fresh = false
	return r.refresh()
}

// A rewinder sets the process back to the view.
type rewinder struct {
	recorder *Recorder
	target   Target
	memory   *memdiff.Copies
	undo     []func() error // restores what was written
}

// check returns a *[RewindError] if threads or mappings differ from those
// of the view.
func (w *rewinder) check() error {
	if w.recorder.shadowStack {
		return &RewindError{noShadowStack}
	}
	changed, err := w.threadsChanged()
	if err != nil {
		return err
	}
	if changed != "" {
		return &RewindError{changed}
	}
	maps, err := w.target.Maps()
	if err != nil {
		return err
	}
	removed, added := differMaps(ignoringStackGrowth(w.recorder.view().maps), ignoringStackGrowth(maps))
	if len(removed)+len(added) > 0 {
		m := append(added, removed...)[0]
		return &RewindError{fmt.Sprintf("the mappings have changed since, as that at %#x-%#x %s", m.Start, m.End, m.Path)}
	}
	return nil
}

// threadsChanged says how the threads of the process differ from those of the view, "" if
// they do not.
func (w *rewinder) threadsChanged() (string, error) {
	infos, err := w.target.Threads()
	if err != nil {
		return "", err
	}
	var now []int
	for _, info := range infos {
		now = append(now, info.ID)
	}
	if then := w.recorder.view().Threads(); !slices.Equal(now, then) {
		return fmt.Sprintf("there were the threads %d, and there are %d", then, now), nil
	}
	return "", nil
}

// ignoringStackGrowth returns maps in which stacks begin at address 0, because
// the kernel extends them downwards on demand.
func ignoringStackGrowth(maps procfs.Maps) procfs.Maps {
	maps = slices.Clone(maps)
	for i := range maps {
		if maps[i].Path == "[stack]" {
			maps[i].Start = 0
		}
	}
	slices.SortFunc(maps, func(a, b procfs.Map) int { return cmp.Compare(a.Start, b.Start) })
	return maps
}

// write writes the state of the view to the process. If a write fails, it
// restores what was written before.
func (w *rewinder) write(s Stepper) error {
	err := w.writeMemory()
	for i := range w.recorder.view().threads {
		if t := &w.recorder.view().threads[i]; err == nil && t.alive {
			err = w.writeThread(s, t)
		}
	}
	return w.end(err)
}

// end restores what was written before an error, the last first. It returns the error, if there
// was one, with those of restoring.
func (w *rewinder) end(err error) error {
	undo := w.undo
	w.undo = nil
	if err == nil {
		return nil
	}
	for _, f := range slices.Backward(undo) {
		err = errors.Join(err, f())
	}
	return err
}

// writeMemory writes the pages of the view that differ from those of the process. A page may
// be mapped at neither position, only between them.
func (w *rewinder) writeMemory() error {
	for number, then := range w.recorder.view().memory.pages {
		var now page
		addr := number * pageSize
		if n, err := w.target.ReadMemory(addr, now[:]); err != nil {
			if !isAbsent(err) {
				return fmt.Errorf("read memory at %#x: %w", addr, err)
			}
			if !w.recorder.view().mapped(addr) {
				continue
			}
			clear(now[n:])
		}
		if first, last, differs := memdiff.Differ(then[:], now[:]); differs {
			if err := w.replace(addr+uint64(first), now[first:last], then[first:last]); err != nil {
				return err
			}
		}
	}
	return nil
}

// replace replaces the memory now by then. It adds how to undo that.
func (w *rewinder) replace(addr uint64, now, then []byte) error {
	err := w.writeExceptRseq(addr, then)
	if err == nil {
		w.undo = append(w.undo, func() error { return w.writeExceptRseq(addr, now) })
	} else if isAbsent(err) {
		err = &RewindError{fmt.Sprintf("the memory at %#x cannot be written any more", addr)}
	}
	return err
}

// writeExceptRseq writes memory, except the rseq areas, which the kernel writes
// at any time.
func (w *rewinder) writeExceptRseq(addr uint64, data []byte) error {
	pieces := []x86.Span{{Addr: addr, Len: uint64(len(data))}}
	for _, s := range w.memory.Rseq {
		pieces = without(pieces, s)
	}
	for _, s := range pieces {
		if _, err := w.target.WriteMemory(s.Addr, data[s.Addr-addr:s.Addr-addr+s.Len]); err != nil {
			return fmt.Errorf("write memory at %#x: %w", s.Addr, err)
		}
	}
	return nil
}

// writeThread sets a thread's registers and vector state. If the thread moves,
// a pending fault signal is dropped.
func (w *rewinder) writeThread(s Stepper, t *thread) error {
	regs, err := w.target.Regs(t.id)
	if err != nil {
		return fmt.Errorf("thread %d: %w", t.id, err)
	}
	state, err := w.target.XState(t.id, nil)
	if err != nil {
		return fmt.Errorf("thread %d: %w", t.id, err)
	}
	w.undo = append(w.undo, func() error {
		return errors.Join(w.target.SetXState(t.id, state), w.target.SetRegs(t.id, regs))
	})
	if err := s.Switch(t.id); err != nil {
		return err
	}
	if regsDiffer(&regs, &t.regs) {
		s.DropFault()
		if err := w.target.SetRegs(t.id, t.regs); err != nil {
			return fmt.Errorf("thread %d: %w", t.id, err)
		}
	}
	if t.vector == nil || xsave.Machine().Equal(t.vector, state) {
		return nil
	}
	return w.target.SetXState(t.id, t.vector)
}

// regsDiffer reports whether registers differ in more than OrigRAX, which a
// stop changes.
func regsDiffer(now, then *ptrace.Regs) bool {
	a, b := *now, *then
	a.OrigRAX, b.OrigRAX = 0, 0
	return a != b
}

// A SideEffect is an action of the process that going back does not undo.
type SideEffect struct {
	What  string // the name of a system call, "signal", or "run" for an unrecorded run
	Count int
}

// SideEffects lists the actions after the view's position that affect more than
// memory and registers of the process, in the order of their first occurrence.
// System calls that only query are left out.
func (st *Steps) SideEffects(ctx context.Context) ([]SideEffect, error) {
	var effects sideEffects
	err := st.past.Inputs(ctx, st.window.view.position, st.end(), effects.add)
	return effects.list, err
}

// sideEffects counts side effects.
type sideEffects struct {
	list  []SideEffect
	index map[string]int
}

// add counts the action of a step.
func (e *sideEffects) add(_ uint64, in Input) {
	what := ""
	switch in.Kind {
	case Called:
		if what = callName(in.Number); withoutSideEffects[what] {
			return
		}
	case Ran, Signalled:
		what = in.Kind.String()
	default:
		return
	}
	i, known := e.index[what]
	if !known {
		if e.index == nil {
			e.index = make(map[string]int)
		}
		i = len(e.list)
		e.index[what] = i
		e.list = append(e.list, SideEffect{What: what})
	}
	e.list[i].Count++
}

// callNumber returns the number of the system call of a record.
func callNumber(record []byte, threads int) (number uint64) {
	extraOf(record, threads, func(tag byte, p *decoder) {
		if tag == extraNumber {
			number = p.uvarint()
		}
	})
	return number
}

// withoutSideEffects are the system calls that change only memory, registers
// and mappings. Mappings are compared before a process is rewound.
var withoutSideEffects = map[string]bool{
	"access": true, "arch_prctl": true, "brk": true, "clock_getres": true, "clock_gettime": true, "clock_nanosleep": true,
	"faccessat": true, "faccessat2": true, "fstat": true, "futex": true, "getcwd": true, "getegid": true, "geteuid": true,
	"getgid": true, "getpid": true, "getppid": true, "getrandom": true, "getrlimit": true, "getrusage": true, "gettid": true,
	"gettimeofday": true, "getuid": true, "lstat": true, "madvise": true, "mincore": true, "mmap": true, "mprotect": true,
	"mremap": true, "munmap": true, "nanosleep": true, "newfstatat": true, "poll": true, "ppoll": true, "pread64": true,
	"readlink": true, "readlinkat": true, "sched_getaffinity": true, "sched_yield": true, "stat": true, "statx": true,
	"sysinfo": true, "time": true, "times": true, "uname": true,
}
