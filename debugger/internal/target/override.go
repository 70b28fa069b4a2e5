package target

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/core"
	"github.com/triptych-mcp/triptych/debugger/internal/failure"
)

// A Opener opens a file that a caller names, and returns its whole path.
type Opener func(path string) (*os.File, string, error)

// Overrides are where a caller says that the files of a process are, if they are no
// longer where they were.
type Overrides struct {
	Executable string // the program, "" where it was
	Root       string // a folder that has a copy of the file system, "" for none
	Open       Opener
}

// A overrideOpener opens the files of a process in these places.
type overrideOpener struct {
	Overrides

	file     *os.File // the executable, nil when it was handed over
	program  string   // where it was
	rootUsed bool     // whether the root has had any file
}

// openOverrides opens the executable.
func openOverrides(where Overrides) (*overrideOpener, error) {
	s := &overrideOpener{Overrides: where}
	if where.Executable == "" {
		return s, nil
	}
	var err error
	s.file, _, err = where.Open(where.Executable)
	return s, err
}

// open opens a file that the process had mapped. It hands the executable over
// when that is the program.
func (s *overrideOpener) open(path string) (*os.File, error) {
	if s.file != nil && path == strings.TrimSuffix(s.program, " (deleted)") {
		file := s.file
		s.file = nil
		return file, nil
	}
	if s.Root != "" {
		if file, _, err := s.Open(filepath.Join(s.Root, path)); err == nil {
			s.rootUsed = true
			return file, nil
		}
	}
	return core.OpenRegular(path)
}

// Unused says that nothing was found in the root.
func (s *overrideOpener) Unused() []string {
	if s.Root == "" || s.rootUsed {
		return nil
	}
	return []string{"root: none of the process's files is below " + s.Root}
}

// close closes the file unless it was handed over.
func (s *overrideOpener) close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// check says why the file is not the program.
func (s *overrideOpener) check(program string, files *core.Mapped) error {
	if s.Executable == "" {
		return nil
	}
	s.program = program
	_, err := files.Open(program)
	if s.file != nil { // nobody has asked for it
		err = errors.Join(failure.Errorf("Wrong executable", "it is not known which program this was"), s.close())
	}
	if file, ok := errors.AsType[*core.FileError](err); ok {
		err = failure.Errorf("Wrong executable", "%s: %v", s.Executable, file.Cause)
	}
	return err
}
