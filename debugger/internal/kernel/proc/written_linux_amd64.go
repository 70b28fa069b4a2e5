package proc

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// Written returns the pages that were written since its last call. The first call
// returns all. It returns ErrUnwatched if the system cannot track writes.
//
// Shared memory, new mappings and memory that the kernel cannot track count as
// written. Writes of devices into buffers that were pinned before the last call are
// missed (O_DIRECT, io_uring with registered buffers).
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
			return p.checkEnded(err)
		}
		for _, m := range maps {
			if m.Write {
				p.addWritten(m, &w)
			}
		}
		return nil
	})
	return w, err
}

// Gather reads all ranges into b, one after the other. Memory that cannot be read is
// zero. For many small ranges it costs much less than ReadMemory.
func (p *Process) Gather(ranges []ptrace.Range, b []byte) error {
	return p.withTracer(func() error {
		err := p.memory.Gather(ranges, b)
		for _, r := range ranges {
			p.hideBreakpoints(r.Start, b[:r.Len()])
			b = b[r.Len():]
		}
		return p.checkEnded(err)
	})
}

// addWritten adds a mapping to w.
func (p *Process) addWritten(m procfs.Map, w *Written) {
	whole := ptrace.Range{Start: m.Start, End: m.End}
	w.Mapped = append(w.Mapped, whole)
	if m.Inode == 0 && !m.Shared { // an absent page of a file is not zero
		if absent, err := p.writes.Absent(whole, w.Absent); err == nil {
			w.Absent = absent
		}
	}
	if written, err := p.writes.Written(whole, w.Pages); err == nil && !m.Shared {
		w.Pages = written
		return
	}
	// It is not tracked yet: start now.
	w.Pages = ptrace.AppendRange(w.Pages, whole)
	if m.Shared || p.writes.Watch(whole) != nil {
		return
	}
	_, _ = p.writes.Written(whole, nil) // protects the pages; if that fails they count as written again
}

// errBusy is returned if no thread is in a state to inject a system call.
var errBusy = errors.New("no thread can be made to do a system call")

// watchWrites starts tracking writes, unless that was done or has failed.
func (p *Process) watchWrites() error {
	if p.writes != nil || p.unwatchable != nil {
		return p.unwatchable
	}
	err := p.openWrites()
	switch {
	case err == nil, errors.Is(err, ErrExited):
		return err
	case errors.Is(err, errBusy):
		return fmt.Errorf("%w: %w", ErrUnwatched, err)
	}
	p.log.Debug("what the process writes cannot be watched", "err", err)
	p.unwatchable = fmt.Errorf("%w: %w", ErrUnwatched, err)
	return p.unwatchable
}

// openWrites makes the process open a userfaultfd and takes it over. It refuses
// processes with a seccomp filter that might kill them for that system call.
func (p *Process) openWrites() error {
	if err := ptrace.WritesSupported(); err != nil {
		return err
	}
	s, err := procfs.ReadStatus(p.file("status"))
	if err != nil || s["Seccomp"] != "0" && (!p.filtered || s["Seccomp_filters"] != "1") {
		return errors.Join(err, errors.New("the process filters its system calls"))
	}
	t := p.idleThread()
	if t == nil {
		return errBusy
	}
	return p.openWritesIn(t)
}

// openWritesIn injects userfaultfd(2) into a thread, duplicates the descriptor, and
// closes it in the process.
func (p *Process) openWritesIn(t *thread) error {
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

// unwatchWrites stops tracking writes, after exec and before a detach.
func (p *Process) unwatchWrites() {
	_ = p.writes.Close()
	p.writes, p.unwatchable = nil, nil
}
