package proc

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
)

// Written says which pages were written since its last call, or since the
// beginning. It answers ErrUnwatched where the system cannot tell.
//
// Shared memory and what the kernel does not watch are always said to be written:
// others may have done it. So is memory that was mapped since. What hardware
// writes by itself, into buffers that it was given before the last call, is not
// noticed (O_DIRECT, io_uring with registered buffers).
func (p *Process) Written() (Written, error) {
	var w Written
	err := p.withTracer(func() (err error) {
		if p.armed {
			return ErrRunning
		}
		if err := p.watchWrites(); err != nil {
			return err
		}
		maps, err := p.readMaps()
		if err != nil {
			return p.noticeEnd(err)
		}
		for _, m := range maps {
			if m.Write {
				p.askWrites(m, &w)
			}
		}
		return nil
	})
	return w, err
}

// Gather reads all ranges into b, one after the other. What cannot be read is
// zero. Many small ranges cost much less than by ReadMemory.
func (p *Process) Gather(ranges []ptrace.Range, b []byte) error {
	return p.withTracer(func() error {
		err := p.memory.Gather(ranges, b)
		for _, r := range ranges {
			p.hideBreakpoints(r.Start, b[:r.Len()])
			b = b[r.Len():]
		}
		return p.noticeEnd(err)
	})
}

// askWrites adds one mapping.
func (p *Process) askWrites(m procfs.Map, w *Written) {
	whole := ptrace.Range{Start: m.Start, End: m.End}
	w.Mapped = append(w.Mapped, whole)
	if m.Inode == 0 && !m.Shared { // in a file, a page that is not there is something too
		if absent, err := p.writes.Absent(whole, w.Absent); err == nil {
			w.Absent = absent
		}
	}
	if written, err := p.writes.Written(whole, w.Pages); err == nil && !m.Shared {
		w.Pages = written
		return
	}
	// It was not watched, and should be from now on.
	w.Pages = ptrace.AppendRange(w.Pages, whole)
	if m.Shared || p.writes.Watch(whole) != nil {
		return
	}
	_, _ = p.writes.Written(whole, nil) // protects the pages; on failure it is said to be written again
}

// errBusy says that it cannot be done now.
var errBusy = errors.New("no thread can be made to do a system call")

// watchWrites begins to watch, unless that was done or is known to be impossible.
func (p *Process) watchWrites() error {
	if p.writes != nil || p.unwatch != nil {
		return p.unwatch
	}
	err := p.openWrites()
	switch {
	case err == nil, errors.Is(err, ErrExited):
		return err
	case errors.Is(err, errBusy):
		return fmt.Errorf("%w: %w", ErrUnwatched, err)
	}
	p.log.Debug("what the process writes cannot be watched", "err", err)
	p.unwatch = fmt.Errorf("%w: %w", ErrUnwatched, err)
	return p.unwatch
}

// openWrites makes the process make a descriptor and takes it over. A process
// that filters its system calls may be killed for one that it never does.
func (p *Process) openWrites() error {
	if err := ptrace.WritesSupported(); err != nil {
		return err
	}
	s, err := procfs.ReadStatus(p.file("status"))
	if err != nil || s["Seccomp"] != "0" {
		return errors.Join(err, errors.New("the process filters its system calls"))
	}
	t := p.idleThread()
	if t == nil {
		return errBusy
	}
	return p.takeFaults(t)
}

// takeFaults has a thread open the descriptor, and close it when it is ours.
func (p *Process) takeFaults(t *thread) error {
	fd, err := p.inject(t, unix.SYS_USERFAULTFD, [6]uint64{ptrace.FaultFlags})
	if err != nil {
		return err
	}
	writes, err := ptrace.OpenWrites(p.pid, int(fd))
	_, closeErr := p.inject(t, unix.SYS_CLOSE, [6]uint64{fd})
	if err = errors.Join(err, closeErr); err != nil {
		return errors.Join(err, writes.Close())
	}
	p.writes = writes
	return nil
}

// unwatchWrites ends it: another program runs, or the process is let go.
func (p *Process) unwatchWrites() {
	_ = p.writes.Close()
	p.writes, p.unwatch = nil, nil
}
