package debugger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/mcp"
)

// Traces are the folders below which core files and traces may be opened. Nil
// means those of TRIPTYCH_TRACES, else the working directory, unless that is the
// root of the file system. The folder traces of the data folder is one, too:
// debugger/export_trace writes there.
type Traces []string

func (t *Traces) registerFlags(set *pflag.FlagSet) {
	set.StringArrayVar((*[]string)(t), "traces", nil, "let the debugger open core files and traces below this `folder`; may be given several times (TRIPTYCH_TRACES; the working directory)")
}

// tracesFolder is the one of the data folder.
const tracesFolder = "traces"

// open makes the shelf of what may be opened.
func (t Traces) open(env mcp.Env) (shelf, error) {
	all, err := folders(t, env.Getenv("TRIPTYCH_TRACES"))
	if err != nil {
		return nil, fmt.Errorf("folder of traces: %w", err)
	}
	return append(shelf(all), filepath.Join(env.Data, tracesFolder)), nil
}

// noNull says that an argument which is a path has null bytes.
func noNull(name, path string) error {
	if strings.ContainsRune(path, 0) {
		return fmt.Errorf("%s must not hold null bytes", name)
	}
	return nil
}

// A shelf is the folders below which files may be opened. The last one may not
// be there yet.
type shelf []string

// An outsideError says that a file may not be opened.
type outsideError struct {
	path  string
	cause string
}

func (e *outsideError) Error() string {
	return fmt.Sprintf("%s %s; --traces names the folders that may be read", e.path, e.cause)
}

const outside = "is outside of the folders of core files and traces"

// open opens a regular file below one of the folders, and returns its whole
// path. A relative path is looked for in each of them. Symbolic links may lead
// from folder to folder, but not out.
func (s shelf) open(path string) (*os.File, string, error) {
	candidates := s.candidates(path)
	if len(candidates) == 0 {
		return nil, "", &outsideError{path, outside}
	}
	for _, full := range candidates {
		file, real, err := s.openAt(full)
		if !errors.Is(err, fs.ErrNotExist) {
			return file, real, shelfError(path, err)
		}
	}
	return nil, "", wrongArgument("%s is not there; relative paths begin at the folders that --traces names", path)
}

// candidates are the places that a path may mean.
func (s shelf) candidates(path string) []string {
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

// below finds the folder that a path lies in, by its spelling.
func (s shelf) below(path string) (string, bool) {
	i := slices.IndexFunc(s, func(folder string) bool {
		rel, err := filepath.Rel(folder, path)
		return err == nil && filepath.IsLocal(rel)
	})
	if i < 0 {
		return "", false
	}
	return s[i], true
}

// openAt resolves the links of a path and opens what it leads to. The folder's
// own handle lets no link out that somebody makes meanwhile.
func (s shelf) openAt(path string) (*os.File, string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, "", err
	}
	folder, ok := s.real().below(real)
	if !ok {
		return nil, "", &outsideError{path, outside}
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

// real are the folders without symbolic links. One that is not there has
// nothing below it.
func (s shelf) real() shelf {
	var all shelf
	for _, folder := range s {
		if real, err := filepath.EvalSymlinks(folder); err == nil {
			all = append(all, real)
		}
	}
	return all
}

// openIn opens a file unless it is something that reading could block on.
func openIn(root *os.Root, rel string) (*os.File, error) {
	info, err := root.Stat(rel)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &outsideError{rel, "is no regular file"}
	}
	return root.Open(rel)
}

// shelfError is for what the system refuses.
func shelfError(path string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return &outsideError{path, "may not be read by the server: the operating system denies it"}
	}
	return err
}
