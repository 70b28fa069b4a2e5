package target

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/core"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
)

// An Opener opens a file that a caller names, and returns its full path.
type Opener func(path string) (*os.File, string, error)

// Overrides say where files of a process are that are no longer where they
// were.
type Overrides struct {
	Executable string // the program, "" where it was
	Root       string // a folder that has a copy of the file system, "" for none
	Open       Opener
	Kept       func(path string) (*os.File, error) // opens files that a recording has; nil for none
	Findings   string                              // folder for what is found in recordings, "" for none
}

// An overrideOpener opens the files of a process with overrides.
type overrideOpener struct {
	Overrides

	file     *os.File // the executable, nil after open has returned it
	program  string   // the path that the process had
	rootUsed bool     // whether a file was found in the root
}

// openOverrides opens the executable of the overrides, if they have one.
func openOverrides(where Overrides) (*overrideOpener, error) {
	s := &overrideOpener{Overrides: where}
	if where.Executable == "" {
		return s, nil
	}
	var err error
	s.file, _, err = where.Open(where.Executable)
	return s, err
}

// open opens a file that the process had mapped. The first time the program is
// wanted it returns the executable of the overrides.
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
	if s.Kept != nil {
		if file, err := s.Kept(path); !errors.Is(err, os.ErrNotExist) {
			return file, err
		}
	}
	return core.OpenRegular(path)
}

// Unused describes a root in which no file was found.
func (s *overrideOpener) Unused() []string {
	if s.Root == "" || s.rootUsed {
		return nil
	}
	return []string{"root: none of the process's files is below " + s.Root}
}

// close closes the executable unless it was returned by open.
func (s *overrideOpener) close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// check returns an error if the executable is not the program of the target.
func (s *overrideOpener) check(program string, files *core.Mapped) error {
	if s.Executable == "" {
		return nil
	}
	s.program = program
	_, err := files.Open(program)
	if s.file != nil { // it was not opened
		err = errors.Join(failure.Errorf("Wrong executable", "it is not known which program this was"), s.close())
	}
	if file, ok := errors.AsType[*core.FileError](err); ok {
		err = failure.Errorf("Wrong executable", "%s: %v", s.Executable, file.Cause)
	}
	return err
}
