package filestore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"go.yaml.in/yaml/v3"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

const (
	suffix   = ".md"
	lockName = ".lock"
	tempName = ".new-*"
	// MaxFileBytes is the largest file that is a ruleset.
	MaxFileBytes = 16 << 20
	// lockWait is how long a change waits for other processes.
	lockWait = 5 * time.Second
	// staleAfter is when a temporary file cannot be in use any more.
	staleAfter = time.Hour
)

// A Store is a folder of rulesets. Its methods may be called from any goroutine.
type Store struct {
	dir   string
	log   *slog.Logger
	now   func() time.Time
	feeds feeds
	cache cache

	mu       sync.Mutex
	known    map[ruleset.Name]entry
	reported map[string]stamp // files that are no rulesets
	swept    bool             // whether old temporary files were removed
}

// An entry is what was read of a file that had that stamp.
type entry struct {
	stamp stamp
	meta  ruleset.Meta
}

// A stamp changes when a file does.
type stamp struct {
	size     int64
	modified time.Time
	inode    uint64
}

// Open returns the store in a folder, which is made by the first creation.
// Nothing is read or written yet.
func Open(dir string, log *slog.Logger, now func() time.Time) *Store {
	s := &Store{dir: dir, log: log, now: now, known: map[ruleset.Name]entry{}, reported: map[string]stamp{}}
	s.feeds.init()
	return s
}

// An InvalidFileError reports a file that is in the way and is no ruleset.
type InvalidFileError struct {
	File string
	Err  error
}

func (e *InvalidFileError) Error() string {
	return fmt.Sprintf("the file %s is not a valid ruleset and is left alone: %v", e.File, e.Err)
}

func (e *InvalidFileError) Unwrap() error { return e.Err }

func (s *Store) path(name ruleset.Name) string { return filepath.Join(s.dir, string(name)+suffix) }

// unavailable says that the folder, not the caller, is at fault.
func unavailable(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		err = fmt.Errorf("%s %s: %w", pathErr.Op, filepath.Base(pathErr.Path), pathErr.Err)
	}
	return &ruleset.UnavailableError{Store: "ruleset folder", Err: err}
}

// read reads one file.
func (s *Store) read(name ruleset.Name) (document, error) {
	path := s.path(name)
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return document{}, &ruleset.NotFoundError{Name: name}
	}
	if err != nil {
		return document{}, unavailable(err)
	}
	if !info.Mode().IsRegular() {
		return document{}, s.invalid(name, info, errors.New("it is no regular file"))
	}
	data, err := readFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return document{}, &ruleset.NotFoundError{Name: name}
	case err != nil:
		return document{}, unavailable(err)
	case len(data) > MaxFileBytes:
		return document{}, s.invalid(name, info, fmt.Errorf("it is larger than %d bytes", MaxFileBytes))
	}
	d, err := parse(name, data, info.ModTime())
	if err != nil {
		return document{}, s.invalid(name, info, err)
	}
	return d, nil
}

// readFile reads a file up to one byte more than a ruleset may have.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxFileBytes+1))
	return data, errors.Join(err, f.Close())
}

// invalid reports a file in the log, once for each of its states.
func (s *Store) invalid(name ruleset.Name, info fs.FileInfo, err error) error {
	file := string(name) + suffix
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := stampOf(info); s.reported[file] != now {
		s.reported[file] = now
		s.log.Warn("file is no ruleset and is left alone", "file", file, "err", err)
	}
	return &InvalidFileError{File: file, Err: err}
}

// Create implements [ruleset.Store].
func (s *Store) Create(_ context.Context, d ruleset.Draft) (ruleset.Ruleset, error) {
	doc := document{ruleset: d.At(s.now()), front: mapping(&yaml.Node{})}
	if err := doc.setExtra(d.Extra); err != nil {
		return ruleset.Ruleset{}, err
	}
	doc.ruleset.Extra = doc.extra()
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return ruleset.Ruleset{}, unavailable(err)
	}
	temp, err := s.writeTemp(&doc)
	if err != nil {
		return ruleset.Ruleset{}, err
	}
	err = s.feeds.around(d.Name, func() error { return os.Link(temp, s.path(d.Name)) })
	_ = os.Remove(temp) // a stale one is swept later
	switch {
	case errors.Is(err, fs.ErrExist):
		return ruleset.Ruleset{}, s.taken(d.Name)
	case err != nil:
		return ruleset.Ruleset{}, unavailable(err)
	}
	return doc.ruleset, s.sync()
}

// taken says by what a name is taken.
func (s *Store) taken(name ruleset.Name) error {
	_, err := s.read(name)
	if _, ok := errors.AsType[*InvalidFileError](err); ok {
		return err
	}
	return &ruleset.ExistsError{Name: name}
}

// writeTemp writes a hidden file that is on disk when it returns.
func (s *Store) writeTemp(d *document) (path string, err error) {
	data, err := d.render()
	if err != nil {
		return "", err
	}
	if len(data) > MaxFileBytes {
		return "", fmt.Errorf("a ruleset may have %d bytes at most", MaxFileBytes)
	}
	s.sweep()
	f, err := os.CreateTemp(s.dir, tempName)
	if err != nil {
		return "", unavailable(err)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		_ = os.Remove(f.Name()) // it is useless now
		return "", unavailable(err)
	}
	return f.Name(), nil
}

// sweep removes what processes left that were killed while writing.
func (s *Store) sweep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.swept {
		return
	}
	s.swept = true
	old, _ := filepath.Glob(filepath.Join(s.dir, tempName)) // the pattern is good
	for _, path := range old {
		if info, err := os.Lstat(path); err == nil && time.Since(info.ModTime()) > staleAfter {
			_ = os.Remove(path) // the next process tries again
		}
	}
}

