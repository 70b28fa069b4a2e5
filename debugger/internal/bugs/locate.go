package bugs

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// locate finds the file of the site, and its text: in the tree by its path, or on
// the disk, or in the tree by the end of the path, since programs are built
// elsewhere. There may be none. It fails only as ctx ends.
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

// text is the text of a file of the tree; empty when it is gone since the tree
// was read.
func (s *search) text(f *file) string {
	text, err := s.read(f.path)
	if err != nil {
		return ""
	}
	return text
}

// byPath finds a file of the tree, by its absolute or relative path.
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

// bySuffix finds the file of the tree with the most folders of its path in
// common with name, counted from the end.
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
