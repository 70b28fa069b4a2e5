package recording

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

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
