package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/atomicfile"
)

// A shelf keeps answers that are too large to send as files, a folder for each
// principal.
type shelf struct {
	dir string
	now func() time.Time
}

// shelfLife is how long an answer is kept.
const shelfLife = 7 * 24 * time.Hour

// Put implements mcp.Shelf. It also throws away what is old.
func (s *shelf) Put(_ context.Context, owner, text string) (id, path string, err error) {
	folder := s.folder(owner)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", "", err
	}
	id = rand.Text()
	path = filepath.Join(folder, id+".txt")
	if err := atomicfile.Write(path, []byte(text), 0o600); err != nil {
		return "", "", err
	}
	return id, path, s.tidy(folder)
}

// Get implements mcp.Shelf. An id is letters and digits, so that no path can
// lead elsewhere.
func (s *shelf) Get(_ context.Context, owner, id string) (string, error) {
	for _, c := range id {
		if (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return "", fs.ErrNotExist
		}
	}
	text, err := os.ReadFile(filepath.Join(s.folder(owner), id+".txt"))
	return string(text), err
}

// folder hides the principal's name: it may have any characters.
func (s *shelf) folder(owner string) string {
	sum := sha256.Sum256([]byte(owner))
	return filepath.Join(s.dir, hex.EncodeToString(sum[:8]))
}

func (s *shelf) tidy(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var errs []error
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil && s.now().Sub(info.ModTime()) > shelfLife {
			err = os.Remove(filepath.Join(folder, entry.Name()))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // another process may tidy too
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
