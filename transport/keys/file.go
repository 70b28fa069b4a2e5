package keys

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"
)

const (
	fileName = "keys.json"
	lockName = ".lock"
	// fileFormat is the version of the file's form.
	fileFormat = 1
	// maxFileBytes is the largest file that is read: some 100,000 keys.
	maxFileBytes = 64 << 20
	// lockWait is how long a change waits for other processes.
	lockWait = 5 * time.Second
	// settled is how old a file's time must be before we trust that a later
	// change has another one; file systems count in steps of a few
	// milliseconds.
	settled = 100 * time.Millisecond
)

// A FileStore keeps keys in the file keys.json of a folder: hashes, no secrets.
// The file is replaced as a whole, under a lock that all processes heed, and
// synced before a change is acknowledged. People may edit it; what is not valid
// then is reported in the log, the last good ring stays, and nothing is changed
// until the file is valid again. A file that goes away is a ring without keys.
type FileStore struct {
	*cache
	*desk
	dir string
	log *slog.Logger

	mu       sync.Mutex
	reported string // the last error that was logged, so that it is logged once
}

var _ Store = (*FileStore)(nil)

// OpenFile opens the store in a folder, which the first change makes with mode
// 0700. A file that is there must be valid.
func OpenFile(dir string, log *slog.Logger, now func() time.Time) (*FileStore, error) {
	s := &FileStore{dir: dir, log: log.With("component", "keys")}
	s.cache, s.desk = newCache(s.load), &desk{backend: s, now: now}
	if _, err := s.current(context.Background()); err != nil {
		return nil, err
	}
	return s, nil
}

// Close implements [Store].
func (s *FileStore) Close() error { return nil }

func (s *FileStore) path() string { return filepath.Join(s.dir, fileName) }

// load reads the ring if the file has changed. What is wrong with the file is
// reported, and the last ring stays: a mistake in the file neither opens the
// door to anybody nor shuts everybody out.
func (s *FileStore) load(_ context.Context, last *ring) (*ring, error) {
	if last != nil && last.version != "" && last.version == s.versionNow() {
		return last, nil
	}
	r, err := s.read()
	if err != nil && last != nil {
		s.report(err)
		return last, nil
	}
	s.report(nil)
	return r, err
}

// report logs an error once, however often the file is read.
func (s *FileStore) report(err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	s.mu.Lock()
	again := text == s.reported
	s.reported = text
	s.mu.Unlock()
	if err != nil && !again {
		s.log.Error("the file of keys is not valid; the keys before it stay", "path", s.path(), "err", err)
	}
}

// noFile is the version of a file that is not there.
const noFile version = "none"

// versionNow is the version of the file; "" when that cannot be told.
func (s *FileStore) versionNow() version {
	info, err := os.Stat(s.path())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return noFile
	case err != nil:
		return ""
	}
	return versionOf(info)
}

// versionOf is the version of a file that has that state; "" when its time is
// so near that the next state may look the same.
func versionOf(info fs.FileInfo) version {
	if time.Since(info.ModTime()).Abs() < settled {
		return ""
	}
	return version(fmt.Sprintf("%d %d %d", info.Size(), info.ModTime().UnixNano(), inode(info)))
}

// A keyFile is the form of the file.
type keyFile struct {
	Version int      `json:"version"`
	Keys    []Record `json:"keys"`
}

// read reads the file as it is now.
func (s *FileStore) read() (*ring, error) {
	f, err := os.Open(s.path())
	if errors.Is(err, fs.ErrNotExist) {
		return newRing(noFile, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	defer func() { _ = f.Close() }() // it was only read
	r, err := readRing(f)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrUnavailable, s.path(), err)
	}
	return r, nil
}

func readRing(f *os.File) (*ring, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if err := checkMode(info); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return nil, err
	}
	records, err := decodeFile(data)
	if err != nil {
		return nil, err
	}
	return newRing(versionOf(info), records)
}

// othersWrite are the permissions that would let anybody make keys.
const othersWrite = 0o022

func checkMode(info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return errors.New("it is no regular file")
	}
	if mode := info.Mode().Perm(); mode&othersWrite != 0 {
		return fmt.Errorf("others may write it (mode %#o); it must have mode 0600", mode)
	}
	return nil
}

// decodeFile reads the file's form strictly: a field that is misspelled could
// be the one that takes a right away.
func decodeFile(data []byte) ([]Record, error) {
	if len(data) > maxFileBytes {
		return nil, fmt.Errorf("it is larger than %d bytes", maxFileBytes)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var file keyFile
	if err := dec.Decode(&file); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is something after the JSON object")
	}
	if file.Version != fileFormat {
		return nil, fmt.Errorf("it has version %d of the format, not %d", file.Version, fileFormat)
	}
	return file.Keys, nil
}

// rewrite replaces the file by what edit makes of its records, while no other
// process does.
func (s *FileStore) rewrite(ctx context.Context, edit func(*ring) ([]Record, error)) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
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

func (s *FileStore) rewriteLocked(edit func(*ring) ([]Record, error)) error {
	old, err := s.read()
	if err != nil {
		return err
	}
	records, err := edit(old)
	if err != nil {
		return err
	}
	fresh, err := newRing("", records)
	if err != nil {
		return err
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

// write replaces the file; it is on disk when write returns.
func (s *FileStore) write(data []byte) error {
	if err := renameio.WriteFile(s.path(), data, 0o600, renameio.WithTempDir(s.dir)); err != nil {
		return err
	}
	dir, err := os.Open(s.dir)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// insert implements [backend].
func (s *FileStore) insert(ctx context.Context, r Record) (added bool, err error) {
	err = s.rewrite(ctx, func(old *ring) ([]Record, error) {
		if _, err := old.get(r.ID); err == nil {
			return old.records, nil
		}
		added = true
		return append(old.records, r), nil
	})
	return added, s.settle(ctx, err)
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
	if err = s.settle(ctx, err); err != nil {
		return Record{}, err
	}
	return changed, nil
}

// settle lets this process see its own change.
func (s *FileStore) settle(ctx context.Context, err error) error {
	if err != nil {
		return err
	}
	return s.refresh(context.WithoutCancel(ctx), s.clock())
}
