package filestore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// locked runs a change while no other goroutine or process changes a file or its
// history. The folder is created, and a batch that a killed process left is finished.
func (s *Store) locked(ctx context.Context, change func() error) error {
	if err := os.MkdirAll(s.folder.dir, 0o755); err != nil {
		return unavailable(err)
	}
	return s.lockedIn(ctx, change)
}

// lockedIn is locked for a folder that is there: it fails where there is none, so that
// who records what others did never makes a folder that people have moved away.
func (s *Store) lockedIn(ctx context.Context, change func() error) error {
	ctx, stop := context.WithTimeout(ctx, lockWait)
	defer stop()
	unlock, err := s.lock(ctx)
	if err != nil {
		return unavailable(fmt.Errorf("waiting for other processes: %w", err))
	}
	defer unlock()
	s.watched.index.beginChange(s.folder.modified())
	defer func() { s.watched.index.endChange(s.folder.modified()) }()
	if err := s.batches.finish(); err != nil {
		return err
	}
	return change()
}

// lock takes the lock of this store, then the one that all processes share, so
// that at most one goroutine of the store waits for other processes.
func (s *Store) lock(ctx context.Context) (unlock func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	file := flock.New(filepath.Join(s.folder.dir, lockName))
	unlock = func() {
		_ = file.Close() // the lock ends with the file
		<-s.turn
	}
	locked, err := file.TryLock()
	if err != nil {
		unlock()
		return nil, err
	}
	if locked {
		return unlock, nil
	}
	return waitForLock(ctx, file, unlock)
}

// waitForLock waits in the kernel, which wakes waiters in turn. The system call
// has no time limit, so a goroutine makes it; when ctx ends first, the goroutine
// releases the lock once it has it.
func waitForLock(ctx context.Context, file *flock.Flock, unlock func()) (func(), error) {
	got := make(chan error)
	go func() {
		err := file.Lock()
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
			return nil, err
		}
		return unlock, nil
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), errors.New("the lock is held"))
	}
}
