package filestore

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// taken returns the error for a name that is taken.
func (s *Store) taken(name ruleset.Name) error {
	_, err := s.read(name)
	if _, ok := errors.AsType[*InvalidFileError](err); ok {
		return err
	}
	return &ruleset.ExistsError{Name: name}
}

// recorded appends a record to the history, makes the change that it records, and
// syncs the folder. If the change fails, it removes the record. The caller must
// hold the lock.
func (s *Store) recorded(name ruleset.Name, r record, change func() error) error {
	undo, err := s.history.append(name, r)
	if err != nil {
		return err
	}
	if err := s.watched.around(name, change); err != nil {
		undo()
		return unavailable(err)
	}
	return s.folder.sync()
}

// around makes a change to the file of a ruleset and notifies the watches and the
// index.
func (w *watched) around(name ruleset.Name, change func() error) error {
	err := w.feeds.around(name, change)
	w.index.changed(name, w.folder.modified())
	return err
}

// temps makes hidden files with the contents of rulesets.
type temps struct {
	folder folder

	mu    sync.Mutex
	swept bool // whether old ones were removed
}

// write writes the file of a ruleset to a hidden file and syncs it.
func (t *temps) write(d *document) (path string, err error) {
	data, err := d.render()
	if err != nil {
		return "", err
	}
	if len(data) > MaxFileBytes {
		return "", &ruleset.TooLargeError{Bytes: len(data)}
	}
	t.sweep()
	return writeHidden(t.folder.dir, data)
}

// makeFolder creates the folder of a new ruleset in the form of a folder.
func (f folder) makeFolder(d *document) error {
	if !d.ruleset.Folder {
		return nil
	}
	if err := os.Mkdir(f.filesPath(d.ruleset.Name), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return unavailable(err)
	}
	return nil
}

// checkFolder returns an error if the folder of a ruleset in the form of a folder is protected.
func (f folder) checkFolder(d *document) error {
	if !d.ruleset.Folder {
		return nil
	}
	root, err := f.openFiles(d.ruleset.Name)
	if err != nil {
		return unavailable(err)
	}
	defer func() { _ = root.Close() }() // nothing stays written
	if err := checkWritable(root, "."); err != nil {
		return unavailable(err)
	}
	return nil
}

// writeHidden writes and syncs a hidden file in a folder.
func writeHidden(dir string, data []byte) (path string, err error) {
	f, err := os.CreateTemp(dir, tempName)
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

// replaceFile replaces a file atomically: after a crash it has the old content or
// the new one.
func (f folder) replaceFile(path string, data []byte) error {
	temp, err := writeHidden(f.dir, data)
	if err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		_ = os.Remove(temp) // it is useless now
		return unavailable(err)
	}
	return nil
}

// sweep removes hidden files of processes that were killed while writing.
func (t *temps) sweep() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.swept {
		return
	}
	t.swept = true
	sweepIn(t.folder.dir)
}

// sweepIn removes the hidden files that are too old to be in use.
func sweepIn(dir string) {
	old, _ := filepath.Glob(filepath.Join(dir, tempName)) // the pattern is valid
	for _, path := range old {
		if info, err := os.Lstat(path); err == nil && time.Since(info.ModTime()) > staleAfter {
			_ = os.Remove(path) // the next process tries again
		}
	}
}

// sync syncs the folder, and with it the names of its files.
func (f folder) sync() error { return syncDir(f.dir) }
