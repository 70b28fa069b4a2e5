package proc

import (
	"os"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/cpuid"
)

// Regs returns the registers of a thread. The resume flag is always 0, because it
// depends on how the thread has stopped and not on the program.
func (p *Process) Regs(thread int) (ptrace.Regs, error) {
	var r ptrace.Regs
	err := p.access.withCachedRegs(thread, func(s *cachedThread) error {
		r = s.regs
		return nil
	}, func(tid int) error { return p.tracer.Regs(tid, &r) })
	r.EFlags &^= ptrace.ResumeFlag
	return r, err
}

// SetRegs replaces the registers of a thread. If that changes RIP, the thread does
// not restart a system call that its stop interrupted, and a stop that is not
// reported yet is dropped.
func (p *Process) SetRegs(thread int, r ptrace.Regs) error {
	return p.access.withTracer(func() error { return p.threads.setRegs(thread, r) })
}

// xstateSize is as large as the vector state can be on this processor: 11,008 bytes with AMX
// (Intel's manual, volume 2, CPUID, leaf 0DH, ECX).
var xstateSize = max(1<<14, int(cpuid.Leaf(0xd, 0).ECX))

// XState returns the floating point and vector state of a thread in the layout
// of XSAVE. It uses buf if that is large enough.
func (p *Process) XState(thread int, buf []byte) ([]byte, error) {
	err := p.access.withCachedRegs(thread, func(s *cachedThread) error {
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

// SetXState replaces the vector state. Its length must be that of XState's result.
func (p *Process) SetXState(thread int, state []byte) error {
	return p.access.withTracer(func() error {
		t, err := p.threads.find(thread)
		if err != nil {
			return err
		}
		return p.tracee.checkEnded(p.tracer.SetXState(t.id, state))
	})
}

// Rseq returns the memory [start, end) of a thread's rseq area, which the kernel
// writes at any time. It is empty if the thread has none, see rseq(2).
func (p *Process) Rseq(thread int) (start, end uint64, err error) {
	err = p.access.withTracerReadOnly(func() error {
		t, err := p.threads.find(thread)
		if err != nil {
			return err
		}
		start, end, err = p.tracer.Rseq(t.id)
		return p.tracee.checkEnded(err)
	})
	return start, end, err
}

// ReadMemory reads len(b) bytes. It returns the number of bytes read and, if that
// is less, an *ptrace.AccessError. It hides inserted breakpoints.
func (p *Process) ReadMemory(address uint64, b []byte) (int, error) {
	n := 0
	err := p.access.withoutTracer(func() (err error) {
		n, err = p.tracee.memory.Read(address, b)
		p.breakpoints.hide(address, b[:n])
		return p.tracee.checkEnded(err)
	})
	return n, err
}

// WriteMemory writes b, even to memory that is read-only for the process.
func (p *Process) WriteMemory(address uint64, b []byte) (int, error) {
	n := 0
	err := p.access.withTracer(func() (err error) {
		if p.breakpoints.armed {
			return ErrRunning
		}
		p.code.drop()
		n, err = p.tracee.memory.Write(address, b)
		return p.tracee.checkEnded(err)
	})
	return n, err
}

// Maps returns the mappings of the process.
func (p *Process) Maps() (procfs.Maps, error) {
	var maps procfs.Maps
	err := p.access.withoutTracer(func() (err error) {
		maps, err = p.tracee.readMaps()
		return err
	})
	return maps, err
}

// Executable returns the path of the program in the process's file system. The
// file may have been replaced or deleted since; see ExecutableFile.
func (p *Process) Executable() (string, error) {
	return os.Readlink(p.ExecutableFile())
}

// ExecutableFile returns a path that opens the program that the process runs,
// even if its file was replaced or deleted.
func (p *Process) ExecutableFile() string { return p.tracee.file("exe") }

// AuxV returns the auxiliary vector, for ptrace.Auxiliary.
func (p *Process) AuxV() ([]byte, error) { return os.ReadFile(p.tracee.file("auxv")) }

// Descriptor names the file that a descriptor is open on, "" if it is not known.
func (p *Process) Descriptor(fd int) string { return procfs.Descriptor(p.ID(), fd) }
