package audit

import (
	"context"
	"fmt"
	"time"
)

// A lock is a mutex that a caller may stop waiting for. [sync.Mutex] cannot be waited for with
// a limit, and a disk that hangs must not stop the whole server. It is locked while the
// channel holds an element.
type lock chan struct{}

// newLock returns a lock that is free.
func newLock() lock { return make(lock, 1) }

// acquire waits without a limit: for the timer and for Close, which no client waits
// for.
func (k lock) acquire() { k <- struct{}{} }

// release frees the lock. Only its holder may call it.
func (k lock) release() { <-k }

// maxWait limits how long a caller waits for others that open the chain or write: a
// disk may hang.
const maxWait = 10 * time.Second

// errHangs is the error of records whose writing takes longer than maxWait: the disk or
// the store does not answer. The writing goes on.
var errHangs = fmt.Errorf("writing the audit trail takes longer than %v", maxWait)

// acquire waits for a lock, or until done is closed by the goroutine that does the caller's
// work; then finished is true and the lock is not held. It gives up when ctx ends, and after
// maxWait with errHangs. With a nil done it waits for the lock alone. The caller releases the
// lock only if both results are zero.
func (l *Log) acquire(ctx context.Context, k lock, done <-chan struct{}) (finished bool, err error) {
	select {
	case <-done:
		return true, nil
	case k <- struct{}{}: // without contention there is no need for a timer
		return false, nil
	default:
	}
	timer, _ := l.timers.Get().(*time.Timer)
	if timer == nil {
		timer = time.NewTimer(maxWait)
	} else {
		timer.Reset(maxWait)
	}
	defer l.timers.Put(timer)
	defer timer.Stop()
	select {
	case <-done:
		return true, nil
	case <-ctx.Done():
		return false, ctx.Err()
	case <-timer.C:
		return false, errHangs
	case k <- struct{}{}:
		return false, nil
	}
}
