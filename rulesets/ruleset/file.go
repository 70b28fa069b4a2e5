package ruleset

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// A File is a file that belongs to a ruleset, beside its text: a script or a template,
// say. With its files a ruleset is an Agent Skill.
type File struct {
	Path   string `json:"path"` // slash-separated
	SHA256 Digest `json:"sha256"`
	Size   int64  `json:"size"`
}

// A Digest is the SHA-256 of the bytes of a file, in texts as hexadecimal digits.
type Digest [sha256.Size]byte

// String returns the hexadecimal digits.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText implements [encoding.TextMarshaler].
func (d Digest) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, d[:]), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (d *Digest) UnmarshalText(text []byte) error {
	data, err := hex.DecodeString(string(text))
	if err != nil || len(data) != len(d) {
		return fmt.Errorf("%.80q is not a SHA-256", text)
	}
	*d = Digest(data)
	return nil
}

// FileOf describes a file with these bytes.
func FileOf(path string, data []byte) File {
	return File{Path: path, SHA256: sha256.Sum256(data), Size: int64(len(data))}
}

// A FileChange sets a file, or removes it if Data is nil.
type FileChange struct {
	Path string
	Data []byte
}

// SameFiles reports whether a and b are the same files, both in order of path.
func SameFiles(a, b []File) bool { return slices.Equal(a, b) }

// ChangedFiles returns what changes make of files, in order of path.
func ChangedFiles(files []File, changes []FileChange) []File {
	byPath := map[string]File{}
	for _, f := range files {
		byPath[f.Path] = f
	}
	for _, c := range changes {
		if delete(byPath, c.Path); c.Data != nil {
			byPath[c.Path] = FileOf(c.Path, c.Data)
		}
	}
	var all []File
	for _, path := range slices.Sorted(maps.Keys(byPath)) {
		all = append(all, byPath[path])
	}
	return all
}

// Limits of the files of one ruleset: those of a skill.
const (
	MaxFiles     = 512
	MaxFileBytes = 16 << 20 // of all together, with the text
)

// maxFileChanges is the number of changes that replace all files by as many others.
const maxFileChanges = 2 * MaxFiles

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
// those that it has; text is the size of the ruleset's own text.
func CheckFiles(name Name, files []File, changes []FileChange, text int) error {
	if len(changes) > maxFileChanges {
		return fmt.Errorf("%d files are changed at once; at most %d can be", len(changes), maxFileChanges)
	}
	sizes := make(map[string]int64, len(files))
	for _, f := range files {
		sizes[f.Path] = f.Size
	}
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
	total := int64(text)
	for at, size := range sizes {
		total += size
		for dir := path.Dir(at); dir != "."; dir = path.Dir(dir) {
			if _, there := sizes[dir]; there {
				return fmt.Errorf("'%.200s' cannot be a file and the folder of '%.200s'", dir, at)
			}
		}
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
