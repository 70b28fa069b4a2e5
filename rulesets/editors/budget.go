package editors

import (
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
	marks := ruleMark.FindAllStringSubmatchIndex(text, -1)
	for i, at := range marks {
		end := len(text)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		} else if e := strings.LastIndex(text, strings.TrimSpace(endMark)); e >= 0 {
			end = e
		}
		switch name := ruleset.Name(text[at[2]:at[3]]); {
		case at[0] >= limit:
			lost = append(lost, name)
		case end > limit:
			cut = name
		}
	}
	return cut, lost
}
