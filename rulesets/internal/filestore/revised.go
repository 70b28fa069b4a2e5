package filestore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A revision of a ruleset lists its files. Their bytes are in .history/NAME.files, each in
// a file that is named by its SHA-256, from the time on at which they were recorded.

// contentsSuffix ends the name of the folder with the bytes of the files of a ruleset.
const contentsSuffix = ".files"

func (h *histories) contentsDir(name ruleset.Name) string {
	return filepath.Join(h.folder.dir, historyDir, string(name)+contentsSuffix)
}

// present returns the files that a ruleset has now. Files that cannot be read or are more
// than a ruleset may have are not followed: they count as those of the newest record.
func (s *Store) present(name ruleset.Name, head *record) []ruleset.File {
	files, err := s.Files(context.Background(), name)
	if err != nil {
		s.log.Debug("files of a ruleset are not followed", "component", "filestore", "name", string(name), "err", err)
		return head.Files
	}
	files = slices.DeleteFunc(files, func(f ruleset.File) bool { return f.Path == ruleset.MainFile })
	if len(files) == 0 {
		return nil
	}
	return files
}

// hasFiles reports whether a ruleset has exactly these files.
func (s *Store) hasFiles(name ruleset.Name, files []ruleset.File) bool {
	if _, err := os.Lstat(s.folder.filesPath(name)); errors.Is(err, fs.ErrNotExist) {
		return len(files) == 0
	}
	return ruleset.SameFiles(files, s.present(name, &record{Files: files}))
}

// recordFiles stores the bytes of present files that are not in the history yet, and returns the
// files as they were read. The lock is held.
func (s *Store) recordFiles(name ruleset.Name, files []ruleset.File) ([]ruleset.File, error) {
	recorded := slices.Clone(files)
	for i, f := range recorded {
		if _, err := os.Lstat(s.history.contentsPath(name, f.SHA256)); err == nil {
			continue
		}
		data, err := s.ReadFile(context.Background(), name, f.Path)
		if err != nil {
			return nil, err
		}
		recorded[i] = ruleset.FileOf(f.Path, data) // which may have changed since
		if err := s.history.writeContents(name, data); err != nil {
			return nil, err
		}
	}
	return recorded, nil
}

func (h *histories) contentsPath(name ruleset.Name, digest ruleset.Digest) string {
	return filepath.Join(h.contentsDir(name), digest.String())
}

// checkContents returns an error unless the folder of the bytes is one in the store, which
// may come from a stranger: a link would lead elsewhere.
func (h *histories) checkContents(name ruleset.Name) error {
	for _, dir := range []string{filepath.Join(h.folder.dir, historyDir), h.contentsDir(name)} {
		info, err := os.Lstat(dir)
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return fmt.Errorf("%s must be a folder and no link", dir)
		}
	}
	return nil
}

// writeContents stores the bytes of a file in the history. The lock is held.
func (h *histories) writeContents(name ruleset.Name, data []byte) error {
	at := h.contentsPath(name, ruleset.FileOf("", data).SHA256)
	if _, err := os.Lstat(at); err == nil {
		return nil
	}
	if err := h.makeDir(); err != nil {
		return err
	}
	if err := os.Mkdir(h.contentsDir(name), 0o755); err == nil {
		err = h.syncDir(filepath.Dir(h.contentsDir(name)))
		if err != nil {
			return unavailable(err)
		}
	} else if !errors.Is(err, fs.ErrExist) {
		return unavailable(err)
	}
	if err := h.checkContents(name); err != nil {
		return unavailable(err)
	}
	if err := h.folder.replaceFile(at, data); err != nil {
		return err
	}
	if err := h.syncDir(h.contentsDir(name)); err != nil {
		return unavailable(err)
	}
	return nil
}

