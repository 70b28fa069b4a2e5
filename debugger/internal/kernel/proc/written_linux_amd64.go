package proc

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// writes tracks the pages that the process writes.
type writes struct {
	tracee    *tracee
	threads   *threads
	injection *injection

	pages       *ptrace.Writes // nil if writes are not tracked
	unwatchable error          // why they cannot be tracked
}

// Written returns the pages that were written since its last call. The first call
// returns all. It returns ErrUnwatched if the system cannot track writes.
//
// Shared memory, new mappings and memory that the kernel cannot track count as
// written. Writes of devices into buffers that were pinned before the last call are
// missed (O_DIRECT, io_uring with registered buffers).
func (p *Process) Written() (Written, error) {
	var w Written
	err := p.access.withTracer(func() (err error) {
		if p.breakpoints.armed {
			return ErrRunning
		}
		if err := p.writes.watch(); err != nil {
			return err
		}
		maps, err := p.tracee.readMaps()
		if err != nil {
			return p.tracee.checkEnded(err)
		}
		for _, m := range maps {
			if m.Write {
				p.writes.add(m, &w)
			}
		}
		return nil
	})
	return w, err
}

// Gather reads all ranges into b, one after the other. Memory that cannot be read is
// zero. For many small ranges it costs much less than ReadMemory.
func (p *Process) Gather(ranges []ptrace.Range, b []byte) error {
	return p.access.withTracer(func() error {
		err := p.tracee.memory.Gather(ranges, b)
		for _, r := range ranges {
			p.breakpoints.hide(r.Start, b[:r.Len()])
			b = b[r.Len():]
		}
		return p.tracee.checkEnded(err)
	})
}

// add adds a mapping to w.
func (ws *writes) add(m procfs.Map, w *Written) {
	whole := ptrace.Range{Start: m.Start, End: m.End}
	w.Mapped = append(w.Mapped, whole)
	if m.Inode == 0 && !m.Shared { // an absent page of a file is not zero
		if absent, err := ws.pages.Absent(whole, w.Absent); err == nil {
			w.Absent = absent
		}
	}
	if written, err := ws.pages.Written(whole, w.Pages); err == nil && !m.Shared {
		w.Pages = written
		return
	}
	// It is not tracked yet: start now.
	w.Pages = ptrace.AppendRange(w.Pages, whole)
	if m.Shared || ws.pages.Watch(whole) != nil {
		return
	}
	_, _ = ws.pages.Written(whole, nil) // protects the pages; if that fails they count as written again
}

// errBusy is returned if no thread is in a state to inject a system call.
var errBusy = errors.New("no thread can be made to do a system call")

// watch starts tracking writes, unless that was done or has failed.
func (ws *writes) watch() error {
	if ws.pages != nil || ws.unwatchable != nil {
		return ws.unwatchable
	}
	err := ws.open()
	switch {
	case err == nil, errors.Is(err, ErrExited):
		return err
	case errors.Is(err, errBusy):
		return fmt.Errorf("%w: %w", ErrUnwatched, err)
	}
	ws.tracee.log.Debug("what the process writes cannot be watched", "err", err)
	ws.unwatchable = fmt.Errorf("%w: %w", ErrUnwatched, err)
	return ws.unwatchable
}

// open makes the process open a userfaultfd and takes it over. It refuses
// processes with a seccomp filter that might kill them for that system call.
func (ws *writes) open() error {
	if err := ptrace.WritesSupported(); err != nil {
		return err
	}
	s, err := procfs.ReadStatus(ws.tracee.file("status"))
	if err != nil || s["Seccomp"] != "0" && (!ws.tracee.filtered || s["Seccomp_filters"] != "1") {
		return errors.Join(err, errors.New("the process filters its system calls"))
	}
	t := ws.threads.idle()
	if t == nil {
		return errBusy
	}
	return ws.openIn(t)
}

// openIn injects userfaultfd(2) into a thread, duplicates the descriptor, and
// closes it in the process.
func (ws *writes) openIn(t *thread) error {
	fd, err := ws.injection.inject(t, unix.SYS_USERFAULTFD, [6]uint64{ptrace.FaultFlags})
	if err != nil {
		return err
	}
	writes, err := ptrace.OpenWrites(ws.tracee.pid, int(fd))
	_, closeErr := ws.injection.inject(t, unix.SYS_CLOSE, [6]uint64{fd})
	if err = errors.Join(err, closeErr); err != nil {
		return errors.Join(err, writes.Close())
	}
	ws.pages = writes
	return nil
}

// unwatch stops tracking writes, after exec and before a detach.
func (ws *writes) unwatch() {
	_ = ws.pages.Close()
	ws.pages, ws.unwatchable = nil, nil
}
