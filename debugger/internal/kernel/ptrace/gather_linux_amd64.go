package ptrace

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// maxVectors is IOV_MAX, the maximum number of ranges of one call.
const maxVectors = 1024

// Gather reads all ranges into b, one after the other. The length of b must be at
// least theirs. Memory that cannot be read is zero. It makes one system call for
// each 1,024 ranges.
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

// gather reads up to maxVectors ranges. Where the call stops it continues with the
// next page.
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
		n, _ = m.page(at, piece, false) // unreadable memory is zero
		clear(piece[n:])
		b, remote = b[len(piece):], skip(remote, len(piece))
	}
	return nil
}

// vectors calls process_vm_readv(2) and returns the number of bytes read.
func (m *Memory) vectors(remote []unix.RemoteIovec, b []byte) (int, error) {
	local := unix.Iovec{Base: &b[0], Len: uint64(len(b))}
	n, _, e := unix.Syscall6(unix.SYS_PROCESS_VM_READV, uintptr(m.pid), uintptr(unsafe.Pointer(&local)), 1,
		uintptr(unsafe.Pointer(&remote[0])), uintptr(len(remote)), 0)
	if e != 0 {
		return 0, e
	}
	return int(n), nil
}

// skip removes the first n bytes of the ranges.
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
