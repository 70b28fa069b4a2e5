package keys

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/triptych-mcp/triptych/mcp/atomicfile"
	"github.com/triptych-mcp/triptych/transport/internal/private"
)

const (
	lockName = ".lock"
	// lockWait limits the time that a change waits for other processes.
	lockWait = 5 * time.Second
)

// rewrite replaces the file by what edit makes of its records, while no other process does.
// When it returns nil, the change survives a power cut. An error of edit is returned as it is
// and nothing is written; the lock waits at most lockWait and no longer than ctx.
func (s *FileStore) rewrite(ctx context.Context, edit func(*ring) ([]Record, error)) error {
	if err := private.MakeDir(s.dir); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	ctx, stop := context.WithTimeout(ctx, lockWait)
	defer stop()
	lock := flock.New(filepath.Join(s.dir, lockName))
	if _, err := lock.TryLockContext(ctx, time.Millisecond); err != nil {
		return fmt.Errorf("%w: waiting for other processes: %w", ErrUnavailable, err)
	}
	return errors.Join(s.rewriteLocked(edit), lock.Close())
}

// rewriteLocked replaces the file by what edit makes of its records. The caller holds the lock
// of the folder, so no other process changes the file meanwhile. A result with a record that
// is not valid is refused as a whole.
func (s *FileStore) rewriteLocked(edit func(*ring) ([]Record, error)) error {
	old, err := s.read()
	if err != nil {
		return err
	}
	records, err := edit(old)
	if err != nil {
		return err
	}
	fresh, errs := newRing("", records)
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	data, err := json.MarshalIndent(keyFile{fileFormat, fresh.records}, "", "  ")
	if err != nil {
		return err
	}
	if len(data) >= maxFileBytes {
		return fmt.Errorf("the file of keys may have %d bytes at most", maxFileBytes)
	}
	if err := s.write(append(data, '\n')); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
}

// onDisk is the confirmation of a change of the file: it is synced.
var onDisk = Confirmation{Synced: true, OnDisk: true}

// write replaces the file; it is on disk when write returns.
func (s *FileStore) write(data []byte) error { return atomicfile.Write(s.path(), data, 0o600) }

// insert implements [backend]. The file is replaced even if the ID is taken, which a random
// one never is.
func (s *FileStore) insert(ctx context.Context, r Record) (added bool, err error) {
	err = s.rewrite(ctx, func(old *ring) ([]Record, error) {
		if _, err := old.get(r.ID); err == nil {
			return old.records, nil
		}
		added = true
		return append(old.records, r), nil
	})
	s.catchUp(ctx)
	return added && err == nil, err
}

// change implements [backend].
func (s *FileStore) change(ctx context.Context, id string, edit func(Record) (Record, error)) (changed Record, err error) {
	err = s.rewrite(ctx, func(old *ring) ([]Record, error) {
		r, err := old.get(id)
		if err != nil {
			return nil, err
		}
		if changed, err = edit(r); err != nil {
			return nil, err
		}
		return old.with(changed), nil
	})
	s.catchUp(ctx)
	if err != nil {
		return Record{}, err
	}
	confirm(ctx, onDisk)
	return changed, nil
}

// CreateFirst implements [Store]. The check and the change are under one lock.
func (s *FileStore) CreateFirst(ctx context.Context, kind Kind, settings Settings) (Record, Token, error) {
	only := *s.manager
	only.backend = firstInFile{s}
	r, t, err := only.Create(ctx, kind, settings)
	if errors.Is(err, errNotFirst) {
		return Record{}, Token{}, nil
	}
	return r, t, err
}

// firstInFile is a backend that inserts a record only if there is no other.
type firstInFile struct{ *FileStore }

// insert implements [backend].
func (f firstInFile) insert(ctx context.Context, r Record) (bool, error) {
	err := f.rewrite(ctx, func(old *ring) ([]Record, error) {
		if len(old.records) > 0 {
			return nil, errNotFirst
		}
		return []Record{r}, nil
	})
	f.catchUp(ctx)
	return err == nil, err
}