// ReadRevised implements [ruleset.FileStore]. Where nothing can be recorded, the files are
// those that are there.
func (s *Store) ReadRevised(ctx context.Context, name ruleset.Name, f ruleset.File) ([]byte, error) {
	data, err := readFile(s.history.contentsPath(name, f.SHA256), f.Size)
	if errors.Is(err, fs.ErrNotExist) {
		if data, err = s.ReadFile(ctx, name, f.Path); err != nil {
			return nil, err
		}
	}
	if err != nil {
		return nil, unavailable(err)
	}
	if ruleset.FileOf(f.Path, data).SHA256 != f.SHA256 {
		return nil, &ruleset.NoFileError{Name: name, Path: f.Path}
	}
	return data, nil
}

// pruneContents removes the bytes that no file of the revisions has, and returns their
// number. Files of people stay. The lock is held.
func (h *histories) pruneContents(name ruleset.Name, kept []ruleset.Revision, dry bool) (size int64, err error) {
	err = h.checkContents(name)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	var entries []fs.DirEntry
	if err == nil {
		entries, err = os.ReadDir(h.contentsDir(name))
	}
	if err != nil {
		return 0, unavailable(err)
	}
	used := map[string]bool{}
	for i := range kept {
		for _, f := range kept[i].Content.Files {
			used[f.SHA256.String()] = true
		}
	}
	for _, e := range entries {
		info, err := e.Info()
		if used[e.Name()] || !isContents(e) || err != nil {
			continue // err: it has gone since
		}
		size += info.Size()
		if dry {
			continue
		}
		if err := os.Remove(filepath.Join(h.contentsDir(name), e.Name())); err != nil {
			return size, unavailable(err)
		}
	}
	return size, nil
}

// isContents reports whether a file has the name of one that writeContents makes.
func isContents(e fs.DirEntry) bool {
	var digest ruleset.Digest
	return e.Type().IsRegular() && digest.UnmarshalText([]byte(e.Name())) == nil
}

// A partChange replaces or removes a file of a ruleset in a batch.
type partChange struct {
	Name ruleset.Name `json:"name"`
	Path string       `json:"path"`
	Temp string       `json:"temp,omitempty"` // the hidden file in the folder, "" to remove
	Was  string       `json:"was,omitempty"`  // SHA-256 of the file before, "" if there was none
}

// check returns an error for a change that this program does not write.
func (c *partChange) check() error {
	if _, err := ruleset.ParseName(string(c.Name)); err != nil {
		return err
	}
	if c.Temp != "" && !isTempFile(c.Temp) {
		return fmt.Errorf("%.80q is no hidden file of the store", c.Temp)
	}
	if c.Path == ruleset.MainFile {
		return errors.New("a SKILL.md is no file beside a text")
	}
	return ruleset.CheckFilePath(c.Path)
}

