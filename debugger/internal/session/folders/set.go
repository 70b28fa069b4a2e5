package folders

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
)

// NoNull returns an error if an argument that is a path has null bytes.
func NoNull(name, path string) error {
	if strings.ContainsRune(path, 0) {
		return fmt.Errorf("%s must not hold null bytes", name)
	}
	return nil
}

// A Set is the folders below which files may be opened. The last one may not
// exist yet.
type Set []string

// An OutsideError reports a file that may not be opened.
type OutsideError struct {
	path  string
	cause string
}

func (e *OutsideError) Error() string {
	return fmt.Sprintf("%s %s; --traces names the folders that may be read", shown(e.path), e.cause)
}

const outside = "is outside of the folders of core files and traces"

// Open opens a regular file below one of the folders and returns its full
// path. A relative path is tried in each of them. Symbolic links may lead from
// folder to folder, but not out.
func (s Set) Open(path string) (*os.File, string, error) {
	candidates := s.candidates(path)
	if len(candidates) == 0 {
		return nil, "", &OutsideError{path, outside}
	}
	for _, full := range candidates {
		file, real, err := s.openAt(full)
		if !errors.Is(err, fs.ErrNotExist) {
			return file, real, describeError(path, err)
		}
	}
	return nil, "", failure.Argumentf("%s is not there; relative paths begin at the folders that --traces names", shown(path))
}

// candidates returns the full paths that a path may mean.
func (s Set) candidates(path string) []string {
	var all []string
	for _, folder := range s {
		switch {
		case filepath.IsAbs(path):
			if _, ok := s.below(filepath.Clean(path)); ok && len(all) == 0 {
				all = append(all, filepath.Clean(path))
			}
		case filepath.IsLocal(path):
			all = append(all, filepath.Join(folder, path))
		}
	}
	return all
}

// below returns the folder that contains a path, judged by its spelling.
func (s Set) below(path string) (string, bool) {
	i := slices.IndexFunc(s, func(folder string) bool {
		rel, err := filepath.Rel(folder, path)
		return err == nil && filepath.IsLocal(rel)
	})
	if i < 0 {
		return "", false
	}
	return s[i], true
}

// openAt resolves the links of a path and opens the result. It opens through
// os.Root, so that a link made meanwhile cannot lead out.
func (s Set) openAt(path string) (*os.File, string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, "", err
	}
	folder, ok := s.real().below(real)
	if !ok {
		return nil, "", &OutsideError{path, outside}
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = root.Close() }() // it was only read
	rel, err := filepath.Rel(folder, real)
	if err != nil {
		return nil, "", err
	}
	file, err := openIn(root, rel)
	return file, real, err
}

// real returns the folders without symbolic links, but for those that do not
// exist.
func (s Set) real() Set {
	var all Set
	for _, folder := range s {
		if real, err := filepath.EvalSymlinks(folder); err == nil {
			all = append(all, real)
		}
	}
	return all
}

// openIn opens a regular file: reading others could block.
func openIn(root *os.Root, rel string) (*os.File, error) {
	info, err := root.Stat(rel)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &OutsideError{rel, "is no regular file"}
	}
	return root.Open(rel)
}

// describeError names the path as the caller wrote it, and hides where it
// leads on the server's disk.
func describeError(path string, err error) error {
	_, outside := errors.AsType[*OutsideError](err)
	cause, system := errors.AsType[syscall.Errno](err)
	switch {
	case err == nil, outside:
		return err
	case errors.Is(err, fs.ErrPermission):
		return &OutsideError{path, "may not be read by the server: the operating system denies it"}
	case !system: // too many symbolic links
		return failure.Argumentf("%s cannot be opened: it leads through too many links", shown(path))
	case slices.Contains(wrongPath, cause):
		return failure.Argumentf("%s cannot be opened: %v", shown(path), cause)
	}
	return fmt.Errorf("open %s: %w", shown(path), cause)
}

// wrongPath are the system's errors for paths that no file can have.
var wrongPath = []syscall.Errno{syscall.ENAMETOOLONG, syscall.ENOTDIR, syscall.ELOOP, syscall.EINVAL}

// maxShown is the maximum length of a path in an error.
const maxShown = 200

func shown(path string) string {
	if len(path) > maxShown {
		path = strings.ToValidUTF8(path[:maxShown], "") + "…"
	}
	return path
}
