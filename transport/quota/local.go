package quota

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"
)

const (
	lockName    = ".lock"
	journalName = "counts.jsonl"
	// openWait limits the time that a process waits for the one before it to end.
	openWait = 5 * time.Second
	openPoll = 10 * time.Millisecond
)

// A Local is a meter of one process. The counts are in its memory, and ahead of it in a
// journal.
//
// Locks are taken in this order: a counter's, the journal's. A counter is locked while
// the journal writes a block for it: no request could be granted from it before. Counters
// of different keys do not wait for each other; their lines share a write.
type Local struct {
	lock     *flock.Flock
	journal  *journal
	closed   atomic.Bool
	counters sync.Map // key string → *counter
}

var _ Meter = (*Local)(nil)

// OpenLocal opens the meter in a folder, which it makes with mode 0700. When another
// process has it, the log says so, and when that does not end within some seconds, the
// error wraps [ErrInUse]. A journal that cannot be read is an error, too: counting from
// zero would give every key its month again.
func OpenLocal(ctx context.Context, dir string, log *slog.Logger) (*Local, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	log = log.With("component", "quota")
	lock, err := lockFolder(ctx, dir, log)
	if err != nil {
		return nil, err
	}
	j, err := openJournal(filepath.Join(dir, journalName), log)
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	l := &Local{lock: lock, journal: j}
	for _, line := range j.live {
		l.counters.Store(line.Key, line.counter())
	}
	return l, nil
}

// lockFolder takes the lock of a folder, waiting up to openWait for a process that is
// about to end, such as the one that a supervisor has just stopped. It logs at once which
// process it waits for.
func lockFolder(ctx context.Context, dir string, log *slog.Logger) (*flock.Flock, error) {
	path := filepath.Join(dir, lockName)
	lock := flock.New(path)
	locked, err := lock.TryLock()
	if err == nil && !locked {
		log.Warn("another process counts requests in this folder, and is waited for", "path", dir, "pid", holder(path), "dur", openWait)
		ctx, stop := context.WithTimeout(ctx, openWait)
		defer stop()
		locked, err = lock.TryLockContext(ctx, openPoll)
	}
	switch {
	case locked:
		sign(path)
		return lock, nil
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return nil, fmt.Errorf("%w: process %s in %s; one server counts in a data folder, several share a Valkey server", ErrInUse, holder(path), dir)
	}
	return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
}

// sign writes our process id into the file of a lock, for the messages to people only.
func sign(path string) {
	_ = os.WriteFile(path, fmt.Appendln(nil, os.Getpid()), 0o600) // they look themselves then
}

// holder returns the id of the process that signed last, or "unknown".
func holder(path string) string {
	text, _ := os.ReadFile(path) // some systems let no process read a locked file
	if pid, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
		return strconv.Itoa(pid)
	}
	return "unknown"
}

// counter returns the counter of a key, the same for all callers.
func (l *Local) counter(key string) *counter {
	if c, ok := l.counters.Load(key); ok {
		return c.(*counter)
	}
	c, _ := l.counters.LoadOrStore(key, new(counter))
	return c.(*counter)
}

// Take implements [Meter].
func (l *Local) Take(ctx context.Context, key string, limits Limits, now time.Time) (Usage, error) {
	return l.TakeAll(ctx, key, limits, 1, now)
}

// TakeAll implements [Meter].
func (l *Local) TakeAll(_ context.Context, key string, limits Limits, n int64, now time.Time) (Usage, error) {
	c := l.counter(key)
	c.mu.Lock()
	defer c.mu.Unlock()
	if l.closed.Load() {
		return Usage{}, ErrClosed
	}
	c.roll(now)
	if err := c.usage(limits).exceeded(n); err != nil {
		return c.usage(limits), err
	}
	if c.used+n > c.covered {
		if err := l.coverLocked(key, c, limits, n); err != nil {
			return c.usage(limits), err
		}
	}
	c.used += n
	c.burst += n
	return c.usage(limits), nil
}

// coverLocked writes a block down as used, in which n requests have room: no more than is
// left of the month. The counter's lock is held, also while the disk syncs: nothing could
// be granted before. On error nothing has changed.
func (l *Local) coverLocked(key string, c *counter, limits Limits, n int64) error {
	block := min(max(blockOf(limits), n), c.usage(limits).Month.Remaining())
	line := lineOf(key, c)
	line.Used += block
	line.Burst += block
	line.Spare = block
	if err := l.journal.add(line); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	c.covered = line.Used
	return nil
}

// Peek implements [Meter]. It changes nothing, not even the windows of the counter.
func (l *Local) Peek(_ context.Context, key string, limits Limits, now time.Time) (Usage, error) {
	var peeked counter
	if found, ok := l.counters.Load(key); ok {
		c := found.(*counter)
		c.mu.Lock()
		peeked.tally, peeked.spare = c.tally, c.spare
		c.mu.Unlock()
	}
	if l.closed.Load() {
		return Usage{}, ErrClosed
	}
	peeked.roll(now)
	return peeked.usage(limits), nil
}

// Close implements [Meter]: it writes down what was really used, so that the next process
// goes on from there, and releases the folder. A second call does nothing.
func (l *Local) Close() error {
	if l.closed.Swap(true) {
		return nil
	}
	exact := map[string]line{}
	l.counters.Range(func(key, found any) bool {
		c := found.(*counter)
		c.mu.Lock()
		defer c.mu.Unlock()
		exact[key.(string)] = lineOf(key.(string), c)
		return true
	})
	return errors.Join(l.journal.close(exact), l.lock.Close())
}
