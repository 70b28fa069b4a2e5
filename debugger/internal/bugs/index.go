package bugs

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// An index stores analyzed trees in a folder, one file each, so that they need
// not be read again after a restart. A file that is damaged, or was written by a
// version that analyzes differently, is ignored.
type index struct {
	folder      string
	maxBytes    int64 // of all files; the least recently used ones are removed
	fingerprint [sha256.Size]byte
	analyst     *analyst
	log         *slog.Logger
}

// newIndex returns the index that a Config asks for, or nil.
func newIndex(c Config, a *analyst) *index {
	if c.Index == "" {
		return nil
	}
	return &index{folder: c.Index, maxBytes: c.MaxIndex, fingerprint: a.fingerprint(), analyst: a, log: c.Logger}
}

// indexFormat is the version of the layout of index files. It increases too when
// the same source text is analyzed differently.
const indexFormat = 2

// fingerprint identifies everything that determines the analysis of a file: the
// rules, the parameters of the sketches, and the version of the program.
func (a *analyst) fingerprint() [sha256.Size]byte {
	h := sha256.New()
	fmt.Fprintln(h, indexFormat, windowTokens, windowStep, shingle, bands, bandRows, minWord, maxNamed, maxLine)
	if info, ok := debug.ReadBuildInfo(); ok {
		fmt.Fprintln(h, info.Main.Version)
		for _, s := range info.Settings {
			if strings.HasPrefix(s.Key, "vcs.") {
				fmt.Fprintln(h, s.Value)
			}
		}
	}
	for _, r := range a.rules {
		fmt.Fprintf(h, "%+v\n", r)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

const (
	indexSuffix = ".index"
	tempSuffix  = ".tmp"
)

// path returns the path of the file for a tree.
func (x *index) path(key treeKey) string {
	sum := sha256.Sum256([]byte(key.folder + "\x00" + key.only))
	return filepath.Join(x.folder, hex.EncodeToString(sum[:16])+indexSuffix)
}

// restore loads a tree, which must be locked, if that has not been tried.
func (x *index) restore(t *tree, limit int64) {
	if x != nil && !t.restored {
		t.restored = true
		x.load(t, limit)
	}
}

// store saves a tree, which must be locked, if so much of it has changed that
// reading that again would take longer.
func (x *index) store(t *tree) {
	if x != nil && savedShare*t.unsaved > len(t.files) {
		t.unsaved = 0
		x.save(t)
	}
}

// savedShare is the part of the files of a tree, one in so many, that may change
// before the whole tree is stored again.
const savedShare = 20

// load fills an empty tree, which must be locked. It leaves the tree empty if there
// is no usable file for it, and removes a file that is not usable. limit is the
// greatest size of a file that is read.
func (x *index) load(t *tree, limit int64) {
	path := x.path(t.key)
	stored, err := x.read(t.key, path, limit)
	if err == nil {
		t.adopt(stored)
		markUsed(path)
		return
	}
	if !errors.Is(err, fs.ErrNotExist) {
		x.log.Warn("an index of source code is not usable and is made anew", "path", path, "err", err)
		_ = os.Remove(path) // it is replaced
	}
}

// markUsed sets the time by which trim selects files. The system's own times may
// be several milliseconds old.
func markUsed(path string) {
	now := time.Now()
	_ = os.Chtimes(path, now, now) // the file is removed sooner if that fails
}

func (x *index) read(key treeKey, path string, limit int64) (*tree, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case info.Size() > limit:
		return nil, errIndexSize
	}
	return x.decode(key, f, info.Size())
}

// save writes a tree, which must be locked, and then removes what is over the
// limit. A tree that cannot be written is read again after a restart.
func (x *index) save(t *tree) {
	err := os.MkdirAll(x.folder, 0o700)
	if err == nil {
		err = x.write(t)
	}
	if err != nil {
		x.log.Warn("an index of source code cannot be written", "path", x.folder, "err", err)
	}
	x.trim()
}

// write replaces the file for a tree. It is not synced: a power cut may damage it,
// which its checksum shows.
func (x *index) write(t *tree) error {
	f, err := os.CreateTemp(x.folder, "*"+tempSuffix)
	if err != nil {
		return err
	}
	if err = errors.Join(x.encode(t, f), f.Close()); err == nil {
		err = os.Rename(f.Name(), x.path(t.key))
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the error is that of writing
		return err
	}
	markUsed(x.path(t.key))
	return nil
}

// abandoned is the age of a temporary file whose program has ended.
const abandoned = time.Hour

// trim removes the least recently used files that exceed the limit, and temporary
// files of programs that were killed.
func (x *index) trim() {
	entries, err := os.ReadDir(x.folder)
	if err != nil {
		return
	}
	var files []fs.FileInfo
	for _, e := range entries {
		info, err := e.Info()
		switch {
		case err != nil || !info.Mode().IsRegular():
		case strings.HasSuffix(e.Name(), indexSuffix):
			files = append(files, info)
		case strings.HasSuffix(e.Name(), tempSuffix) && time.Since(info.ModTime()) > abandoned:
			_ = os.Remove(filepath.Join(x.folder, e.Name())) // another program may have removed it
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), strings.Compare(a.Name(), b.Name()))
	})
	left := x.maxBytes
	for _, info := range files {
		if left -= info.Size(); left < 0 {
			_ = os.Remove(filepath.Join(x.folder, info.Name())) // another program may have removed it
		}
	}
}
