package filestore

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// The files of the ruleset python_style_guide are in the folder python-style-guide, in
// the form of Agent Skills. Such a folder with a SKILL.md and no file python_style_guide.md
// beside it is the ruleset of that name, too: its text is the SKILL.md.

// openFiles opens the folder of a ruleset's files. The error is [fs.ErrNotExist]
// if there is none, or if its name is that of a link.
func (f folder) openFiles(name ruleset.Name) (*os.Root, error) {
	dir := f.filesPath(name)
	info, err := os.Lstat(dir)
	if err == nil && !info.IsDir() {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, err
	}
	return os.OpenRoot(dir)
}

// Files implements [ruleset.FileStore]. It omits hidden files and links.
func (s *Store) Files(ctx context.Context, name ruleset.Name) (files []ruleset.File, err error) {
	root, err := s.folder.openFiles(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unavailable(err)
	}
	defer func() { _ = root.Close() }() // it was only read
	var infos []fs.FileInfo
	size := int64(0)
	err = fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if passed, skip := passesOver(p, d); passed {
			return skip
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it was removed meanwhile
		}
		if err != nil {
			return err
		}
		infos, size = append(infos, info), size+info.Size()
		files = append(files, ruleset.File{Path: p, Size: info.Size()})
		if len(files) > ruleset.MaxFiles {
			return &ruleset.TooManyFilesError{Files: len(files)}
		}
		if size > ruleset.MaxFileBytes {
			return &ruleset.TooLargeError{Bytes: int(size)}
		}
		return nil
	})
	for i := 0; err == nil && i < len(files); i++ {
		err = s.digests.set(root, name, &files[i], stampOf(infos[i]))
	}
	if err != nil {
		return nil, fileError(err)
	}
	slices.SortFunc(files, func(a, b ruleset.File) int { return strings.Compare(a.Path, b.Path) })
	return files, nil
}

// passesOver reports whether an entry below the folder of a ruleset is none of its files:
// a folder, a hidden file or a link. For a folder of which this holds for all entries, skip
// is [fs.SkipDir].
func passesOver(p string, d fs.DirEntry) (passed bool, skip error) {
	hidden := p != "." && ruleset.CheckFilePath(p) != nil
	if hidden && d.IsDir() {
		return true, fs.SkipDir
	}
	return hidden || !d.Type().IsRegular(), nil
}

// fileError converts an error of the file system to one of the store.
func fileError(err error) error {
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return unavailable(err)
	}
	return err
}

// maxDigests limits the number of cached digests.
const maxDigests = 20_000

// A fileKey identifies a file in a certain state.
type fileKey struct {
	name  ruleset.Name
	path  string
	stamp stamp
}

// digests holds the SHA-256 of files that do not change.
type digests struct {
	mu sync.Mutex
	of map[fileKey]ruleset.Digest
}

// set sets the digest of a file, from the cache if the file is unchanged.
func (d *digests) set(root *os.Root, name ruleset.Name, f *ruleset.File, now stamp) error {
	key := fileKey{name, f.Path, now}
	d.mu.Lock()
	sum, known := d.of[key]
	d.mu.Unlock()
	if known {
		f.SHA256 = sum
		return nil
	}
	data, err := readIn(root, f.Path)
	if err != nil {
		return err
	}
	f.SHA256, f.Size = sha256.Sum256(data), int64(len(data))
	if !now.Settled(time.Now()) {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.of == nil || len(d.of) >= maxDigests {
		d.of = map[fileKey]ruleset.Digest{}
	}
	d.of[key] = f.SHA256
	return nil
}

// readIn reads a regular file of limited size in a folder. It does not follow
// links.
func readIn(root *os.Root, p string) ([]byte, error) {
	info, err := root.Lstat(p)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fs.ErrNotExist
	}
	f, err := root.Open(p)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, ruleset.MaxFileBytes+1))
	if err = errors.Join(err, f.Close()); err == nil && len(data) > ruleset.MaxFileBytes {
		err = &ruleset.TooLargeError{Bytes: len(data)}
	}
	return data, err
}

// ReadFile implements [ruleset.FileStore].
func (s *Store) ReadFile(_ context.Context, name ruleset.Name, p string) ([]byte, error) {
	missing := &ruleset.NoFileError{Name: name, Path: p}
	if ruleset.CheckFilePath(p) != nil {
		return nil, missing
	}
	root, err := s.folder.openFiles(name)
	if err == nil {
		defer func() { _ = root.Close() }() // it was only read
		var data []byte
		if data, err = readIn(root, p); err == nil {
			return data, nil
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missing
	}
	return nil, fileError(err)
}

// Folders implements [ruleset.FileStore].
func (s *Store) Folders(ctx context.Context) ([]ruleset.Name, error) {
	dir, err := os.ReadDir(s.folder.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unavailable(err)
	}
	var names []ruleset.Name
	for _, d := range dir {
		name, ok := nameOfFolder(d.Name())
		if !ok || !d.IsDir() {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		_, flat := os.Lstat(s.folder.path(name))
		main, err := os.Lstat(filepath.Join(s.folder.dir, d.Name(), ruleset.MainFile))
		if err == nil && main.Mode().IsRegular() && errors.Is(flat, fs.ErrNotExist) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}
