package bugs

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs/gitignore"
	"github.com/triptych-mcp/triptych/debugger/internal/bugs/syntax"
	"github.com/triptych-mcp/triptych/mcp/filestamp"
)

// maxDepth limits the depth of folders.
const maxDepth = 64

// A listed is a file that a walk found.
type listed struct {
	path  string // slash-separated and relative to the root
	lang  *syntax.Language
	stamp filestamp.Stamp
}

// A listing is the result of walking a tree.
type listing struct {
	files   []listed // sorted by path
	skipped int      // source files that are too large
	cut     bool     // there are more files than the limit
}

// A walker lists the source files of a tree.
type walker struct {
	root     *os.Root
	maxFiles int
	maxBytes int64
	found    listing
}

// walk lists a tree. It skips folders that cannot be read, so that the rest of
// the tree can be searched.
func (w *walker) walk(ctx context.Context, ignored *gitignore.List) (listing, error) {
	if err := w.folder(ctx, ".", ignored, 0); err != nil {
		return listing{}, err
	}
	slices.SortFunc(w.found.files, func(a, b listed) int { return strings.Compare(a.path, b.path) })
	return w.found, nil
}

// one lists a single file. It may be ignored by git, since the request names it.
func (w *walker) one(name string) (listing, error) {
	info, err := w.root.Lstat(name)
	if err != nil {
		return listing{}, err
	}
	w.file(fs.FileInfoToDirEntry(info), name, nil)
	return w.found, nil
}

func (w *walker) folder(ctx context.Context, folder string, ignored *gitignore.List, depth int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	entries, err := fs.ReadDir(w.root.FS(), folder)
	if err != nil && len(entries) == 0 {
		return nil
	}
	if text, err := readSmall(w.root, path.Join(folder, ".gitignore"), gitignore.MaxBytes); err == nil {
		ignored = gitignore.Parse(ignored, folder, text)
	}
	for _, e := range entries {
		name := path.Join(folder, e.Name())
		switch {
		case w.found.cut:
			return nil
		case e.IsDir():
			if depth < maxDepth && !vendored(name) && !ignored.Ignores(name, true) {
				if err := w.folder(ctx, name, ignored, depth+1); err != nil {
					return err
				}
			}
		case e.Type().IsRegular():
			w.file(e, name, ignored)
		}
	}
	return nil
}

// file adds a file to the listing if it is source code.
func (w *walker) file(e fs.DirEntry, name string, ignored *gitignore.List) {
	lang := syntax.LanguageOf(name)
	if lang == nil || ignored.Ignores(name, false) {
		return
	}
	info, err := e.Info()
	switch {
	case err != nil || !info.Mode().IsRegular():
	case info.Size() > w.maxBytes:
		w.found.skipped++
	case len(w.found.files) == w.maxFiles:
		w.found.cut = true
	default:
		w.found.files = append(w.found.files, listed{name, lang, filestamp.Of(info)})
	}
}

// errNotRegular is returned for a path that is not a regular file.
var errNotRegular = errors.New("not a regular file")

// readSmall reads at most limit bytes of a regular file below root. It does not
// block if the file has been replaced by a pipe.
func readSmall(root *os.Root, name string, limit int64) (string, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // errors do not matter, it was only read
	return readRegular(f, limit)
}

func readRegular(f *os.File, limit int64) (string, error) {
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", errNotRegular
	}
	var text strings.Builder
	text.Grow(int(min(info.Size()+1, limit)))
	_, err = io.Copy(&text, io.LimitReader(f, limit))
	return text.String(), err
}

// ignoredAbove reads the .gitignore files from the root of the repository down to
// the parent of folder. It returns nil outside a repository.
func ignoredAbove(folder string) *gitignore.List {
	var above []string
	for at := folder; ; {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			break
		}
		parent := filepath.Dir(at)
		if parent == at || len(above) == maxDepth {
			return nil
		}
		above = append(above, parent)
		at = parent
	}
	var list *gitignore.List
	for _, at := range slices.Backward(above) {
		list = readIgnore(list, at, folder)
	}
	return list
}

// readIgnore reads the .gitignore in at, a folder above below.
func readIgnore(list *gitignore.List, at, below string) *gitignore.List {
	root, err := os.OpenRoot(at)
	if err != nil {
		return list
	}
	defer func() { _ = root.Close() }() // errors do not matter, it was only read
	text, err := readSmall(root, ".gitignore", gitignore.MaxBytes)
	if err != nil {
		return list
	}
	prefix, err := filepath.Rel(at, below)
	if err != nil {
		return gitignore.Parse(list, "", text)
	}
	return gitignore.ParseAbove(list, filepath.ToSlash(prefix), text)
}

// leftOut lists folders of third-party code or generated files.
var leftOut = map[string]bool{
	"vendor": true, "node_modules": true, "third_party": true, "thirdparty": true, "third-party": true,
	"bower_components": true, "jspm_packages": true, "site-packages": true,
	"dist-packages": true, "venv": true, "virtualenv": true, "__pycache__": true, "Pods": true,
	"Carthage": true, "Godeps": true, "elm-stuff": true, "CMakeFiles": true, "__pypackages__": true,
}

// vendored reports whether a folder is left out because of its name. That
// includes hidden folders: caches, settings and repositories.
func vendored(folder string) bool {
	base := path.Base(folder)
	return leftOut[base] || strings.HasPrefix(base, ".") && base != "."
}
