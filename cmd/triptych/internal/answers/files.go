// Package answers stores answers that are too large to send in files, with bounds for
// each principal, for all, and for the free disk.
//
//	store := answers.New(filepath.Join(data, "answers"), time.Now)
//	cfg := mcp.Config{Oversize: store}
package answers

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/diskspace"
	"github.com/triptych-mcp/triptych/mcp/atomicfile"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// The bounds of stored answers. A tenth of the disk that is free or holds such
// answers is a bound, too: the audit trail of all needs the rest.
const (
	DefaultAge   = 7 * 24 * time.Hour
	DefaultTotal = 1 << 30           // bytes of all answers
	DefaultEach  = DefaultTotal >> 2 // and of those of one key; a local client has all
)

// Files stores answers that are too large to send, each in a file, in a
// folder for each principal. The oldest answers make room for new ones.
type Files struct {
	dir       string
	now       func() time.Time
	all, each int64                           // bytes
	free      func(dir string) (int64, error) // bytes that are free on the disk of dir

	mu      sync.Mutex // held while files come and go; another process may change them, too
	refused int64      // answers for which there was no room
}

// New returns a store in a folder, which it creates with the first answer.
func New(dir string, now func() time.Time) *Files {
	return &Files{dir: dir, now: now, all: DefaultTotal, each: DefaultEach, free: diskspace.Free}
}

// Limit replaces the bounds of all answers and of those of one principal, in bytes. Call
// it before the first answer is stored.
func (s *Files) Limit(all, each int64) { s.all, s.each = all, each }

// Usage returns the bytes of all stored answers, their bound, and how many answers were
// refused for want of room. Files that cannot be listed count as none.
func (s *Files) Usage() (used, limit, refused int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	files, _ := s.files()
	for _, f := range files {
		used += f.size
	}
	return used, s.all, s.refused
}

// Put implements host.OversizeStore. It also removes what is too old.
func (s *Files) Put(_ context.Context, owner, text string) (id, path string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	folder := s.folder(owner)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", "", err
	}
	each := s.each
	if owner == host.Local().ID {
		each = s.all
	}
	if err := s.makeRoom(folder, int64(len(text)), each); err != nil {
		return "", "", err
	}
	id = rand.Text()
	path = filepath.Join(folder, id+".txt")
	if err := atomicfile.Write(path, []byte(text), 0o600); err != nil {
		return "", "", err
	}
	return id, path, nil
}

// Open implements host.OversizeStore. An id is letters and digits, so that no
// path can lead elsewhere.
func (s *Files) Open(_ context.Context, owner, id string) (host.OversizeText, error) {
	for _, c := range id {
		if (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return nil, fs.ErrNotExist
		}
	}
	file, err := os.Open(filepath.Join(s.folder(owner), id+".txt"))
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return storedText{file, info.Size()}, nil
}

type storedText struct {
	*os.File
	size int64
}

func (t storedText) Size() int64 { return t.size }

// folder hides the principal's name, which may have any characters.
func (s *Files) folder(owner string) string {
	sum := sha256.Sum256([]byte(owner))
	return filepath.Join(s.dir, hex.EncodeToString(sum[:8]))
}

// A storedFile is the file of one answer.
type storedFile struct {
	path, folder string
	size         int64
	changed      time.Time
}

// files returns the files of all answers, oldest first.
func (s *Files) files() ([]storedFile, error) {
	var files []storedFile
	err := filepath.WalkDir(s.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			files = append(files, storedFile{path, filepath.Dir(path), info.Size(), info.ModTime()})
		}
		if errors.Is(err, fs.ErrNotExist) { // another process removes old ones, too
			return nil
		}
		return err
	})
	slices.SortFunc(files, func(a, b storedFile) int { return a.changed.Compare(b.changed) })
	return files, err
}

// makeRoom removes answers that are too old, then the oldest of the folder and
// of all until one of size fits. The error is [host.ErrNoRoom] when it cannot.
func (s *Files) makeRoom(folder string, size, each int64) error {
	files, err := s.files()
	if err != nil {
		return err
	}
	var own, all int64
	for _, f := range files {
		all += f.size
		if f.folder == folder {
			own += f.size
		}
	}
	free, err := s.free(s.dir)
	if err != nil {
		return err
	}
	most := min(s.all, (free+all)/10)
	if size > min(each, most) {
		s.refused++
		return host.ErrNoRoom
	}
	for _, f := range files {
		mine := f.folder == folder
		if s.now().Sub(f.changed) <= DefaultAge && all+size <= most && (!mine || own+size <= each) {
			continue
		}
		if err := os.Remove(f.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if all -= f.size; mine {
			own -= f.size
		}
	}
	return nil
}
