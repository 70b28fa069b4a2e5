package ptrace

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Memory is the address space that a process has now. After the process has
// begun another program it must be opened again. Its methods may be called
// from any goroutine.
type Memory struct {
	pid  int
	file *os.File // /proc/PID/mem
}

// OpenMemory opens the memory of a process.
func OpenMemory(pid int) (*Memory, error) {
	f, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", pid), os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("open the memory of process %d: %w", pid, err)
	}
	return &Memory{pid: pid, file: f}, nil
}

// Close closes it.
func (m *Memory) Close() error { return m.file.Close() }

// PID is the process whose memory it is.
func (m *Memory) PID() int { return m.pid }

// File is /proc/PID/mem, open for reading and writing. It stays the Memory's.
func (m *Memory) File() *os.File { return m.file }

// An AccessError says where memory could not be read or written.
type AccessError struct {
	Address uint64
	Write   bool
	Err     error
}

// Error says where and why.
func (e *AccessError) Error() string {
	verb := "read"
	if e.Write {
		verb = "write"
	}
	return fmt.Sprintf("%s memory at %#x: %v", verb, e.Address, e.Err)
}

// Unwrap returns the cause.
func (e *AccessError) Unwrap() error { return e.Err }

// Read reads len(b) bytes at addr. When only some can be read it returns how
// many and an *AccessError.
func (m *Memory) Read(addr uint64, b []byte) (int, error) {
	return m.transfer(addr, b, false)
}

// Write writes b at addr, into pages that the process may only read too: the
// process gets copies of its own of those.
func (m *Memory) Write(addr uint64, b []byte) (int, error) {
	return m.transfer(addr, b, true)
}

// transfer moves as much as one call does and the rest by the file, which can
// reach pages that the process itself cannot.
func (m *Memory) transfer(addr uint64, b []byte, write bool) (int, error) {
	done := 0
	for done < len(b) {
		n := m.vector(addr+uint64(done), b[done:], write)
		if n == 0 {
			var err error
			if n, err = m.page(addr+uint64(done), b[done:], write); n == 0 {
				return done, &AccessError{addr + uint64(done), write, err}
			}
		}
		done += n
	}
	return done, nil
}

// vector moves what process_vm_readv or process_vm_writev can.
func (m *Memory) vector(addr uint64, b []byte, write bool) int {
	trap := uintptr(unix.SYS_PROCESS_VM_READV)
	if write {
		trap = unix.SYS_PROCESS_VM_WRITEV
	}
	local := unix.Iovec{Base: &b[0], Len: uint64(len(b))}
	remote := unix.RemoteIovec{Base: uintptr(addr), Len: len(b)}
	n, _, e := unix.Syscall6(trap, uintptr(m.pid), uintptr(unsafe.Pointer(&local)), 1, uintptr(unsafe.Pointer(&remote)), 1, 0)
	if e != 0 {
		return 0
	}
	return int(n)
}

// page moves what is left of one page through the file.
func (m *Memory) page(addr uint64, b []byte, write bool) (int, error) {
	const size = 4096
	b = b[:min(uint64(len(b)), size-addr%size)]
	if int64(addr) < 0 {
		return 0, unix.EFAULT
	}
	var n int
	var err error
	if write {
		n, err = m.file.WriteAt(b, int64(addr))
	} else {
		n, err = m.file.ReadAt(b, int64(addr))
	}
	if n == 0 && (err == nil || errors.Is(err, unix.EIO)) {
		err = unix.EFAULT
	}
	return n, err
}
