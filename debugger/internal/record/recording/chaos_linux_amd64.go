package recording

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// patience is the time for which all threads wait for each other before that is a deadlock: a
// signal may come.
const patience = 300 * time.Millisecond

// awaitOrEnd is await, but kills the program if that is wanted and it has a deadlock.
func (r *recorder) awaitOrEnd(ctx context.Context) (ended bool, err error) {
	if !r.endDeadlocks || !r.log.deadlocked() {
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
