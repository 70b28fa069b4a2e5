package ptrace

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// maxVectors is IOV_MAX, how many pieces of memory one call moves.
const maxVectors = 1024

// Gather reads all ranges into b, one after the other; b must have room. What
// cannot be read is zero. It costs a system call for a thousand ranges.
func (m *Memory) Gather(ranges []Range, b []byte) error {
	remote := make([]unix.RemoteIovec, 0, min(len(ranges), maxVectors))
	for len(ranges) > 0 {
		remote = remote[:0]
		total := 0
		for _, r := range ranges[:min(len(ranges), maxVectors)] {
			remote = append(remote, unix.RemoteIovec{Base: uintptr(r.Start), Len: int(r.Len())})
			total += int(r.Len())
		}
		if err := m.gather(remote, b[:total]); err != nil {
			return err
		}
		ranges, b = ranges[len(remote):], b[total:]
	}
	return nil
}

// gather reads what one call takes, and where it stops, a page by itself.
func (m *Memory) gather(remote []unix.RemoteIovec, b []byte) error {
	for len(b) > 0 {
		n, err := m.vectors(remote, b)
		if errors.Is(err, unix.ESRCH) {
			return fmt.Errorf("read the memory of process %d: %w", m.pid, ErrGone)
		}
		b, remote = b[n:], skip(remote, n)
		if len(b) == 0 {
			return nil
		}
		const size = 4096
		at := uint64(remote[0].Base)
		piece := b[:min(uint64(remote[0].Len), size-at%size)]
		n, _ = m.page(at, piece, false) // what is not there is zero
		clear(piece[n:])
		b, remote = b[len(piece):], skip(remote, len(piece))
	}
	return nil
}

// vectors is process_vm_readv(2). It says how much it has read.
func (m *Memory) vectors(remote []unix.RemoteIovec, b []byte) (int, error) {
	local := unix.Iovec{Base: &b[0], Len: uint64(len(b))}
	n, _, e := unix.Syscall6(unix.SYS_PROCESS_VM_READV, uintptr(m.pid), uintptr(unsafe.Pointer(&local)), 1,
		uintptr(unsafe.Pointer(&remote[0])), uintptr(len(remote)), 0)
	if e != 0 {
		return 0, e
	}
	return int(n), nil
}

// skip leaves out the first n bytes.
func skip(remote []unix.RemoteIovec, n int) []unix.RemoteIovec {
	for n > 0 && n >= remote[0].Len {
		n -= remote[0].Len
		remote = remote[1:]
	}
	if n > 0 {
		remote[0].Base += uintptr(n)
		remote[0].Len -= n
	}
	return remote
}
