package rulefiles

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/triptych-mcp/triptych/mcp/atomicfile"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A folder with a SKILL.md is one ruleset: the SKILL.md is its text, and what is beside and
// below it are its files.

// isSkill reports whether a folder has a SKILL.md.
func isSkill(dir string) bool {
	info, err := os.Lstat(filepath.Join(dir, ruleset.MainFile))
	return err == nil && info.Mode().IsRegular()
}

// Attachments returns the files that belong to a rules file: those in the folder of a
// SKILL.md, none for another file. notes say what was left out.
func Attachments(path string) (files []ruleset.FileChange, notes []string, err error) {
	if filepath.Base(path) != ruleset.MainFile {
		return nil, nil, nil
	}
	return FilesIn(filepath.Dir(path))
}

// FilesIn returns the files of a folder and of those below it, without a SKILL.md of the
// folder itself, hidden files and links. notes say what was left out.
func FilesIn(dir string) (files []ruleset.FileChange, notes []string, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = root.Close() }() // it was only read
	var left []string
	size := 0
	err = fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case p == "." || p == ruleset.MainFile:
			return nil
		case ruleset.CheckFilePath(p) != nil && d.IsDir():
			left = append(left, p+"/")
			return fs.SkipDir
		case d.IsDir():
			return nil
		case ruleset.CheckFilePath(p) != nil || !d.Type().IsRegular():
			left = append(left, p)
			return nil
		}
		data, err := readIn(root, p)
		files, size = append(files, ruleset.FileChange{Path: p, Data: data}), size+len(data)
		switch {
		case err != nil:
			return err
		case len(files) >= ruleset.MaxFiles:
			return &ruleset.TooManyFilesError{Files: len(files) + 1}
		case size > ruleset.MaxFileBytes:
			return &ruleset.TooLargeError{Bytes: size}
		}
		return nil
	})
	if len(left) > 0 {
		notes = append(notes, "hidden or linked: "+strings.Join(left[:min(len(left), maxNamed)], ", "))
	}
	if more := len(left) - maxNamed; more > 0 {
		notes = append(notes, fmt.Sprintf("%d more of them", more))
	}
	return files, notes, err
}

// readIn reads a file, up to one byte more than a ruleset may have. What it returns is not
// nil.
func readIn(root *os.Root, path string) ([]byte, error) {
	f, err := root.Open(path)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, ruleset.MaxFileBytes+1))
	return append([]byte{}, data...), errors.Join(err, f.Close())
}

// WriteFile writes a file into a folder. A script can be executed.
func WriteFile(dir string, file ruleset.FileChange) error {
	path := filepath.Join(dir, filepath.FromSlash(file.Path))
	mode := fs.FileMode(0o644)
	if bytes.HasPrefix(file.Data, []byte("#!")) {
		mode = 0o755
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return atomicfile.Write(path, file.Data, mode)
}
