package recording

import (
	"encoding/binary"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// With chaos the program sees what the kernel may do but seldom does. Each of these is permitted by
// a manual page of Linux, so that a program that fails by it is wrong:
//
//   - reads from pipes, terminals and stream sockets are short: read(2), recv(2);
//   - writes to them are short, where the descriptor does not block, or a handler of a signal
//     could interrupt the call. Up to PIPE_BUF bytes are written to a pipe at once: write(2), pipe(7);
//   - FUTEX_WAIT returns without being woken: futex(2), return value;
//   - epoll_wait and sigwaitinfo fail with EINTR without a handler, as after SIGCONT: signal(7),
//     interruption of system calls by stop signals;
//   - new mappings are anywhere: mmap(2).
//
// Other calls fail with EINTR only when a handler has run: see postpone.

// disturb changes a system call that is about to be made first, with chaos, to one that the kernel
// could have made of it, until the function that it returns is called.
func (a *adjuster) disturb(c *call) (restore func() error, err error) {
	s, g := a.scheduler, &c.regs
	if s.chaos == nil {
		return unchanged, nil
	}
	switch g.RAX {
	case unix.SYS_READ, unix.SYS_RECVFROM, unix.SYS_READV, unix.SYS_WRITE, unix.SYS_SENDTO:
		if g.RDX > 1 && s.chance(4) && a.mayBeShort(g) {
			a.log.run.Regs.RDX, c.altered = 1+s.random.Uint64N(g.RDX-1), true
		}
	case unix.SYS_MMAP:
		if s.chaos.moves && g.RDI == 0 && g.R10&(unix.MAP_ANONYMOUS|unix.MAP_FIXED|unix.MAP_32BIT) == unix.MAP_ANONYMOUS {
			a.log.run.Regs.RDI, c.altered = placesStart+s.random.Uint64N(placesSize)&^(1<<21-1), true
		}
	}
	return a.hasten(c)
}

// Mappings are moved to these addresses, of which the kernel chooses none by itself.
const (
	placesStart = 0x1000_0000_0000
	placesSize  = 0x2000_0000_0000
)

// pipeBuf is PIPE_BUF of limits.h.
const pipeBuf = 4096

// A stream is a descriptor of a pipe, a terminal or a stream socket: transfers of bytes may be short.
type stream struct{ isPipe, blocks bool }

// mayBeShort reports whether a system call that reads or writes may transfer fewer bytes.
func (a *adjuster) mayBeShort(g *ptrace.Regs) bool {
	switch s, ok := a.stream(int(int32(g.RDI))); {
	case !ok:
		return false
	case g.RAX == unix.SYS_READ, g.RAX == unix.SYS_READV:
		return true
	case g.RAX == unix.SYS_RECVFROM:
		return g.R10&(unix.MSG_WAITALL|unix.MSG_PEEK) == 0
	case s.isPipe && g.RDX <= pipeBuf:
		return false
	default:
		return !s.blocks || g.RAX == unix.SYS_SENDTO && g.R10&unix.MSG_DONTWAIT != 0 || a.mayBeInterrupted()
	}
}

// stream returns what a descriptor is, if it is a pipe, a terminal or a stream socket.
func (a *adjuster) stream(fd int) (s stream, ok bool) {
	name, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", a.pid, fd))
	if err != nil {
		return s, false
	}
	s.isPipe = strings.HasPrefix(name, "pipe:")
	isSocket := strings.HasPrefix(name, "socket:")
	if !s.isPipe && !isSocket && !strings.HasPrefix(name, "/dev/pts/") && !strings.HasPrefix(name, "/dev/tty") {
		return s, false
	}
	own, err := copyDescriptor(a.pid, fd)
	if err != nil {
		return s, false
	}
	defer func() { _ = unix.Close(own) }()
	if isSocket {
		if kind, err := unix.GetsockoptInt(own, unix.SOL_SOCKET, unix.SO_TYPE); err != nil || kind != unix.SOCK_STREAM {
			return s, false
		}
	}
	flags, err := unix.FcntlInt(uintptr(own), unix.F_GETFL, 0)
	s.blocks = flags&unix.O_NONBLOCK == 0
	return s, err == nil
}

// uninteresting is the set of signals whose handlers do not make short writes likely: faults, and those
// that the C library keeps for itself (nptl(7)).
const uninteresting = 1<<(unix.SIGILL-1) | 1<<(unix.SIGTRAP-1) | 1<<(unix.SIGABRT-1) | 1<<(unix.SIGBUS-1) |
	1<<(unix.SIGFPE-1) | 1<<(unix.SIGSEGV-1) | 1<<(unix.SIGSYS-1) | 1<<31 | 1<<32

// mayBeInterrupted reports whether the current thread may handle a signal.
func (a *adjuster) mayBeInterrupted() bool {
	status, err := procfs.ReadStatus(fmt.Sprintf("/proc/%d/task/%d/status", a.pid, a.log.run.Thread()))
	return err == nil && status.Bits("SigCgt")&^status.Bits("SigBlk")&^uninteresting != 0
}

// returnsEarly returns the result of a system call that waits, if it is to return before it has
// begun to wait.
func (a *adjuster) returnsEarly(g *ptrace.Regs) (result uint64, ok bool) {
	s := a.scheduler
	if s.chaos == nil || a.log.run.Inside() {
		return 0, false
	}
	interrupted, timedOut := unix.EINTR, unix.ETIMEDOUT
	switch g.RAX {
	case unix.SYS_FUTEX:
		op := g.RSI & futexOperation
		switch {
		case op != futexWait && op != futexWaitBitset || !a.wouldWait(g):
			return 0, false
		case s.chance(8):
			return 0, true
		}
		return -uint64(timedOut), a.expires(g)
	case unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP:
		return 0, a.expires(g)
	case unix.SYS_EPOLL_WAIT, unix.SYS_EPOLL_PWAIT:
		return -uint64(interrupted), int32(g.R10) != 0 && s.chance(8)
	case unix.SYS_RT_SIGTIMEDWAIT:
		return -uint64(interrupted), g.RDX == 0 && s.chance(8)
	}
	return 0, false
}

// wouldWait reports whether a futex has the value for which a system call waits.
func (a *adjuster) wouldWait(g *ptrace.Regs) bool {
	var word [futexWordSize]byte
	n, _ := a.log.run.Memory().Read(g.RDI, word[:])
	return n == len(word) && binary.LittleEndian.Uint32(word[:]) == uint32(g.RDX)
}
