package filestore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Problems implements [ruleset.Inspector]: it lists the files that look like
// rulesets and are not served, since they are broken, misnamed or in a subfolder.
func (s *Store) Problems(ctx context.Context) (problems []ruleset.Problem, err error) {
	add := func(file, reason string) {
		if reason != "" {
			problems = append(problems, ruleset.Problem{File: file, Reason: reason})
		}
	}
	ok, err := s.indexed(func([]ruleset.Meta) {
		s.refreshOddLocked(maps.Clone(s.watched.index.folders))
		for _, file := range slices.Sorted(maps.Keys(s.watched.index.problems)) {
			add(file, s.watched.index.problems[file])
		}
	})
	if ok || err != nil {
		return problems, err
	}
	entries, err := s.folder.entries()
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		add(e.Name(), s.problem(e))
	}
	return problems, err
}

// problem says why an entry of the folder is not served though it should be, ""
// if it is served or none of ours.
func (s *Store) problem(d fs.DirEntry) string {
	file := d.Name()
	name, named := nameOf(file)
	switch {
	case strings.HasPrefix(file, "."), strings.EqualFold(file, "README.md"):
		return ""
	case d.IsDir() && s.folder.holdsRuleset(file):
		return s.problemOfFolder(file)
	case d.IsDir():
		return nested(filepath.Join(s.folder.dir, file))
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

// holdsRuleset reports whether a folder holds the files of a ruleset, or a skill.
func (f folder) holdsRuleset(file string) bool {
	name, ok := nameOfFolder(file)
	if !ok {
		return false
	}
	_, flat := os.Lstat(f.path(name))
	_, main := os.Lstat(filepath.Join(f.dir, file, ruleset.MainFile))
	return flat == nil || main == nil
}

// problemOfFolder says why the SKILL.md of a folder is not served, "" if it is or need not be.
func (s *Store) problemOfFolder(file string) string {
	name, _ := nameOfFolder(file)
	if _, err := os.Lstat(s.folder.path(name)); err == nil {
		return ""
	}
	_, err := s.loadFile(name, s.folder.mainPath(name, true), ruleset.MainFile)
	if invalid, ok := errors.AsType[*InvalidFileError](err); ok {
		return "its " + ruleset.MainFile + ": " + invalid.Err.Error()
	}
	return ""
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
