package proc

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// notBegun says why the system did not begin a program. Who tries to run what is
// no program gets EACCES, as who may not trace does; that is EPERM here.
func (s Spec) notBegun(err error) error {
	if errors.Is(err, unix.EPERM) {
		return fmt.Errorf("launch %s: %w", s.Path, err)
	}
	text := fmt.Sprintf("launch %s: %v", s.Path, err)
	if cause := s.obstacle(err); cause != "" {
		text += ": " + cause
	}
	return errors.New(text)
}

// tooNarrow says why a 32-bit program is not launched.
func (s Spec) tooNarrow() error {
	return fmt.Errorf("launch %s: %s (%s)", s.Path, narrowCause, narrowCure)
}

// obstacle explains the error of an exec, "" if the error says enough.
func (s Spec) obstacle(err error) string {
	if s.Dir != "" {
		if info, err := os.Stat(s.Dir); err != nil || !info.IsDir() {
			return "it is to run in " + s.Dir + ", which is no folder"
		}
	}
	info, missing := os.Stat(s.Path)
	switch {
	case missing != nil:
		return ""
	case info.IsDir():
		return "it is a folder"
	case !info.Mode().IsRegular():
		return "it is no file"
	case errors.Is(err, unix.EACCES) && info.Mode()&0o111 == 0:
		return "it is not executable; a source file has to be compiled first, and a program needs chmod +x"
	case errors.Is(err, unix.ENOEXEC):
		return "it is neither a program for this machine nor a script whose first line begins with #!"
	case errors.Is(err, unix.ENOENT):
		return "the file is there, but the interpreter or loader that it names is not"
	}
	return ""
}
