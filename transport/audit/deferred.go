package audit

import (
	"sync"
	"time"
)

// The times of work that no caller waits for.
const (
	// syncDelay is the time after which a record that was only written is synced.
	// With the sync itself it is less than a second.
	syncDelay = 900 * time.Millisecond
	// signEvery is the shortest time between two signed heads, unless a file or
	// the log ends.
	signEvery = time.Second
)

// deferred is the state of syncs and signatures that no caller waits for. It is guarded by the
// Log's mu. A log that nothing is added to has no timer, except one of a store, which signs
// from time to time to show that its server runs.
type deferred struct {
	timer    *time.Timer
	armed    bool
	jobs     sync.WaitGroup // counts the timer while it is armed or runs
	oldest   time.Time      // when the oldest record that is not synced was written
	openedAt time.Time      // when the chain was opened
	signedAt time.Time      // when the last head was signed
	unsigned bool           // lines were written after the last signed head
	failedAt time.Time      // when the last deferred sync failed, zero if it did not
}

// scheduleLocked arms the timer for the next sync or signature that no caller waits for. It is
// called after everything that may have made one due. The log has one timer: it is set to what
// is due first, and looks again when it has fired.
func (l *Log) scheduleLocked() {
	if l.armed || l.closed {
		return
	}
	due, ok := l.dueLocked()
	if !ok {
		return
	}
	l.armed = true
	l.jobs.Add(1)
	if wait := time.Until(due); l.timer == nil {
		l.timer = time.AfterFunc(wait, l.runDeferred)
	} else {
		l.timer.Reset(wait)
	}
}

// dueLocked returns when the next deferred sync or signature is due; ok is false if there is
// none. After a failure it is not due again before syncDelay, so that a full disk is not tried
// without a pause.
func (l *Log) dueLocked() (due time.Time, ok bool) {
	switch {
	case l.written.Load() != l.synced.Load():
		due = l.oldest.Add(syncDelay)
	case l.unsigned:
		due = l.signedAt.Add(signEvery)
	case l.open && l.idleSign > 0:
		due = l.idleDueLocked()
	default:
		return due, false
	}
	if again := l.failedAt.Add(syncDelay); !l.failedAt.IsZero() && again.After(due) {
		due = again
	}
	return due, true
}

// idleDueLocked returns when the head is signed though no record was added: idleSign after the
// last signature of this process, or after it has opened the chain.
func (l *Log) idleDueLocked() time.Time {
	if l.signedAt.After(l.openedAt) {
		return l.signedAt.Add(l.idleSign)
	}
	return l.openedAt.Add(l.idleSign)
}

// stopTimerLocked stops the timer, unless its function runs already; Close waits for that.
func (l *Log) stopTimerLocked() {
	if l.armed && l.timer.Stop() {
		l.armed = false
		l.jobs.Done()
	}
}

// runDeferred is the function of the timer: it runs a round, unless a caller has done the work
// meanwhile.
func (l *Log) runDeferred() {
	defer l.jobs.Done()
	l.mu.Lock()
	l.armed = false
	due, ok := l.dueLocked()
	if l.closed || !ok || time.Until(due) > 0 {
		l.scheduleLocked() // a change was synced meanwhile
		l.mu.Unlock()
		return
	}
	l.mu.Unlock()
	l.syncing.acquire()
	defer l.syncing.release()
	l.mu.Lock()
	closed := l.closed
	l.mu.Unlock()
	if !closed {
		_ = l.runRound(false) // it is logged, and the next Write or Commit returns it
	}
}
