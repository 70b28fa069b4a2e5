package filestore

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Create implements [ruleset.Store].
func (s *Store) Create(ctx context.Context, d ruleset.Draft) (r ruleset.Ruleset, err error) {
	if len(d.Files) > 0 {
		return ruleset.ApplyOne(ctx, s, ruleset.Operation{Name: d.Name, Create: &d})
	}
	if _, err := os.Lstat(s.path(d.Name)); err == nil {
		return r, s.taken(d.Name) // fails without waiting for the lock
	}
	err = s.locked(ctx, func() error {
		r, err = s.create(d)
		return err
	})
	return r, err
}

// create writes the file of a new ruleset. The caller must hold the lock.
func (s *Store) create(d ruleset.Draft) (ruleset.Ruleset, error) {
	doc := document{ruleset: d.At(s.now()), front: mapping(&yaml.Node{})}
	doc.nameFolder()
	if err := doc.ruleset.CheckSize(); err != nil {
		return ruleset.Ruleset{}, err
	}
	if err := doc.setExtra(d.Extra); err != nil {
		return ruleset.Ruleset{}, err
	}
	doc.ruleset.Extra = doc.extra()
	_, err := s.reconcile(d.Name)
	if _, free := errors.AsType[*ruleset.NotFoundError](err); !free {
		if err == nil {
			err = &ruleset.ExistsError{Name: d.Name}
		}
		return ruleset.Ruleset{}, err
	}
	head, err := s.head(d.Name)
	if err != nil {
		return ruleset.Ruleset{}, err
	}
	doc.ruleset.Rev = head.Rev + 1
	if doc.ruleset.Files, err = s.recordFiles(d.Name, s.present(d.Name, &head)); err != nil {
		return ruleset.Ruleset{}, err
	}
	if err := s.makeFolder(&doc); err != nil {
		return ruleset.Ruleset{}, err
	}
	temp, err := s.writeTemp(&doc)
	if err != nil {
		return ruleset.Ruleset{}, err
	}
	defer func() { _ = os.Remove(temp) }() // sweep removes a stale one later
	err = s.recorded(d.Name, newRecord(doc.ruleset.Rev, s.now(), d.By, doc.ruleset), func() error { return os.Link(temp, s.mainPath(d.Name, d.Folder)) })
	if errors.Is(err, fs.ErrExist) {
		return ruleset.Ruleset{}, s.taken(d.Name)
	}
	return doc.ruleset, err
}

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
	undo, err := s.appendRecord(name, r)
	if err != nil {
		return err
	}
	if err := s.around(name, change); err != nil {
		undo()
		return unavailable(err)
	}
	return s.sync()
}

// around makes a change to the file of a ruleset and notifies the watches and the
// index.
func (s *Store) around(name ruleset.Name, change func() error) error {
	err := s.feeds.around(name, change)
	s.index.changed(name, s.dirTime())
	return err
}

// Update implements [ruleset.Store].
func (s *Store) Update(ctx context.Context, name ruleset.Name, p ruleset.Patch) (r ruleset.Ruleset, err error) {
	if len(p.Files) > 0 {
		return ruleset.ApplyOne(ctx, s, ruleset.Operation{Name: name, Update: &p})
	}
	if _, err := s.read(name); err != nil {
		return r, err // before there is a folder to lock in
	}
	_ = s.learnOrigins(ctx, name) // see History
	err = s.locked(ctx, func() error {
		r, err = s.update(name, p)
		return err
	})
	return r, err
}

// update replaces the file of a ruleset. The caller must hold the lock.
func (s *Store) update(name ruleset.Name, p ruleset.Patch) (ruleset.Ruleset, error) {
	d, err := s.reconcile(name)
	if err != nil {
		return ruleset.Ruleset{}, err
	}
	old := d.ruleset
	if err := p.Check(old); err != nil {
		return ruleset.Ruleset{}, err
	}
	if p.Extra != nil {
		if err := d.setExtra(*p.Extra); err != nil {
			return ruleset.Ruleset{}, err
		}
	}
	d.ruleset = p.Apply(d.ruleset, s.now())
	d.ruleset.Extra = d.extra()
	if err := d.ruleset.CheckSize(); err != nil {
		return ruleset.Ruleset{}, err
	}
	temp, err := s.writeTemp(&d)
	if err != nil {
		return ruleset.Ruleset{}, err
	}
	defer func() { _ = os.Remove(temp) }() // does nothing after the rename
	rename := func() error { return os.Rename(temp, s.mainPath(name, d.ruleset.Folder)) }
	if ruleset.SameContent(old, d.ruleset) { // no revision
		if err := s.around(name, rename); err != nil {
			return ruleset.Ruleset{}, unavailable(err)
		}
		return d.ruleset, s.sync()
	}
	d.ruleset.Rev++
	return d.ruleset, s.recorded(name, newRecord(d.ruleset.Rev, s.now(), p.By, d.ruleset), rename)
}

// Delete implements [ruleset.Store].
func (s *Store) Delete(ctx context.Context, name ruleset.Name, r ruleset.Removal) error {
	if _, err := s.read(name); err != nil {
		return err
	}
	_ = s.learnOrigins(ctx, name) // see History
	return s.locked(ctx, func() error {
		d, err := s.reconcile(name)
		if err != nil {
			return err
		}
		if err := r.Check(d.ruleset); err != nil {
			return err
		}
		gone := newRecord(d.ruleset.Rev+1, s.now(), r.By, ruleset.Ruleset{Files: d.ruleset.Files})
		gone.Deleted = true
		return s.recorded(name, gone, func() error { return os.Remove(s.mainPath(name, d.ruleset.Folder)) })
	})
}

// writeTemp writes the file of a ruleset to a hidden file and syncs it.
func (s *Store) writeTemp(d *document) (path string, err error) {
	data, err := d.render()
	if err != nil {
		return "", err
	}
	if len(data) > MaxFileBytes {
		return "", &ruleset.TooLargeError{Bytes: len(data)}
	}
	s.sweep()
	return writeHidden(s.dir, data)
}

// makeFolder creates the folder of a new ruleset in the form of a folder.
func (s *Store) makeFolder(d *document) error {
	if !d.ruleset.Folder {
		return nil
	}
	if err := os.Mkdir(s.folderPath(d.ruleset.Name), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return unavailable(err)
	}
	return nil
}

// checkFolder returns an error if the folder of a ruleset in the form of a folder is protected.
func (s *Store) checkFolder(d *document) error {
	if !d.ruleset.Folder {
		return nil
	}
	root, err := s.openFolder(d.ruleset.Name)
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
func (s *Store) replaceFile(path string, data []byte) error {
	temp, err := writeHidden(s.dir, data)
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
func (s *Store) sweep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.swept {
		return
	}
	s.swept = true
	sweepIn(s.dir)
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
func (s *Store) sync() error { return syncDir(s.dir) }