// sync puts the names in the folder on disk. Windows does so itself.
func (s *Store) sync() error {
	if runtime.GOOS == "windows" {
		return nil
	}
	dir, err := os.Open(s.dir)
	if err != nil {
		return unavailable(err)
	}
	if err := errors.Join(dir.Sync(), dir.Close()); err != nil {
		return unavailable(err)
	}
	return nil
}

// Get implements [ruleset.Store].
func (s *Store) Get(_ context.Context, name ruleset.Name) (ruleset.Ruleset, error) {
	info, err := os.Lstat(s.path(name))
	if err != nil {
		d, err := s.read(name) // which says what the matter is
		return d.ruleset, err
	}
	before := stampOf(info)
	if r, ok := s.cache.get(name, before); ok {
		return r, nil
	}
	d, err := s.read(name)
	if err == nil {
		d.ruleset.Extra = d.extra()
		s.cache.put(name, before, d.ruleset)
	}
	return d.ruleset, err
}

// locked runs a change while no other process changes or removes a file.
func (s *Store) locked(ctx context.Context, change func() error) error {
	ctx, stop := context.WithTimeout(ctx, lockWait)
	defer stop()
	lock := flock.New(filepath.Join(s.dir, lockName))
	if _, err := lock.TryLockContext(ctx, time.Millisecond); err != nil {
		return unavailable(fmt.Errorf("waiting for other processes: %w", err))
	}
	return errors.Join(change(), lock.Close())
}

// Update implements [ruleset.Store].
func (s *Store) Update(ctx context.Context, name ruleset.Name, p ruleset.Patch) (r ruleset.Ruleset, err error) {
	if _, err := s.read(name); err != nil {
		return r, err // also before there is a folder to lock in
	}
	err = s.locked(ctx, func() error {
		d, err := s.read(name)
		if err != nil {
			return err
		}
		d.ruleset.Extra = d.extra()
		if err := p.Check(d.ruleset); err != nil {
			return err
		}
		if p.Extra != nil {
			if err := d.setExtra(*p.Extra); err != nil {
				return err
			}
		}
		d.ruleset = p.Apply(d.ruleset, s.now())
		r = d.ruleset
		return s.replace(name, &d)
	})
	return r, err
}

func (s *Store) replace(name ruleset.Name, d *document) error {
	temp, err := s.writeTemp(d)
	if err != nil {
		return err
	}
	if err := s.feeds.around(name, func() error { return os.Rename(temp, s.path(name)) }); err != nil {
		_ = os.Remove(temp) // it is useless now
		return unavailable(err)
	}
	return s.sync()
}

// Delete implements [ruleset.Store].
func (s *Store) Delete(ctx context.Context, name ruleset.Name) error {
	if _, err := s.read(name); err != nil {
		return err
	}
	return s.locked(ctx, func() error {
		if _, err := s.read(name); err != nil {
			return err
		}
		if err := s.feeds.around(name, func() error { return os.Remove(s.path(name)) }); err != nil {
			return unavailable(err)
		}
		return s.sync()
	})
}

// List implements [ruleset.Store].
func (s *Store) List(_ context.Context, page ruleset.Page) ([]ruleset.Meta, string, error) {
	metas, err := s.metas(anyName)
	if err != nil {
		return nil, "", err
	}
	return ruleset.Cut(metas, page)
}

// Search implements [ruleset.Store].
func (s *Store) Search(_ context.Context, pattern string) ([]ruleset.Meta, error) {
	metas, err := s.metas(func(name string) bool { return ruleset.Match(pattern, name) })
	slices.SortFunc(metas, ruleset.Compare)
	return metas, err
}

func anyName(string) bool { return true }

// metas are the rulesets whose name is wanted, in no order.
func (s *Store) metas(want func(name string) bool) ([]ruleset.Meta, error) {
	files, err := s.files(want)
	if err != nil {
		return nil, err
	}
	metas := make([]ruleset.Meta, 0, len(files))
	for _, f := range files {
		if meta, ok := s.meta(f); ok {
			metas = append(metas, meta)
		}
	}
	return metas, nil
}

// A file is one that has the name of a ruleset.
type file struct {
	name ruleset.Name
	info fs.FileInfo
}

// files are those whose name is wanted; only these are looked at.
func (s *Store) files(want func(name string) bool) ([]file, error) {
	dir, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unavailable(err)
	}
	var files []file
	for _, d := range dir {
		name, ok := nameOf(d.Name())
		if !ok || !want(string(name)) {
			continue // a README, say
		}
		if info, err := d.Info(); err == nil { // else it has gone since
			files = append(files, file{name, info})
		}
	}
	return files, nil
}

// meta comes from memory while the file is the same.
func (s *Store) meta(f file) (ruleset.Meta, bool) {
	now := stampOf(f.info)
	s.mu.Lock()
	e, ok := s.known[f.name]
	s.mu.Unlock()
	if ok && e.stamp == now {
		return e.meta.Clone(), true
	}
	d, err := s.read(f.name)
	if err != nil {
		return ruleset.Meta{}, false // reported by read
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now().Sub(f.info.ModTime()) > fresh {
		s.known[f.name] = entry{now, d.ruleset.Meta}
	}
	return d.ruleset.Meta.Clone(), true
}

// fresh is how old a file must be before its stamp is believed: two changes
// within the clock's grain could leave it the same.
const fresh = 20 * time.Millisecond

// Close implements [ruleset.Store].
func (s *Store) Close() error { return nil }
