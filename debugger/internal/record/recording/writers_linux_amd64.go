package recording

import (
	"encoding/binary"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// findWriters finds the descriptors by which the program may write files that it has mapped in
// shared memory.
func (s *sharedFiles) findWriters() error {
	s.writers = nil
	return s.eachDescriptor(func(_ *sharedFile, fd int, flags uint64) error {
		if flags&unix.O_ACCMODE != unix.O_RDONLY {
			s.writers = append(s.writers, fd)
		}
		return nil
	})
}

// noteDescriptors finds them again after a system call that may have made one. One that is not
// found only ends the recording when the program writes to it: it is reported, and without a stop
// nothing says that the program has done it.
func (s *sharedFiles) noteDescriptors(g *ptrace.Regs) error {
	result := int64(s.run.Regs.RAX)
	if len(s.list) == 0 || result < 0 {
		return nil
	}
	switch g.RAX {
	case unix.SYS_RECVMSG:
		var length [8]byte
		const control = 40 // offset of msg_controllen
		if _, err := s.run.Memory().Read(g.RSI+control, length[:]); err == nil && binary.LittleEndian.Uint64(length[:]) == 0 {
			return nil
		}
		return s.findWriters()
	case unix.SYS_RECVMMSG:
		return s.findWriters()
	}
	if !opens(g) {
		return nil
	}
	if id, _, err := identify(descriptorPath(s.run.Thread(), int(result))); err != nil || s.find(id) == nil {
		return nil //nolint:nilerr // it is closed again
	}
	return s.findWriters()
}

// opens reports whether a system call returns a descriptor that may be one of any file.
func opens(g *ptrace.Regs) bool {
	switch g.RAX {
	case unix.SYS_OPEN, unix.SYS_OPENAT, unix.SYS_OPENAT2, unix.SYS_CREAT, unix.SYS_OPEN_BY_HANDLE_AT,
		unix.SYS_DUP, unix.SYS_DUP2, unix.SYS_DUP3, unix.SYS_PIDFD_GETFD:
		return true
	case unix.SYS_FCNTL:
		return g.RSI == unix.F_DUPFD || g.RSI == unix.F_DUPFD_CLOEXEC
	}
	return false
}
