package editors

import (
	"path"
	"strings"
)

// maxImports is the number of files that imports lead through: Claude Code's and Gemini
// CLI's documents say five.
const maxImports = 5

// Paths returns the paths that a text imports by @path, as they are written. Text in code is
// none, and neither is a path that is not from the file's folder.
func (i *Imports) Paths(text string) (paths []string) {
	fence := ""
	for line := range strings.Lines(text) {
		switch mark := fenceOf(line); {
		case mark != "" && fence == "":
			fence = mark
		case mark != "" && strings.HasPrefix(mark, fence):
			fence = ""
			continue
		}
		if fence != "" || !strings.Contains(line, "@") {
			continue
		}
		for _, word := range strings.Fields(withoutCode(line)) {
			if file, ok := strings.CutPrefix(word, "@"); ok {
				if i.Trims {
					file = strings.TrimRight(file, ".,;:!?)\"'")
				}
				if file != "" && file[0] != '/' && file[0] != '~' {
					paths = append(paths, file)
				}
			}
		}
	}
	return paths
}

// withoutCode returns a line without the code between runs of backticks.
func withoutCode(line string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(line, "`")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		run := "`" + rest[:len(rest)-len(strings.TrimLeft(rest, "`"))]
		_, after, closed := strings.Cut(rest[len(run)-1:], run)
		if !closed {
			after = rest[len(run)-1:]
		}
		b.WriteByte(' ')
		line = after
	}
}

// Of returns the files of a project that a file imports, and those that they import,
// without the file itself. read returns the text of a file; ok is false if there is none.
// cwd is the working directory.
func (i *Imports) Of(file, cwd string, read func(string) (text string, ok bool)) (all []string) {
	seen := map[string]bool{file: true}
	from := []string{file}
	for range maxImports {
		var next []string
		for _, at := range from {
			text, _ := read(at)
			for _, word := range i.Paths(text) {
				to := path.Join(path.Dir(at), word)
				if seen[to] || strings.HasPrefix(to, "../") || i.Below && cwd != "." && !strings.HasPrefix(to, cwd+"/") {
					continue
				}
				if _, ok := read(to); ok {
					seen[to] = true
					next = append(next, to)
				}
			}
		}
		all, from = append(all, next...), next
	}
	return all
}

// importerOf returns the client whose own file has a name such as CLAUDE.md, if it follows
// what that imports, else "".
func importerOf(name string) string {
	for i := range Clients {
		if c := &Clients[i]; c.Imports != nil && strings.EqualFold(name, c.Name+".md") {
			return c.Name
		}
	}
	return ""
}

// mayImport reports whether some client follows the imports of a file.
func mayImport(file string) bool {
	for i := range Clients {
		c := &Clients[i]
		for _, l := range c.Loads {
			if c.Imports != nil && l.covers(file) {
				return true
			}
		}
	}
	return false
}

// importsRules reports whether a text imports other Markdown: without it, the text is not
// what its author meant.
func importsRules(text string) bool {
	for _, file := range (&Imports{Trims: true}).Paths(text) {
		if strings.HasSuffix(file, ".md") {
			return true
		}
	}
	return false
}
