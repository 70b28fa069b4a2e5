package recording

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// disturb changes a system call that is about to be made first, with chaos, to one that the kernel
// could have made of it: a read from a pipe or a stream may be short, and a mapping be anywhere.
func (r *recorder) disturb(c *call) {
	s := r.scheduler
	if s.chaos == nil || !c.began.IsZero() || r.run.Inside() {
		return
	}
	switch g := &c.regs; g.RAX {
	case unix.SYS_READ, unix.SYS_RECVFROM:
		if g.RDX > 1 && s.chance(4) && r.isStream(int(int32(g.RDI))) && !waitsForAll(g) {
			r.run.Regs.RDX, c.altered = 1+s.random.Uint64N(g.RDX-1), true
		}
	case unix.SYS_MMAP:
		if s.chaos.moves && g.RDI == 0 && g.R10&(unix.MAP_ANONYMOUS|unix.MAP_FIXED|unix.MAP_32BIT) == unix.MAP_ANONYMOUS {
			r.run.Regs.RDI, c.altered = placesStart+s.random.Uint64N(placesSize)&^(1<<21-1), true
		}
	}
}

// Mappings are moved to these addresses, of which the kernel chooses none by itself.
const (
	placesStart = 0x1000_0000_0000
	placesSize  = 0x2000_0000_0000
)

// waitsForAll reports whether a system call waits until it has received as many bytes as it is
// called for, or leaves them where they are.
func waitsForAll(g *ptrace.Regs) bool {
	return g.RAX == unix.SYS_RECVFROM && g.R10&(unix.MSG_WAITALL|unix.MSG_PEEK) != 0
}

// isStream reports whether a descriptor is a pipe or a stream socket.
func (r *recorder) isStream(fd int) bool {
	name, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", r.pid, fd))
	if err != nil || strings.HasPrefix(name, "pipe:") {
		return err == nil
	}
	if !strings.HasPrefix(name, "socket:") {
		return false
	}
	socket, err := r.descriptor(fd)
	if err != nil {
		return false
	}
	kind, err := unix.GetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_TYPE)
	return errors.Join(err, unix.Close(socket)) == nil && kind == unix.SOCK_STREAM
}

// patience is the time for which all threads wait for each other before that is a deadlock: a
// signal may come.
const patience = 300 * time.Millisecond

// awaitOrEnd is await, but kills the program if that is wanted and it has a deadlock.
func (r *recorder) awaitOrEnd(ctx context.Context) (ended bool, err error) {
	if !r.endDeadlocks || !r.deadlocked() {
		return r.await(ctx)
	}
	short, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if ended, err = r.await(short); !errors.Is(err, errStopped) || ctx.Err() != nil {
		return ended, err
	}
	r.result.Deadlock = true
	if err := unix.Kill(r.pid, unix.SIGKILL); err != nil {
		return false, err
	}
	return r.await(ctx)
}

// deadlocked reports whether all threads wait without a timeout for private futexes, or for each
// other's ends.
func (r *recorder) deadlocked() bool {
	for _, t := range r.threads {
		if t.call == nil || !parks(&t.call.regs) && !r.joins(&t.call.regs) {
			return false
		}
	}
	return true
}

// joins reports whether a system call waits without a timeout for the end of a thread: for the
// futex that the kernel wakes then.
func (r *recorder) joins(g *ptrace.Regs) bool {
	if op := g.RSI & futexOperation; g.RAX != unix.SYS_FUTEX || op != futexWait && op != futexWaitBitset || g.R10 != 0 {
		return false
	}
	for _, t := range r.threads {
		if t.clear != 0 && t.clear == g.RDI {
			return true
		}
	}
	return false
}
