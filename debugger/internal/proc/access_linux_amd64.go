package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
)

// Regs returns the registers of a thread. The resume flag is 0 in them: where it
// is set depends on how the thread has stopped, and not on the program.
func (p *Process) Regs(thread int) (ptrace.Regs, error) {
	var r ptrace.Regs
	err := p.withCachedRegs(thread, func(s *cachedThread) error {
		r = s.regs
		return nil
	}, func(tid int) error { return p.tracer.Regs(tid, &r) })
	r.EFlags &^= ptrace.ResumeFlag
	return r, err
}

// SetRegs replaces the registers of a thread. One that is moved elsewhere does
// not go on with a system call that its stop interrupted, and a stop that it
// has yet to report is forgotten.
func (p *Process) SetRegs(thread int, r ptrace.Regs) error {
	return p.withTracer(func() error {
		t, err := p.thread(thread)
		if err != nil {
			return err
		}
		var old ptrace.Regs
		if err := p.noticeEnd(p.tracer.Regs(t.id, &old)); err != nil {
			return err
		}
		if old.RIP != r.RIP {
			t.report, t.leave = nil, false
			if r.OrigRAX == old.OrigRAX {
				r.OrigRAX = ptrace.NoSyscall
			}
		}
		return p.noticeEnd(p.tracer.SetRegs(t.id, &r))
	})
}

// xstateSize is more than the vector state of any processor so far: that of
// AMX has 11,008 bytes.
const xstateSize = 1 << 14

// XState returns the floating point and vector state of a thread in the layout
// of XSAVE. It fills buf if that is long enough.
func (p *Process) XState(thread int, buf []byte) ([]byte, error) {
	err := p.withCachedRegs(thread, func(s *cachedThread) error {
		buf = append(buf[:0], s.vectors...)
		return s.err
	}, func(tid int) error {
		if cap(buf) < xstateSize {
			buf = make([]byte, xstateSize)
		}
		buf = buf[:xstateSize]
		n, err := p.tracer.XState(tid, buf)
		buf = buf[:n]
		return err
	})
	return buf, err
}

// SetXState replaces it. The length must be the one XState returned.
func (p *Process) SetXState(thread int, state []byte) error {
	return p.withTracer(func() error {
		t, err := p.thread(thread)
		if err != nil {
			return err
		}
		return p.noticeEnd(p.tracer.SetXState(t.id, state))
	})
}

// SigMask is the set of signals that a thread blocks, bit 0 being signal 1.
func (p *Process) SigMask(thread int) (uint64, error) {
	var mask uint64
	err := p.withTracerReadOnly(func() error {
		t, err := p.thread(thread)
		if err != nil {
			return err
		}
		mask, err = p.tracer.SigMask(t.id)
		if t.mask.cleared {
			mask |= trapBit
		}
		return p.noticeEnd(err)
	})
	return mask, err
}

// SetSigMask replaces it.
func (p *Process) SetSigMask(thread int, mask uint64) error {
	return p.withTracer(func() error {
		t, err := p.thread(thread)
		if err != nil {
			return err
		}
		t.mask = trapMask{}
		return p.noticeEnd(p.tracer.SetSigMask(t.id, mask))
	})
}

// Rseq is the memory [start, end) which the kernel writes by itself for a
// thread, empty if there is none.
func (p *Process) Rseq(thread int) (start, end uint64, err error) {
	err = p.withTracerReadOnly(func() error {
		t, err := p.thread(thread)
		if err != nil {
			return err
		}
		start, end, err = p.tracer.Rseq(t.id)
		return p.noticeEnd(err)
	})
	return start, end, err
}

// noticeEnd finds out whether a thread or memory that is gone is the end of the
// process, so that the caller hears ErrExited instead of a riddle. Threads that
// stand still do not go away otherwise, but it may take a while until all have.
func (p *Process) noticeEnd(err error) error {
	if !errors.Is(err, ptrace.ErrGone) && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	_ = p.tracer.Do(context.Background(), p.awaitEvents)
	if p.ended != nil {
		return ErrExited
	}
	return err
}

// awaitEvents takes events until the process has ended, for dyingTime.
func (p *Process) awaitEvents() error {
	ctx, cancel := context.WithTimeout(context.Background(), dyingTime)
	defer cancel()
	for p.ended == nil {
		e, err := p.next(ctx, nil)
		if err != nil {
			return err
		}
		p.absorb(e)
	}
	return nil
}

// dyingTime limits the time that the threads of a process may take to end.
const dyingTime = time.Second

// collect takes the events that are already there.
func (p *Process) collect() {
	for p.ended == nil {
		e, ok, err := p.poll()
		if err != nil || !ok {
			return
		}
		p.absorb(e)
	}
}

// ReadMemory reads len(b) bytes. It returns how many could be read, and an
// *ptrace.AccessError when not all could. Breakpoints do not show.
func (p *Process) ReadMemory(address uint64, b []byte) (int, error) {
	n := 0
	err := p.withoutTracer(func() (err error) {
		n, err = p.memory.Read(address, b)
		p.hideBreakpoints(address, b[:n])
		return p.noticeEnd(err)
	})
	return n, err
}

// WriteMemory writes b, into memory that the process itself may not write too.
func (p *Process) WriteMemory(address uint64, b []byte) (int, error) {
	n := 0
	err := p.withTracer(func() (err error) {
		if p.armed {
			return ErrRunning
		}
		p.code.drop()
		n, err = p.memory.Write(address, b)
		return p.noticeEnd(err)
	})
	return n, err
}

// Maps lists the process's memory.
func (p *Process) Maps() (procfs.Maps, error) {
	var maps procfs.Maps
	err := p.withoutTracer(func() (err error) {
		maps, err = p.readMaps()
		return err
	})
	return maps, err
}

func (p *Process) readMaps() (procfs.Maps, error) {
	text, err := procfs.ReadFile(p.file("maps"))
	if err != nil {
		return nil, err
	}
	return procfs.ParseMaps(strings.NewReader(text))
}

// Executable is the path of the program, as the process sees it. It may be
// replaced or deleted; ExecutableFile cannot be.
func (p *Process) Executable() (string, error) {
	return os.Readlink(p.ExecutableFile())
}

// ExecutableFile is a path that opens the very program which runs.
func (p *Process) ExecutableFile() string { return p.file("exe") }

// AuxV is the auxiliary vector, for ptrace.Auxiliary.
func (p *Process) AuxV() ([]byte, error) { return os.ReadFile(p.file("auxv")) }

// file is the path of a file in /proc/PID.
func (p *Process) file(name string) string {
	return fmt.Sprintf("/proc/%d/%s", p.pid, name)
}
