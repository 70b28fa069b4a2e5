package rulefiles

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// An ignoreLine is a pattern of a .gitignore, for paths from its folder.
type ignoreLine struct {
	pattern             string
	again, folder, deep bool
}

// maxIgnore is the longest .gitignore that is read, in bytes.
const maxIgnore = 1 << 20

// isIgnored reports whether git ignores a file or a folder of the project, by the files
// .gitignore from the root on and .git/info/exclude. The last line that matches decides.
func (s *search) isIgnored(name string, isDir bool) bool {
	rel := s.rel(name)
	if rel == "" || rel == "." {
		return false
	}
	parts := strings.Split(rel, "/")
	for n := 1; n <= len(parts); n++ {
		if s.matchesIgnore(parts[:n], isDir || n < len(parts)) {
			return true // what is in an ignored folder is ignored
		}
	}
	return false
}

func (s *search) matchesIgnore(parts []string, isDir bool) bool {
	ignored := false
	for depth := range parts {
		dir := strings.Join(parts[:depth], "/")
		file := strings.Join(parts[depth:], "/")
		for _, line := range s.ignoreLines(dir) {
			target := file
			if line.deep {
				target = path.Base(file)
			}
			if line.folder && !isDir {
				continue
			}
			if matched, err := doublestar.Match(line.pattern, target); err == nil && matched {
				ignored = !line.again
			}
		}
	}
	return ignored
}

// ignoreLines returns the lines for a folder of the project.
func (s *search) ignoreLines(dir string) []ignoreLine {
	key := s.root + "\x00" + dir
	lines, known := s.ignored[key]
	if known {
		return lines
	}
	files := []string{filepath.Join(s.root, filepath.FromSlash(dir), ".gitignore")}
	if dir == "" {
		files = append([]string{filepath.Join(s.root, ".git", "info", "exclude")}, files...)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.Size() > maxIgnore {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			if parsed, ok := parseIgnore(line); ok {
				lines = append(lines, parsed)
			}
		}
	}
	s.ignored[key] = lines
	return lines
}

// parseIgnore reads a line of a .gitignore; ok is false for one without a pattern.
func parseIgnore(line string) (l ignoreLine, ok bool) {
	line = strings.TrimRight(line, "\r\n")
	if !strings.HasSuffix(line, `\ `) {
		line = strings.TrimRight(line, " \t")
	}
	if line == "" || line[0] == '#' {
		return l, false
	}
	line, l.again = strings.CutPrefix(line, "!")
	line, l.folder = strings.CutSuffix(line, "/")
	l.deep = !strings.Contains(line, "/")
	l.pattern = strings.TrimPrefix(line, "/")
	return l, l.pattern != ""
}