// stageParts writes the files that a batch sets into hidden files, and their bytes into the
// history. What it returns with an error has to be undone.
func (b *batches) stageParts(e *ruleset.Effect) (parts []partChange, err error) {
	if len(e.Files) == 0 {
		return nil, nil
	}
	for _, c := range e.Files {
		if c.Data == nil {
			continue
		}
		if err := b.history.writeContents(e.Name, c.Data); err != nil {
			return nil, err
		}
	}
	if err := os.Mkdir(b.folder.filesPath(e.Name), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, unavailable(err)
	}
	root, err := b.folder.openFiles(e.Name)
	if err != nil {
		return nil, unavailable(fmt.Errorf("the folder %s cannot have files: %w", e.Name.Slug(), err))
	}
	defer func() { _ = root.Close() }() // what is written is on disk
	sweepIn(b.folder.filesPath(e.Name))
	for _, c := range e.LastFiles() {
		part := partChange{Name: e.Name, Path: c.Path}
		if part.Was, err = hashIn(root, c.Path); err == nil {
			err = checkWritable(root, path.Dir(c.Path))
		}
		if err != nil {
			return parts, unavailable(err)
		}
		if c.Data != nil {
			temp, err := writeHidden(b.folder.filesPath(e.Name), c.Data)
			if err != nil {
				return parts, err
			}
			part.Temp = filepath.Base(temp)
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// hashIn returns the SHA-256 of a file in a folder, "" if there is none, as where a file has
// the place of one of its folders.
func hashIn(root *os.Root, p string) (string, error) {
	data, err := readIn(root, p)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return "", nil
	}
	return sumOf(data), err
}

// changeParts makes the changes that can be made: removals first, since a folder may take the
// place of a file. The others are logged and returned in unmade; a repetition would fail in
// the same way.
func (b *batches) changeParts(parts []partChange) (unmade, err error) {
	for _, removes := range []bool{true, false} {
		for _, c := range parts {
			if removes != (c.Temp == "") {
				continue
			}
			switch err := b.changePart(c); {
			case isInTheWay(err):
				b.log.Error("a file of a ruleset was not changed", "component", "filestore", "name", string(c.Name), "path", c.Path, "err", err)
				b.undoPart(c)
				unmade = errors.Join(unmade, fmt.Errorf("the file '%.200s' of ruleset '%s' was not changed: %w", c.Path, c.Name, err))
			case err != nil:
				return unmade, err
			}
		}
	}
	return unmade, nil
}

// isInTheWay reports whether a change failed for a reason that lasts: people have put a file
// where a folder has to be, or the other way round, or have protected the file or the folder.
// If the batch waited until that changes, nothing else could be changed meanwhile.
func isInTheWay(err error) bool {
	return errors.Is(err, fs.ErrExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.EISDIR) || // ErrExist: also a folder that is not empty
		isProtected(err)
}

// isProtected reports whether a change is not permitted.
func isProtected(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// checkWritable returns an error if no file can be placed in a folder below root, which may be
// missing. A folder that a batch will make where a file is now is not checked.
func checkWritable(root *os.Root, dir string) error {
	info, err := root.Stat(dir)
	for (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)) && dir != "." {
		dir = path.Dir(dir)
		info, err = root.Stat(dir)
	}
	if err != nil || !info.IsDir() {
		return err
	}
	probe := path.Join(dir, strings.ReplaceAll(tempName, "*", rand.Text()))
	f, err := root.OpenFile(probe, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), root.Remove(probe))
}

// changePart makes one change unless it is made, or people have changed the file since.
func (b *batches) changePart(c partChange) error {
	root, err := b.folder.openFiles(c.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // people have removed all of it since
	}
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // what is written is on disk
	now, err := hashIn(root, c.Path)
	switch {
	case err != nil:
		return err
	case now != c.Was:
		return dropTemp(root, c.Temp)
	case c.Temp != "":
		err = b.placePart(root, c)
	case now != "":
		err = b.removePart(root, c)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it is made already
	}
	return err
}

// dropTemp removes a hidden file that is useless now.
func dropTemp(root *os.Root, temp string) error {
	if temp == "" {
		return nil
	}
	if err := root.Remove(temp); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (b *batches) placePart(root *os.Root, c partChange) error {
	if err := root.MkdirAll(path.Dir(c.Path), 0o755); err != nil {
		return err
	}
	if err := root.Rename(c.Temp, c.Path); err != nil {
		return err
	}
	for dir := path.Dir(c.Path); ; dir = path.Dir(dir) { // the folders may be new
		if err := b.history.syncDir(filepath.Join(b.folder.filesPath(c.Name), dir)); err != nil || dir == "." {
			return err
		}
	}
}

// removePart removes a file, and the folders that it leaves empty.
func (b *batches) removePart(root *os.Root, c partChange) error {
	if err := root.Remove(c.Path); err != nil {
		return err
	}
	dir := path.Dir(c.Path)
	for ; dir != "." && root.Remove(dir) == nil; dir = path.Dir(dir) {
	}
	return b.history.syncDir(filepath.Join(b.folder.filesPath(c.Name), dir))
}

// undoPart removes what stageParts has made.
func (b *batches) undoPart(c partChange) {
	if c.Temp != "" {
		_ = os.Remove(filepath.Join(b.folder.filesPath(c.Name), c.Temp)) // it is swept later
	}
	_ = os.Remove(b.folder.filesPath(c.Name)) // which fails unless it is empty
}
