package ptrace

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Memory is the address space of a process. It must be opened again after exec. Its
// methods may be called from any goroutine.
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

// Close closes the file.
func (m *Memory) Close() error { return m.file.Close() }

// PID returns the process id.
func (m *Memory) PID() int { return m.pid }

// File returns /proc/PID/mem, open for reading and writing. The caller must not
// close it.
func (m *Memory) File() *os.File { return m.file }

// Read reads len(b) bytes at addr. It returns the number of bytes read and, if that
// is less, an *AccessError.
func (m *Memory) Read(addr uint64, b []byte) (int, error) {
	return m.transfer(addr, b, false)
}

// Write writes b at addr, even to pages that are read-only for the process. Pages of
// files are copied on write.
func (m *Memory) Write(addr uint64, b []byte) (int, error) {
	return m.transfer(addr, b, true)
}

// transfer uses process_vm_readv or process_vm_writev, and /proc/PID/mem for pages
// that the process itself may not access.
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

// vector transfers as much as process_vm_readv or process_vm_writev can.
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

// page transfers the rest of a page through the file.
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
