package filestore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Problems implements [ruleset.Inspector]: it lists the files that look like
// rulesets and are not served, since they are broken, misnamed or in a subfolder.
func (s *Store) Problems(ctx context.Context) ([]ruleset.Problem, error) {
	dir, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unavailable(err)
	}
	var problems []ruleset.Problem
	for _, d := range dir {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if reason := s.problem(d); reason != "" {
			problems = append(problems, ruleset.Problem{File: d.Name(), Reason: reason})
		}
	}
	return problems, nil
}

// problem says why an entry of the folder is not served though it should be, ""
// if it is served or none of ours.
func (s *Store) problem(d fs.DirEntry) string {
	file := d.Name()
	name, named := nameOf(file)
	switch {
	case strings.HasPrefix(file, "."), strings.EqualFold(file, "README.md"):
		return ""
	case d.IsDir() && s.isFolder(file):
		return ""
	case d.IsDir():
		return nested(filepath.Join(s.dir, file))
	case named:
		_, err := s.read(name)
		if invalid, ok := errors.AsType[*InvalidFileError](err); ok {
			return invalid.Err.Error()
		}
		return ""
	case isMarkdown(file):
		return "its name is not snake_case with .md, such as python_style_guide.md"
	}
	return ""
}

// isFolder reports whether a folder holds the files of a ruleset, or a skill.
func (s *Store) isFolder(file string) bool {
	name, ok := nameOfFolder(file)
	if !ok {
		return false
	}
	_, flat := os.Lstat(s.path(name))
	_, main := os.Lstat(filepath.Join(s.dir, file, ruleset.MainFile))
	return flat == nil || main == nil
}

// nested reports the Markdown files below a folder, which are not served.
func nested(dir string) string {
	n := 0
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && isMarkdown(path) {
			n++
		}
		return nil // what cannot be read is not counted
	})
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("subfolders are not read, and this one has %d Markdown file(s)", n)
}

func isMarkdown(file string) bool {
	switch strings.ToLower(filepath.Ext(file)) {
	case suffix, ".mdc", ".markdown":
		return true
	}
	return false
}
