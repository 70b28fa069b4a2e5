package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/x86"
)

// A RewindError says why the process cannot be made what it was.
type RewindError struct{ Reason string }

// Error says why.
func (e *RewindError) Error() string { return "the process cannot go on from here: " + e.Reason }

// Rewind makes the process what the view shows: memory, registers and vector
// state are written to it, and what was recorded after that moment is
// forgotten. It answers a *[RewindError], and has changed nothing, when threads
// or mappings are others now. [History.Since] lists what is not taken back.
func (r *Recorder) Rewind(ctx context.Context) error {
	v := r.view()
	if v.end {
		return nil
	}
	if err := r.rewindable(); err != nil {
		return err
	}
	err := r.target.Step(ctx, 0, func(s Stepper) error { return r.rewind(s) })
	if err != nil {
		r.forgetCode()
		return fmt.Errorf("go back: %w", err)
	}
	r.history.log.truncate(v.position)
	r.history.arrive()
	r.exiting = 0
	r.fresh = false
	return r.refresh()
}

// rewindable reports as an error that threads or mappings differ from those in
// the view.
func (r *Recorder) rewindable() error {
	infos, err := r.target.Threads()
	if err != nil {
		return err
	}
	var now []int
	for _, info := range infos {
		now = append(now, info.ID)
	}
	if then := r.view().Threads(); !slices.Equal(now, then) {
		return &RewindError{fmt.Sprintf("there were the threads %d, and there are %d", then, now)}
	}
	maps, err := r.target.Maps()
	if err != nil {
		return err
	}
	gone, come := differMaps(growing(r.view().maps), growing(maps))
	if len(gone)+len(come) > 0 {
		m := append(come, gone...)[0]
		return &RewindError{fmt.Sprintf("the mappings have changed since, as that at %#x-%#x %s", m.Start, m.End, m.Path)}
	}
	return nil
}

// growing are mappings with stacks, which the kernel makes larger when they are
// used, from where nothing is.
func growing(maps procfs.Maps) procfs.Maps {
	maps = slices.Clone(maps)
	for i := range maps {
		if maps[i].Path == "[stack]" {
			maps[i].Start = 0
		}
	}
	slices.SortFunc(maps, func(a, b procfs.Map) int { return cmp.Compare(a.Start, b.Start) })
	return maps
}

// rewind writes what the view shows. When something cannot be written, what was
// written before is put back.
func (r *Recorder) rewind(s Stepper) error {
	var undo []func() error
	err := r.rewindMemory(&undo)
	for i := range r.view().threads {
		if t := &r.view().threads[i]; err == nil && t.alive {
			err = r.rewindThread(s, t, &undo)
		}
	}
	if err == nil {
		return nil
	}
	for _, f := range slices.Backward(undo) {
		err = errors.Join(err, f())
	}
	return err
}

func (r *Recorder) rewindMemory(undo *[]func() error) error {
	pages := r.view().memory.pages
	for number, then := range pages {
		var now page
		addr := number * pageSize
		if n, err := r.target.ReadMemory(addr, now[:]); n != pageSize {
			return fmt.Errorf("read memory at %#x: %w", addr, err)
		}
		first, last, differs := differ(then[:], now[:])
		if !differs {
			continue
		}
		if err := r.put(addr+uint64(first), then[first:last]); err != nil {
			return err
		}
		*undo = append(*undo, func() error { return r.put(addr+uint64(first), now[first:last]) })
	}
	return nil
}

// put writes memory, but for what the kernel writes by itself.
func (r *Recorder) put(addr uint64, data []byte) error {
	pieces := []x86.Span{{Addr: addr, Len: uint64(len(data))}}
	for _, s := range r.rseq {
		pieces = without(pieces, s)
	}
	for _, s := range pieces {
		if _, err := r.target.WriteMemory(s.Addr, data[s.Addr-addr:s.Addr-addr+s.Len]); err != nil {
			return fmt.Errorf("write memory at %#x: %w", s.Addr, err)
		}
	}
	return nil
}

// rewindThread sets a thread's state. A fault that it has made since is
// forgotten.
func (r *Recorder) rewindThread(s Stepper, t *thread, undo *[]func() error) error {
	regs, err := r.target.Regs(t.id)
	if err != nil {
		return fmt.Errorf("thread %d: %w", t.id, err)
	}
	state, err := r.target.XState(t.id, nil)
	if err != nil {
		return fmt.Errorf("thread %d: %w", t.id, err)
	}
	*undo = append(*undo, func() error {
		return errors.Join(r.target.SetXState(t.id, state), r.target.SetRegs(t.id, regs))
	})
	if err := s.Switch(t.id); err != nil {
		return err
	}
	if moved(&regs, &t.regs) {
		s.Forget()
		if err := r.target.SetRegs(t.id, t.regs); err != nil {
			return fmt.Errorf("thread %d: %w", t.id, err)
		}
	}
	if t.vector == nil || string(t.vector) == string(state) {
		return nil
	}
	return r.target.SetXState(t.id, t.vector)
}

// moved says whether registers differ, but for what being stopped changes.
func moved(now, then *ptrace.Regs) bool {
	a, b := *now, *then
	a.OrigRAX, b.OrigRAX = 0, 0
	return a != b
}

// A Deed is something that was done after a moment and cannot be taken back.
type Deed struct {
	What  string // a system call by its name, "signal", or "run" for what was not recorded
	Count int
}

// Since lists what was done after the view's position beyond the process's own
// memory and registers, in the order in which each was first done. Calls that
// only ask are left out.
func (h *History) Since(ctx context.Context) ([]Deed, error) {
	var deeds []Deed
	index := make(map[string]int)
	for position := h.view.position; position < h.End(); position++ {
		if position%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		what := h.deed(position)
		if what == "" {
			continue
		}
		i, known := index[what]
		if !known {
			i = len(deeds)
			index[what] = i
			deeds = append(deeds, Deed{What: what})
		}
		deeds[i].Count++
	}
	return deeds, nil
}

// deed returns the action of the record at a position, "" if it is an ordinary
// step.
func (h *History) deed(position uint64) string {
	kind := h.Kind(position)
	switch kind {
	case Called:
		c, i := h.log.at(position)
		name := callName(callNumber(c.record(i), len(h.view.threads)))
		if asking[name] {
			return ""
		}
		return name
	case Ran, Signalled:
		return kind.String()
	}
	return ""
}

// callNumber reads which system call a record is about.
func callNumber(record []byte, threads int) (number uint64) {
	extraOf(record, threads, func(tag byte, p *decoder) {
		if tag == extraNumber {
			number = p.uvarint()
		}
	})
	return number
}

// asking are system calls that change nothing but memory and registers.
// Mappings are compared before a process is rewound.
var asking = map[string]bool{
	"access": true, "arch_prctl": true, "brk": true, "clock_getres": true, "clock_gettime": true, "clock_nanosleep": true,
	"faccessat": true, "faccessat2": true, "fstat": true, "futex": true, "getcwd": true, "getegid": true, "geteuid": true,
	"getgid": true, "getpid": true, "getppid": true, "getrandom": true, "getrlimit": true, "getrusage": true, "gettid": true,
	"gettimeofday": true, "getuid": true, "lstat": true, "madvise": true, "mincore": true, "mmap": true, "mprotect": true,
	"mremap": true, "munmap": true, "nanosleep": true, "newfstatat": true, "poll": true, "ppoll": true, "pread64": true,
	"readlink": true, "readlinkat": true, "sched_getaffinity": true, "sched_yield": true, "stat": true, "statx": true,
	"sysinfo": true, "time": true, "times": true, "uname": true,
}
