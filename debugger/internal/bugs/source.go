package bugs

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs/syntax"
)

// read reads a file of the tree.
func (s *search) read(name string) (string, error) {
	return readBelow(s.folder, filepath.FromSlash(name), s.finder.config.MaxFileBytes)
}

// readBelow reads a file below a folder. It does not follow links that lead
// outside.
func readBelow(folder, name string, limit int64) (string, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }() // errors do not matter, it was only read
	return readSmall(root, name, limit)
}

// external reads the site's file from outside the tree, or from a part of the
// tree that is not searched.
func (s *search) external(ctx context.Context) (*file, string, error) {
	name := s.request.Site.File
	if !filepath.IsAbs(name) {
		name = filepath.Join(s.folder, name)
	}
	real, err := s.finder.permitted(name)
	if err != nil {
		return nil, "", err
	}
	lang := syntax.LanguageOf(filepath.ToSlash(real))
	if lang == nil {
		return nil, "", errNotRegular
	}
	text, err := readBelow(filepath.Dir(real), filepath.Base(real), s.finder.config.MaxFileBytes)
	if err != nil {
		return nil, "", err
	}
	f, err := s.finder.analyst.analyse(ctx, s.view.names, listed{path: filepath.ToSlash(real), lang: lang}, text)
	return f, text, err
}

// textLine returns a line of a text, counted from 1, or "".
func textLine(text string, line int) string {
	n := 0
	for l := range strings.Lines(text) {
		if n++; n == line {
			return l
		}
	}
	return ""
}

// Limits of an excerpt.
const (
	excerptAround = 2   // lines before and after
	excerptWidth  = 200 // bytes of a line
)

// excerpt returns the lines around a line, without their common indentation. The line
// itself begins with a mark.
func excerpt(text string, line int) string {
	var lines []string
	n := 0
	for l := range strings.Lines(text) {
		n++
		if n > line+excerptAround {
			break
		}
		if n >= line-excerptAround {
			lines = append(lines, narrow(l))
		}
	}
	lines = unindent(lines)
	for i, l := range lines {
		mark := "  "
		if i == min(line-1, excerptAround) {
			mark = "> "
		}
		lines[i] = strings.TrimRight(mark+l, " ")
	}
	return strings.Join(lines, "\n")
}

// narrow shortens a line and replaces characters that are not printable.
func narrow(line string) string {
	line = strings.TrimRight(line, "\r\n\t ")
	if len(line) > excerptWidth {
		line = line[:excerptWidth] + "…"
	}
	return strings.ToValidUTF8(line, "\uFFFD")
}

// unindent removes the common white space at the start of lines.
func unindent(lines []string) []string {
	common := ""
	for i, l := range lines {
		indent := l[:len(l)-len(strings.TrimLeft(l, " \t"))]
		switch {
		case l == "":
		case i == 0 || common == "" && i == firstText(lines):
			common = indent
		default:
			common = commonPrefix(common, indent)
		}
	}
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(l, common)
	}
	return lines
}

func firstText(lines []string) int {
	for i, l := range lines {
		if l != "" {
			return i
		}
	}
	return -1
}

func commonPrefix(a, b string) string {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

// locate finds the site's file and its text: in the tree by its path, on disk, or
// in the tree by the end of its path, since programs may be built elsewhere. The
// file may be nil. The error is that of ctx.
func (s *search) locate(ctx context.Context) (*file, string, error) {
	if f := s.byPath(s.request.Site.File); f != nil {
		return f, s.text(f), nil
	}
	f, text, err := s.external(ctx)
	if err == nil || ctx.Err() != nil {
		return f, text, ctx.Err()
	}
	if f = s.bySuffix(path.Clean(filepath.ToSlash(s.request.Site.File))); f != nil {
		return f, s.text(f), nil
	}
	return nil, "", nil
}

// text returns the text of a file of the tree, or "" if it has been removed
// since.
func (s *search) text(f *file) string {
	text, err := s.read(f.path)
	if err != nil {
		return ""
	}
	return text
}

// byPath returns the file of the tree with an absolute or relative path, or nil.
func (s *search) byPath(name string) *file {
	if filepath.IsAbs(name) {
		inner, err := filepath.Rel(s.folder, name)
		if err != nil {
			return nil
		}
		name = inner
	}
	name = path.Clean(filepath.ToSlash(name))
	i, found := slices.BinarySearchFunc(s.view.files, name, func(f *file, name string) int {
		return strings.Compare(f.path, name)
	})
	if !found {
		return nil
	}
	return s.view.files[i]
}

// bySuffix returns the file of the tree whose path has the most folders in common
// with name, counted from the end.
func (s *search) bySuffix(name string) *file {
	var best *file
	most := 0
	for _, f := range s.view.files {
		if n := commonFolders(f.path, name); n > most {
			best, most = f, n
		}
	}
	return best
}

// commonFolders returns the number of equal elements at the end of two paths.
func commonFolders(a, b string) int {
	n := 0
	for a != "" && b != "" {
		i, j := strings.LastIndexByte(a, '/'), strings.LastIndexByte(b, '/')
		if a[i+1:] != b[j+1:] {
			break
		}
		n++
		a, b = a[:max(i, 0)], b[:max(j, 0)]
	}
	return n
}
