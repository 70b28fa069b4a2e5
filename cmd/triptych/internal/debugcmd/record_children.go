package debugcmd

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/triptych-mcp/triptych/debugger"
)

// childFile is the file of a child's recording.
func childFile(name string, pid int) string { return fmt.Sprintf("%s.%d", name, pid) }

// childFiles returns a function that opens the files of children. A child whose file cannot
// be opened runs unrecorded.
func childFiles(name string, l limits) func(pid int) io.WriteCloser {
	return func(pid int) io.WriteCloser {
		file, err := createOutput(childFile(name, pid), l)
		if err != nil {
			return nil
		}
		return file.recording()
	}
}

// keepChildren reports the recordings of children, and removes those that are not to be kept:
// with --on-crash those of children that have not failed.
func (a commands) keepChildren(f *recordFlags, run *debugger.RecordedRun, name string) {
	for _, c := range run.Children {
		file := childFile(name, c.PID)
		switch {
		case c.Err != nil:
			fmt.Fprintf(a.Err, "triptych: child %d: %v\n", c.PID, c.Err)
		case f.onCrash && c.Status == 0:
		case c.Events == 0:
			fmt.Fprintf(a.Err, "triptych: child %d: nothing is recorded: %s\n", c.PID, c.Cut)
		default:
			if f.pack {
				report(a.IO, a.pack(file))
			}
			fmt.Fprintf(a.Err, "triptych: child %d: recorded %d instructions; see them by: triptych replay %s\n", c.PID, c.Positions, file)
			continue
		}
		report(a.IO, removeChild(file))
	}
}

// removeChildren removes the recordings of children.
func removeChildren(run *debugger.RecordedRun, name string) (err error) {
	for _, c := range run.Children {
		err = errors.Join(err, removeChild(childFile(name, c.PID)))
	}
	return err
}

// removeChild removes the recording of a child, if there is one.
func removeChild(file string) error {
	if err := os.Remove(file); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
