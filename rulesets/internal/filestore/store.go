package filestore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

const (
	suffix   = ".md"
	lockName = ".lock"
	tempName = ".new-*"
	// MaxFileBytes is the largest file that is a ruleset: the texts of the largest
	// one as YAML may write them.
	MaxFileBytes = 2 * ruleset.MaxBytes
	// lockWait limits how long a change waits for other processes.
	lockWait = 5 * time.Second
	// staleAfter is when a temporary file cannot be in use any more.
	staleAfter = time.Hour
)

// A Store is a folder of rulesets. Its methods may be called from any goroutine.
type Store struct {
	folder  folder
	log     *slog.Logger
	now     func() time.Time
	history *histories
	watched *watched
	batches *batches
	temps   temps
	reports reports
	cache   cache
	digests digests
	origins origins

	mu    sync.Mutex
	known map[ruleset.Name]entry

	first sync.Once // finishes a batch that was left

	turn chan struct{} // holds a token while a goroutine has or awaits the lock
}

// An entry is the metadata read from a file with that stamp.
type entry struct {
	stamp stamp
	meta  ruleset.Meta
}

// Open returns the store in a folder, which is made by the first creation.
// Nothing is read or written yet.
func Open(dir string, log *slog.Logger, now func() time.Time) *Store {
	f := folder{dir}
	h := &histories{folder: f, syncDir: syncDir}
	w := &watched{folder: f, log: log}
	w.feeds.init()
	return &Store{
		folder: f, log: log, now: now, history: h, watched: w, batches: &batches{f, h, w, log},
		temps: temps{folder: f}, reports: reports{folder: f, log: log, of: map[string]stamp{}}, known: map[ruleset.Name]entry{}, turn: make(chan struct{}, 1),
	}
}

// An InvalidFileError reports a file that has the name of a ruleset but is not valid.
type InvalidFileError struct {
	File string
	Err  error
}

func (e *InvalidFileError) Error() string {
	return fmt.Sprintf("the file %s is not a valid ruleset and is left alone: %v", e.File, e.Err)
}

func (e *InvalidFileError) Unwrap() error { return e.Err }

// unavailable wraps an error of the file system.
func unavailable(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		err = fmt.Errorf("%s %s: %w", pathErr.Op, filepath.Base(pathErr.Path), pathErr.Err)
	}
	return &ruleset.UnavailableError{Store: "ruleset folder", Err: err}
}

// read reads one file, and reports in the log one that is not valid.
func (s *Store) read(name ruleset.Name) (document, error) {
	d, err := s.load(name)
	if invalid, ok := errors.AsType[*InvalidFileError](err); ok {
		s.reports.add(name, invalid)
	}
	return d, err
}

// load reads the text of a ruleset, from the folder of its files if it has no file of its
// own. The error is a [*ruleset.NotFoundError], an [*InvalidFileError] or a
// [*ruleset.UnavailableError].
func (s *Store) load(name ruleset.Name) (document, error) {
	d, err := s.loadFile(name, s.folder.path(name), string(name)+suffix)
	if _, missing := errors.AsType[*ruleset.NotFoundError](err); !missing {
		return d, err
	}
	if info, statErr := os.Lstat(s.folder.filesPath(name)); statErr != nil || !info.IsDir() {
		return d, err
	}
	d, folderErr := s.loadFile(name, s.folder.mainPath(name, true), ruleset.MainFile)
	if _, away := errors.AsType[*ruleset.UnavailableError](folderErr); away {
		return d, folderErr
	}
	if folderErr != nil {
		return document{}, err // what is no SKILL.md is none of ours
	}
	return d, nil
}

// loadFile reads the text of a ruleset from one file.
func (s *Store) loadFile(name ruleset.Name, path, file string) (document, error) {
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		return document{}, &InvalidFileError{file, errors.New("it is no regular file")}
	}
	var data []byte
	if err == nil {
		data, err = readFile(path, info.Size())
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return document{}, &ruleset.NotFoundError{Name: name}
	case err != nil:
		return document{}, unavailable(err)
	case len(data) > MaxFileBytes:
		return document{}, &InvalidFileError{file, fmt.Errorf("it is larger than %d bytes", MaxFileBytes)}
	}
	d, err := parse(name, file == ruleset.MainFile, data, info.ModTime())
	if err != nil {
		return document{}, &InvalidFileError{file, err}
	}
	d.sum = sumOf(data)
	return d, nil
}

// readFile reads a file up to one byte more than a ruleset may have. size is about
// what it has, 0 if that is not known.
func readFile(path string, size int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	var data bytes.Buffer
	data.Grow(int(min(size, MaxFileBytes)) + bytes.MinRead) // ReadFrom needs room to see the end
	_, err = data.ReadFrom(io.LimitReader(f, MaxFileBytes+1))
	return data.Bytes(), errors.Join(err, f.Close())
}

// reports holds the files that are no rulesets, with the states in which the log has them.
type reports struct {
	folder folder
	log    *slog.Logger

	mu sync.Mutex
	of map[string]stamp
}

// add reports a file in the log, once for each of its states.
func (r *reports) add(name ruleset.Name, invalid *InvalidFileError) {
	now, _ := r.folder.stampOf(name) // the zero stamp of one that has gone since
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of[invalid.File] != now {
		r.of[invalid.File] = now
		r.log.Warn("file is no ruleset and is left alone", "file", invalid.File, "err", invalid.Err)
	}
}

// Get implements [ruleset.Store].
func (s *Store) Get(ctx context.Context, name ruleset.Name) (ruleset.Ruleset, error) {
	s.finishFirst(ctx)
	info, err := os.Lstat(s.folder.path(name))
	if err != nil {
		d, err := s.read(name) // which says why, unless it is a folder
		if err == nil {
			err = s.place(ctx, name, &d)
		}
		return d.ruleset, err
	}
	before := stampOf(info)
	if r, ok := s.cache.get(name, before); ok && s.hasFiles(name, r.Files) {
		return r, nil
	}
	d, err := s.read(name)
	if err == nil {
		err = s.place(ctx, name, &d)
	}
	if err == nil {
		s.cache.put(name, before, d.ruleset)
	}
	return d.ruleset, err
}

// Writable reports whether files can be made in the folder. One that is missing is made
// by the first creation.
func (s *Store) Writable() bool {
	f, err := os.CreateTemp(s.folder.dir, tempName)
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	return err == nil && errors.Join(f.Close(), os.Remove(f.Name())) == nil
}

// Close implements [ruleset.Store].
func (s *Store) Close() error { return nil }
