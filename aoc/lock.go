package aoc

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// lockWait limits how long Record waits for the lock.
var lockWait = 10 * time.Second // tests change it

// lockForChange creates the folder of the speeds if need be and locks it.
func (b *Book) lockForChange(ctx context.Context) (unlock func(), err error) {
	if err := os.MkdirAll(b.speeds(), 0o755); err != nil {
		return nil, withoutFolder(err)
	}
	return b.lock(ctx)
}

// lock excludes other writers in this and other processes. Goroutines of this
// process take turns first, so that at most one of them waits for the system's
// lock.
func (b *Book) lock(ctx context.Context) (unlock func(), err error) {
	ctx, stop := context.WithTimeout(ctx, lockWait)
	defer stop()
	if err := ctx.Err(); err != nil {
		return nil, notLocked(err)
	}
	select {
	case b.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, notLocked(ctx.Err())
	}
	lock := flock.New(filepath.Join(b.speeds(), ".lock"))
	unlock = func() {
		_ = lock.Close() // closing releases the lock
		<-b.turn
	}
	switch locked, err := lock.TryLock(); {
	case err != nil:
		unlock()
		return nil, notLocked(err)
	case locked:
		return unlock, nil
	}
	return queue(ctx, lock, unlock)
}

// queue blocks in flock(2) instead of polling, because a polling process can
// starve. flock has no timeout, so a goroutine waits; if ctx ends first, that
// goroutine releases the lock when it gets it.
func queue(ctx context.Context, lock *flock.Flock, unlock func()) (func(), error) {
	got := make(chan error)
	go func() {
		err := lock.Lock()
		select {
		case got <- err:
		case <-ctx.Done():
			unlock()
		}
	}()
	select {
	case err := <-got:
		if err != nil {
			unlock()
			return nil, notLocked(err)
		}
		return unlock, nil
	case <-ctx.Done():
		return nil, notLocked(ctx.Err())
	}
}

func notLocked(err error) error {
	return fmt.Errorf("waiting for the lock on the speeds: %w", withoutFolder(err))
}
