package debugger

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/core"
)

// A finder opens a file that a caller names, and returns its whole path.
type finder func(path string) (*os.File, string, error)

// places are where a caller says that the files of a process are, if they are no
// longer where they were.
type places struct {
	executable string // the program, "" where it was
	root       string // a folder that has a copy of the file system, "" for none
	find       finder
}

// A standIn opens the files of a process in these places.
type standIn struct {
	places

	file    *os.File // the executable, nil when it was handed over
	program string   // where it was
	used    bool     // whether the root has had any file
}

// newStandIn opens the executable.
func newStandIn(where places) (*standIn, error) {
	s := &standIn{places: where}
	if where.executable == "" {
		return s, nil
	}
	var err error
	s.file, _, err = where.find(where.executable)
	return s, err
}

// open opens a file that the process had mapped. It hands the executable over
// when that is the program.
func (s *standIn) open(path string) (*os.File, error) {
	if s.file != nil && path == strings.TrimSuffix(s.program, " (deleted)") {
		file := s.file
		s.file = nil
		return file, nil
	}
	if s.root != "" {
		if file, _, err := s.find(filepath.Join(s.root, path)); err == nil {
			s.used = true
			return file, nil
		}
	}
	return core.OpenRegular(path)
}

// unused says that nothing was found in the root.
func (s *standIn) unused() []string {
	if s.root == "" || s.used {
		return nil
	}
	return []string{"root: none of the process's files is below " + s.root}
}

// close closes the file unless it was handed over.
func (s *standIn) close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// check says why the file is not the program.
func (s *standIn) check(program string, files *core.Mapped) error {
	if s.executable == "" {
		return nil
	}
	s.program = program
	_, err := files.Open(program)
	if s.file != nil { // nobody has asked for it
		err = errors.Join(failed("Wrong executable", "it is not known which program this was"), s.close())
	}
	if file, ok := errors.AsType[*core.FileError](err); ok {
		err = failed("Wrong executable", "%s: %v", s.executable, file.Cause)
	}
	return err
}
