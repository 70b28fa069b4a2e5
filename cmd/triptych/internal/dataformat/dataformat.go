// Package dataformat marks a data folder with the version of its format, so that a program
// that is too old for it says so instead of misreading it.
//
//	err := dataformat.Check(dir)         // before anything is opened
//	err = dataformat.Mark(dir, version) // by a server, once it has opened everything
//
// A folder without a mark is one that no server has opened yet. A change of the format that
// older programs cannot read raises [Current]. UPGRADING.md lists the formats.
package dataformat

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/triptych-mcp/triptych/mcp/atomicfile"
)

// Current is the format of a data folder that this program writes and reads.
const Current = 1

// fileName is the name of the mark in the data folder.
const fileName = "format.json"

// A mark says which programs can read a folder.
type mark struct {
	Format  int    `json:"format"`
	Program string `json:"program"` // the version that wrote the mark, for people
}

// A NewerError reports a data folder of a later format.
type NewerError struct {
	Dir     string
	Format  int
	Program string
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("%s has data of format %d, written by triptych %s; this program knows formats up to %d", e.Dir, e.Format, e.Program, Current)
}

// Check returns a [*NewerError] if a data folder has a later format.
func Check(dir string) error {
	m, err := read(dir)
	if err == nil && m.Format > Current {
		return &NewerError{Dir: dir, Format: m.Format, Program: m.Program}
	}
	return err
}

// Mark marks a data folder that exists with the current format, unless it has that or a later one.
func Mark(dir, program string) error {
	m, err := read(dir)
	if err != nil || m.Format >= Current {
		return err
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	text, err := json.Marshal(mark{Format: Current, Program: program})
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(dir, fileName), append(text, '\n'), 0o644)
}

// read returns the mark of a folder, the zero mark if there is none.
func read(dir string) (m mark, err error) {
	file := filepath.Join(dir, fileName)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err == nil && m.Format < 1 {
		err = errors.New("it names no format")
	}
	if err != nil {
		return m, fmt.Errorf("%s: %w", file, err)
	}
	return m, nil
}
