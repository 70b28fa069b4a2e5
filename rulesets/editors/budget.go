package editors

import (
	"cmp"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Measure returns the size of a content as the budget counts it.
func (b Budget) Measure(content []byte) int {
	if b.Chars {
		return utf8.RuneCount(content)
	}
	return len(content)
}

// Unit returns "bytes" or "characters".
func (b Budget) Unit() string {
	if b.Chars {
		return "characters"
	}
	return "bytes"
}

// Ancestors returns the folders from the root of the project, ".", to dir.
func Ancestors(dir string) []string {
	if dir == "." || dir == "" || dir == "/" {
		return []string{"."}
	}
	return append(Ancestors(path.Dir(dir)), dir)
}

// Take returns the files that a load takes in one folder.
func (l Load) Take(dir string, exists func(file string) bool) []string {
	if l.In == Root && dir != "." {
		return nil
	}
	for _, names := range l.Names {
		var files []string
		for _, name := range names {
			if file := path.Join(dir, name); exists(file) {
				files = append(files, file)
			}
		}
		if len(files) > 0 {
			return files
		}
	}
	return nil
}

// Beyond returns the rule of a shared file in which its first limit bytes end, and
// those behind it.
func Beyond(content []byte, limit int) (cut ruleset.Name, lost []ruleset.Name) {
	if len(content) <= limit {
		return "", nil
	}
	text := string(content)
	for name, from, to := nextRule(text, 0); from >= 0; {
		next, nextFrom, nextTo := nextRule(text, to)
		end := nextFrom
		if nextFrom < 0 {
			end = cmp.Or(max(0, strings.LastIndex(text, strings.TrimSpace(endMark))), len(text))
		}
		switch {
		case from >= limit:
			lost = append(lost, ruleset.Name(name))
		case end > limit:
			cut = ruleset.Name(name)
		}
		name, from, to = next, nextFrom, nextTo
	}
	return cut, lost
}
