package proc

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// launchError explains why a program could not be started. An EPERM is left to
// refused: it means that tracing is not permitted, while EACCES is about the file.
func (s Spec) launchError(err error) error {
	if errors.Is(err, unix.EPERM) {
		return fmt.Errorf("launch %s: %w", s.Path, err)
	}
	text := fmt.Sprintf("launch %s: %v", s.Path, err)
	if cause := s.launchObstacle(err); cause != "" {
		text += ": " + cause
	}
	return errors.New(text)
}

// error32Bit returns the error for launching a 32-bit program.
func (s Spec) error32Bit() error {
	return fmt.Errorf("launch %s: %s (%s)", s.Path, cause32Bit, cure32Bit)
}

// launchObstacle explains the error of execve(2). It returns "" if the error is
// clear enough.
func (s Spec) launchObstacle(err error) string {
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
