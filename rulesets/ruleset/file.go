package ruleset

import (
	"context"
	"crypto/sha256"
	"fmt"
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
	// Files returns the files of a ruleset in order of path; none for a ruleset
	// without files, or that does not exist. The file SKILL.md is among them where
	// the store keeps the text of the ruleset as such a file.
	Files(ctx context.Context, name Name) ([]File, error)
	// ReadFile returns the bytes of a file, or a [*NoFileError].
	ReadFile(ctx context.Context, name Name, path string) ([]byte, error)
	// ChangeFiles sets and removes files of a ruleset, which must exist. A removal
	// of a file that is missing is a [*NoFileError], too many bytes or files are a
	// [*TooLargeError] or a [*TooManyFilesError]; nothing is changed then.
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
