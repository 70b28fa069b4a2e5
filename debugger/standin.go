package debugger

import (
	"errors"
	"os"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/core"
)

// A finder opens a file that a caller names, and returns its whole path.
type finder func(path string) (*os.File, string, error)

// A standIn is a file that a caller names because the program is no longer where
// it was. Without one the program is looked for there.
type standIn struct {
	path    string   // as the caller has it, "" without one
	file    *os.File // nil when it was handed over
	program string   // where the program was
}

// newStandIn opens the file.
func newStandIn(path string, find finder) (*standIn, error) {
	if path == "" {
		return &standIn{}, nil
	}
	file, _, err := find(path)
	if err != nil {
		return nil, err
	}
	return &standIn{path: path, file: file}, nil
}

// open opens a file that the process had mapped. It hands the file over when
// that is the program.
func (s *standIn) open(path string) (*os.File, error) {
	if s.file == nil || path != strings.TrimSuffix(s.program, " (deleted)") {
		return core.OpenRegular(path)
	}
	file := s.file
	s.file = nil
	return file, nil
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
	if s.path == "" {
		return nil
	}
	s.program = program
	_, err := files.Open(program)
	if s.file != nil { // nobody has asked for it
		err = errors.Join(failed("Wrong executable", "it is not known which program this was"), s.close())
	}
	if file, ok := errors.AsType[*core.FileError](err); ok {
		err = failed("Wrong executable", "%s: %v", s.path, file.Cause)
	}
	return err
}
