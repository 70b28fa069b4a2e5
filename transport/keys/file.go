package keys

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/mcp/host"
)

// fileName is the name of the file with the keys in the store's folder.
const fileName = "keys.json"

// A FileStore stores keys in the file keys.json of a folder: hashes, no secrets. The file is
// replaced as a whole, under a lock that all processes respect, and synced before a change is
// acknowledged: a crash leaves the old or the new ring.
//
// People may edit the file. What is not valid then is reported in the log, the last good ring
// stays in use, and nothing is changed until the file is valid again. A file that is removed
// is a ring without keys.
type FileStore struct {
	*cache
	*manager
	dir string
	log *slog.Logger

	mu       sync.Mutex
	reported string // the last error that was logged, so that it is logged once
}

var _ Store = (*FileStore)(nil)

// OpenFile opens the store in a folder, which the first change makes with mode 0700. A file
// that is there must be valid, and writable by its owner only. A new key that names no scopes
// gets those given here. now is the clock for new times; it is not used to measure.
func OpenFile(dir string, log *slog.Logger, now func() time.Time, scopes ...host.Scope) (*FileStore, error) {
	s := &FileStore{dir: dir, log: log.With("component", "keys")}
	s.cache, s.manager = newCache(s.load), &manager{backend: s, now: now, scopes: scopes}
	if _, err := s.current(context.Background()); err != nil {
		return nil, err
	}
	return s, nil
}

// Close implements [Store]. There is nothing to release.
func (s *FileStore) Close() error { return nil }

// path returns the path of the file.
func (s *FileStore) path() string { return filepath.Join(s.dir, fileName) }

// load is the load of the cache. It reads the ring if the file has changed. If the file is not
// valid, load returns the last ring, which stays in use, or without one the error: a mistake
// in the file neither authenticates a client that has no key nor rejects all others.
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

// report logs an error once, however often the file is read, and again after the file was
// valid in between.
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

// read reads the file as it is now. A file that does not exist is an empty ring with the
// version noFile. It takes no lock: a writer replaces the file, so it reads the old or the new
// one.
func (s *FileStore) read() (*ring, error) {
	f, err := os.Open(s.path())
	if errors.Is(err, fs.ErrNotExist) {
		return &ring{version: noFile}, nil
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
