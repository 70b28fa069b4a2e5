package auditcmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/triptych-mcp/triptych/mcp/atomicfile"
)

const (
	// exportState is the name of the file with the positions of what was exported.
	exportState = "exported.json"
	// exportRecords limits the records of a file.
	exportRecords = 10_000
)

// A folder is a destination with a file for each segment.
type folder struct {
	stateFile
	path string
}

// openFolder opens a folder, which it makes with mode 0700.
func openFolder(path string) (*folder, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, err
	}
	return &folder{stateFile(filepath.Join(path, exportState)), path}, nil
}

// most implements destination.
func (d *folder) most() int { return exportRecords }

// store implements destination. Where other records have the names of these, because the
// positions were lost, the chain is taken for one that has started over.
func (d *folder) store(_ context.Context, s *segment) error {
	for {
		err := d.write(s)
		if !errors.Is(err, errOtherRecords) {
			return err
		}
		s.last.Began++
	}
}

// errOtherRecords is returned when a file is there that has other records of the same numbers.
var errOtherRecords = errors.New("there are other records")

// write writes records into the folder of their chain. A file that is there is not changed: if
// it has the first of the records, the others become the next file.
func (d *folder) write(s *segment) error {
	dir := filepath.Join(d.path, s.dir())
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for n := 0; n < len(s.records); {
		path := filepath.Join(dir, segmentName(s.records[n].Seq))
		there, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return atomicfile.Write(path, bytes.Join(s.lines[n:], nil), 0o600)
		}
		if err != nil {
			return err
		}
		for line := range bytes.Lines(there) {
			if n == len(s.lines) {
				break
			}
			if !bytes.Equal(line, s.lines[n]) {
				return errOtherRecords
			}
			n++
		}
		if len(there) == 0 {
			return fmt.Errorf("%s is empty", path)
		}
	}
	return nil
}
