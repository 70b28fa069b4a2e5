package x86test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"unsafe"
)

// Where the child keeps its code and its data.
const (
	Code     = 0x10_0000_0000
	Data     = 0x20_0000_0000
	DataSize = 1 << 16 // bytes
	pageSize = 1 << 12
)

// A Child is a process that executes one instruction at a time, at [Code],
// with the registers and the memory that the test gives it. All of its methods
// must be called from the goroutine that made it.
type Child struct {
	// Regs are the registers at the start. Test registers are best made from
	// a copy, since instructions may load segments.
	Regs syscall.PtraceRegs
	// XState is the length of the extended state in bytes.
	XState int

	t   testing.TB
	pid int
	mem *os.File
}

// Start starts a child. It ends with the test, which is skipped if the kernel
// forbids tracing. The calling goroutine keeps its thread.
func Start(t testing.TB) *Child {
	t.Helper()
	runtime.LockOSThread()
	program := filepath.Join(t.TempDir(), "child")
	if err := os.WriteFile(program, childProgram(), 0o700); err != nil {
		t.Fatal(err)
	}
	pid, err := syscall.ForkExec(program, []string{program}, &syscall.ProcAttr{
		Sys: &syscall.SysProcAttr{Ptrace: true, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		t.Skipf("the kernel lets no process be traced: %v", err)
	}
	c := &Child{t: t, pid: pid}
	t.Cleanup(c.end)
	c.wait()
	if c.mem, err = os.OpenFile("/proc/"+strconv.Itoa(pid)+"/mem", os.O_RDWR, 0); err != nil {
		t.Fatal(err)
	}
	if err := syscall.PtraceGetRegs(pid, &c.Regs); err != nil {
		t.Fatal(err)
	}
	c.XState = c.regset(ptraceGetRegset, make([]byte, 1<<14))
	return c
}

func (c *Child) end() {
	_ = syscall.Kill(c.pid, syscall.SIGKILL)
	var status syscall.WaitStatus
	_, _ = syscall.Wait4(c.pid, &status, 0, nil)
	_ = c.mem.Close()
	runtime.UnlockOSThread()
}

func (c *Child) wait() syscall.Signal {
	c.t.Helper()
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(c.pid, &status, 0, nil); err != nil {
		c.t.Fatal(err)
	}
	if !status.Stopped() {
		c.t.Fatalf("the child has ended: %#x", status)
	}
	return status.StopSignal()
}

const (
	ptraceGetRegset = 0x4204
	ptraceSetRegset = 0x4205
	noteXState      = 0x202
)

// regset copies the extended state out or in, and returns its length.
func (c *Child) regset(request uintptr, b []byte) int {
	c.t.Helper()
	vec := syscall.Iovec{Base: &b[0], Len: uint64(len(b))}
	_, _, errno := syscall.Syscall6(syscall.SYS_PTRACE, request, uintptr(c.pid), noteXState,
		uintptr(unsafe.Pointer(&vec)), 0, 0)
	if errno != 0 {
		c.t.Fatalf("extended state: %v", errno)
	}
	return int(vec.Len)
}

// ReadState copies the extended state into b, which has XState bytes.
func (c *Child) ReadState(b []byte) {
	c.t.Helper()
	c.regset(ptraceGetRegset, b)
}

// WriteState makes b the extended state.
func (c *Child) WriteState(b []byte) {
	c.t.Helper()
	c.regset(ptraceSetRegset, b)
}

// Step executes one instruction and returns the signal that ended it: SIGTRAP
// if nothing went wrong.
func (c *Child) Step(code []byte, regs *syscall.PtraceRegs) syscall.Signal {
	c.t.Helper()
	c.Write(Code, code)
	regs.Rip = Code
	if err := syscall.PtraceSetRegs(c.pid, regs); err != nil {
		c.t.Fatalf("% x: registers %+v: %v", code, *regs, err)
	}
	if err := syscall.PtraceSingleStep(c.pid); err != nil {
		c.t.Fatal(err)
	}
	signal := c.wait()
	if err := syscall.PtraceGetRegs(c.pid, regs); err != nil {
		c.t.Fatal(err)
	}
	return signal
}

// Write puts b at addr, also where the child may not write.
func (c *Child) Write(addr uint64, b []byte) {
	c.t.Helper()
	if _, err := c.mem.WriteAt(b, int64(addr)); err != nil {
		c.t.Fatal(err)
	}
}

// Read fills b from addr.
func (c *Child) Read(addr uint64, b []byte) {
	c.t.Helper()
	if _, err := c.mem.ReadAt(b, int64(addr)); err != nil {
		c.t.Fatal(err)
	}
}

// childProgram returns an executable that has nothing but room: a page that may
// be executed and DataSize bytes that may be written.
func childProgram() []byte {
	return Program(Segment{Addr: Code, Size: pageSize, Execute: true}, Segment{Addr: Data, Size: DataSize, Write: true})
}

// A Segment is a range of pages of a program, all zero.
type Segment struct {
	Addr, Size     uint64
	Execute, Write bool
}

// Program returns an executable with nothing but segments. It begins at the first one.
func Program(segments ...Segment) []byte {
	type header struct {
		Type, Flags                                uint32
		Offset, Vaddr, Paddr, Filesz, Memsz, Align uint64
	}
	const load, x, w, r = 1, 1, 2, 4
	file := struct {
		Ident               [16]byte
		Type, Machine       uint16
		Version             uint32
		Entry, Phoff, Shoff uint64
		Flags               uint32
		Sizes               [6]uint16 // of header, program header, their number, and none of sections
	}{
		Ident: [16]byte{0x7f, 'E', 'L', 'F', 2, 1, 1}, Type: 2, Machine: 62, Version: 1,
		Entry: segments[0].Addr, Phoff: 64, Sizes: [6]uint16{64, 56, uint16(len(segments))},
	}
	var b bytes.Buffer
	_ = binary.Write(&b, binary.LittleEndian, file) // a Buffer takes everything
	for _, s := range segments {
		h := header{Type: load, Flags: r, Vaddr: s.Addr, Memsz: s.Size, Align: pageSize}
		if s.Write {
			h.Flags |= w
		}
		if s.Execute {
			h.Flags |= x
		}
		if !s.Write { // the kernel clears only writable memory that no file backs
			h.Offset, h.Filesz = pageSize, s.Size
		}
		_ = binary.Write(&b, binary.LittleEndian, h)
	}
	size := uint64(pageSize)
	for _, s := range segments {
		if !s.Write {
			size = max(size, pageSize+s.Size)
		}
	}
	return append(b.Bytes(), make([]byte, size-uint64(b.Len()))...)
}
