package ruleset

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"
)

// A File is a file that belongs to a ruleset, beside its text: a script or a template,
// say. With its files a ruleset is an Agent Skill.
type File struct {
	Path     string // slash-separated
	SHA256   [sha256.Size]byte
	Size     int64
	Modified time.Time // zero if not known
}

// A FileChange sets a file, or removes it if Data is nil.
type FileChange struct {
	Path string
	Data []byte
}

// A FileStore is a [Store] that keeps files of rulesets.
type FileStore interface {
	// Files returns the files of a ruleset in order of path. They outlive its
	// deletion. Too many of them are a [*TooManyFilesError] or a [*TooLargeError].
	Files(ctx context.Context, name Name) ([]File, error)
	// Folders returns, in order, the names under which there are files with a
	// [MainFile] and no ruleset: skills that people keep in the store.
	Folders(ctx context.Context) ([]Name, error)
	// ReadFile returns the bytes of a file, or a [*NoFileError].
	ReadFile(ctx context.Context, name Name, path string) ([]byte, error)
	// ChangeFiles sets and removes files of a ruleset, which must exist. A removal
	// of a file that is missing is a [*NoFileError]; then, and if there would be too
	// much, nothing is changed. A crash may leave some of the changes undone.
	ChangeFiles(ctx context.Context, name Name, changes []FileChange) error
}

// Limits of the files of one ruleset: those of a skill.
const (
	MaxFiles     = 512
	MaxFileBytes = 16 << 20 // of all together, with the text
)

// A NoFileError reports a file that a ruleset does not have.
type NoFileError struct {
	Name Name
	Path string
}

func (e *NoFileError) Error() string {
	return fmt.Sprintf("ruleset '%s' has no file '%.200s'", e.Name, e.Path)
}

// A TooManyFilesError reports more files than a ruleset may have.
type TooManyFilesError struct{ Files int }

func (e *TooManyFilesError) Error() string {
	return fmt.Sprintf("the ruleset would have %d files; at most %d are kept", e.Files, MaxFiles)
}

// CheckFiles returns an error if a ruleset cannot have the files that changes make of
// those that it has, by path and size; text is the size of the ruleset's own text.
func CheckFiles(name Name, sizes map[string]int64, changes []FileChange, text int64) error {
	for _, c := range changes {
		if err := CheckFilePath(c.Path); err != nil {
			return err
		}
		if c.Path == MainFile {
			return errors.New("the file SKILL.md is made of the ruleset's text and description")
		}
		if _, there := sizes[c.Path]; c.Data == nil && !there {
			return &NoFileError{Name: name, Path: c.Path}
		}
		if sizes[c.Path] = int64(len(c.Data)); c.Data == nil {
			delete(sizes, c.Path)
		}
	}
	total := text
	for _, size := range sizes {
		total += size
	}
	if total > MaxFileBytes {
		return &TooLargeError{Bytes: int(total)}
	}
	if len(sizes)+1 > MaxFiles {
		return &TooManyFilesError{Files: len(sizes) + 1}
	}
	return nil
}

// MainFile is the file that makes a folder a skill by itself.
const MainFile = "SKILL.md"

// maxFilePath is the longest path of a file, in bytes.
const maxFilePath = 512

// CheckFilePath returns an error for a path that no file of a ruleset can have: it must
// be slash-separated, lead down, and have no hidden part.
func CheckFilePath(path string) error {
	if !fs.ValidPath(path) || path == "." || len(path) > maxFilePath || strings.ContainsAny(path, "\\:\x00") {
		return fmt.Errorf("the path %.80q is not one below the folder of the files", path)
	}
	for part := range strings.SplitSeq(path, "/") {
		if strings.HasPrefix(part, ".") {
			return fmt.Errorf("the path %.80q has a hidden part", path)
		}
	}
	return nil
}

// FilesOf returns the files of a store, or of the one that it wraps; ok is false if it
// keeps none.
func FilesOf(s Store) (_ FileStore, ok bool) { return As[FileStore](s) }
