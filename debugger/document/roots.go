package document

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// roots holds the readable directories. All files are opened through it.
type roots []root

// A root is a readable directory. Its files are opened relative to dir, which
// prevents symbolic links from leading outside, even if the tree changes
// meanwhile.
type root struct {
	given string // absolute, as configured
	real  string // without symbolic links
	dir   *os.Root
}

func openRoots(dirs []string) (roots, error) {
	var all roots
	for _, dir := range dirs {
		r, err := openRoot(dir)
		if err != nil {
			return nil, errors.Join(err, all.close())
		}
		all = append(all, r)
	}
	return all, nil
}

func openRoot(dir string) (root, error) {
	given, err := filepath.Abs(dir)
	if err != nil {
		return root{}, fmt.Errorf("document root %s: %w", dir, err)
	}
	real, err := filepath.EvalSymlinks(given)
	if err != nil {
		return root{}, fmt.Errorf("document root %s: %w", dir, err)
	}
	opened, err := os.OpenRoot(real)
	if err != nil {
		return root{}, fmt.Errorf("document root %s: %w", dir, err)
	}
	return root{given, real, opened}, nil
}

func (all roots) close() error {
	var errs []error
	for _, r := range all {
		errs = append(errs, r.dir.Close())
	}
	return errors.Join(errs...)
}

// below returns the name of path relative to the root, and false if it lies
// outside.
func (r root) below(path string) (string, bool) {
	for _, base := range []string{r.given, r.real} {
		if rel, err := filepath.Rel(base, path); err == nil && filepath.IsLocal(rel) {
			return rel, true
		}
	}
	return "", false
}

// An address is a path that lies below a root by its spelling.
type address struct {
	root root
	rel  string
}

// name returns the absolute path of the address, which caches and answers use.
func (a address) name() string { return filepath.Join(a.root.real, a.rel) }

// addresses returns what path may refer to: a place in the root that contains it,
// or for a relative path a place in each root.
func (all roots) addresses(path string) []address {
	var found []address
	for _, r := range all {
		if filepath.IsAbs(path) {
			if rel, ok := r.below(filepath.Clean(path)); ok {
				found = append(found, address{r, rel})
			}
		} else if rel := filepath.Clean(path); filepath.IsLocal(rel) {
			found = append(found, address{r, rel})
		}
	}
	return found
}

// hide returns the URI that queries see of the file with a name: where the file is below
// its root, and not where that is. Nothing that a query computes from it tells more.
func (all roots) hide(name string) string {
	for _, r := range all {
		if rel, ok := r.below(name); ok {
			return fileURI("/" + filepath.ToSlash(rel))
		}
	}
	return fileURI("/" + filepath.Base(name))
}

// open opens the regular file at path for reading. Links between roots are
// resolved in the address that it returns.
func (all roots) open(path string) (*os.File, address, error) {
	if strings.ContainsRune(path, 0) {
		return nil, address{}, &NotFoundError{path}
	}
	candidates := all.addresses(path)
	if len(candidates) == 0 {
		return nil, address{}, &PermissionError{path, outside}
	}
	for _, a := range candidates {
		file, a, err := all.openAt(a)
		if !errors.Is(err, fs.ErrNotExist) {
			return file, a, reasoned(path, err)
		}
	}
	return nil, address{}, &NotFoundError{path}
}

const outside = "it is outside of the allowed directories"

// openAt opens an address. If os.Root does not follow a link, because it is
// absolute or leads to another root, openAt resolves it and tries once more.
func (all roots) openAt(a address) (*os.File, address, error) {
	file, err := a.open()
	if !escapes(err) {
		return file, a, err
	}
	real, err := filepath.EvalSymlinks(a.name())
	if err != nil {
		return nil, a, errEscapes
	}
	for _, r := range all {
		if rel, ok := r.below(real); ok {
			a = address{r, rel}
			file, err = a.open()
			return file, a, err
		}
	}
	return nil, a, errEscapes
}

// errEscapes stands for an error of os.Root that is not exported.
var errEscapes = errors.New(outside)

// escapes reports whether os.Root refused to leave its directory. It compares the
// text, since the error is neither exported nor one of the operating system.
func escapes(err error) bool {
	if err == nil || errors.Is(err, errIrregular) {
		return false
	}
	path, ok := errors.AsType[*fs.PathError](err)
	return ok && strings.Contains(path.Err.Error(), "escapes from parent")
}

var errIrregular = errors.New("it is no regular file")

// open opens a regular file only: opening a pipe would wait for a writer, and
// reading a device may never end.
func (a address) open() (*os.File, error) {
	file, err := a.root.dir.OpenFile(a.rel, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errIrregular
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// reasoned converts an error from opening path to a typed error.
func reasoned(path string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errEscapes), errors.Is(err, errIrregular):
		return &PermissionError{path, strings.TrimSpace(err.Error())}
	case escapes(err):
		return &PermissionError{path, outside}
	case errors.Is(err, fs.ErrPermission):
		return &PermissionError{path, "the operating system denies it"}
	case errors.Is(err, syscall.ENAMETOOLONG):
		return &LimitError{Subject: "path", What: "length of a path or a name in it", Detail: fmt.Sprintf("it has %d bytes", len(path))}
	}
	return fmt.Errorf("open document %s: %w", path, withoutPath(err))
}

// withoutPath returns the operating system's error without the path, which may
// reveal the location of the roots.
func withoutPath(err error) error {
	if wrong, ok := errors.AsType[*fs.PathError](err); ok {
		return wrong.Err
	}
	return err
}
