package bugs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Finder searches trees and caches what it has read.
type Finder struct {
	config  Config
	analyst *analyst
	index   *index // nil if nothing is stored

	mu    sync.Mutex
	trees map[treeKey]*tree
}

// A treeKey identifies a tree.
type treeKey struct {
	folder string
	only   string // the only file to search, or "" for all
}

// New returns a Finder. It returns an error only if a rule is invalid.
func New(config Config) (*Finder, error) {
	a, err := newAnalyst()
	if err != nil {
		return nil, err
	}
	config = config.withDefaults()
	return &Finder{config: config, analyst: a, index: newIndex(config, a), trees: map[treeKey]*tree{}}, nil
}

// A Request describes a search.
type Request struct {
	Path  string // folder or file to search, absolute or relative to the working directory
	Site  Site   // place to compare with
	Patch []Hunk // if not empty, compare with the code before these changes instead

	// Template, if not nil, is the code to find instead.
	Template *Template

	Class Class // class of bugs to find; empty means the site's
	Limit int   // maximum number of findings up to 100; 0 means 10

	// Progress, if not nil, is called now and then while files are read.
	Progress func(done, total int)
}

// Find searches a tree for places that resemble the site of the request. It
// returns a PathError, ErrNothingToCompare, or the error of ctx. Files that were
// read remain cached for the next search.
func (f *Finder) Find(ctx context.Context, req Request) (*Report, error) {
	if len(req.Patch) == 0 && req.Template == nil && req.Site.File == "" && req.Site.Signal == "" && req.Site.Function == "" && req.Class == "" {
		return nil, ErrNothingToCompare
	}
	start := time.Now()
	key, err := f.resolveTree(req.Path)
	if err != nil {
		return nil, err
	}
	v, err := f.view(ctx, key, req.Progress)
	if err != nil {
		return nil, err
	}
	s := search{finder: f, folder: key.folder, view: v, request: req, limit: limitOf(req.Limit)}
	report, err := s.answer(ctx)
	if err != nil {
		return nil, err
	}
	f.config.Logger.DebugContext(ctx, "searched for similar bugs", "path", key.folder,
		"files", report.Files, "findings", len(report.Findings), "dur", time.Since(start))
	return report, nil
}

// answer answers the request, whatever it compares with.
func (s *search) answer(ctx context.Context) (*Report, error) {
	switch {
	case s.request.Template != nil:
		return s.findTemplate(ctx)
	case len(s.request.Patch) > 0:
		return s.finder.findPatch(ctx, *s)
	default:
		return s.run(ctx)
	}
}

// limitOf returns the maximum number of findings.
func limitOf(asked int) int {
	if asked <= 0 {
		return 10
	}
	return min(asked, 100)
}

// resolveTree returns the key of the tree for a path.
func (f *Finder) resolveTree(path string) (treeKey, error) {
	real, err := f.permitted(cmp.Or(path, "."))
	if err != nil {
		return treeKey{}, err
	}
	info, err := os.Stat(real)
	switch {
	case err != nil:
		return treeKey{}, &PathError{Path: path, Err: err}
	case info.IsDir():
		return treeKey{folder: real}, nil
	case info.Mode().IsRegular():
		return treeKey{filepath.Dir(real), filepath.Base(real)}, nil
	default:
		return treeKey{}, &PathError{Path: path, Err: errNotRegular}
	}
}

// permitted resolves the links of a path and checks that the result lies below a
// root. A path outside the roots is denied whether it exists or not.
func (f *Finder) permitted(path string) (string, error) {
	real, err := filepath.Abs(path)
	if err == nil {
		real, err = filepath.EvalSymlinks(real)
	}
	if len(f.config.Roots) > 0 && (err != nil || !f.below(real)) {
		return "", &PathError{Path: path, Denied: true}
	}
	if err != nil {
		return "", &PathError{Path: path, Err: err}
	}
	return real, nil
}

// below reports whether a path lies below one of the roots.
func (f *Finder) below(path string) bool {
	return slices.ContainsFunc(f.config.Roots, func(root string) bool {
		root, err := filepath.EvalSymlinks(root)
		return err == nil && inside(root, path)
	})
}

// inside reports whether path equals folder or lies below it.
func inside(folder, path string) bool {
	inner, err := filepath.Rel(folder, path)
	return err == nil && inner != ".." && !strings.HasPrefix(inner, ".."+string(filepath.Separator))
}

// view returns the current state of a tree.
func (f *Finder) view(ctx context.Context, key treeKey, progress func(done, total int)) (view, error) {
	t := f.tree(key)
	if err := t.lock(ctx); err != nil {
		return view{}, err
	}
	defer t.unlock()
	f.index.restore(t, f.config.MaxMemory)
	v, err := t.update(ctx, &reader{
		analyst: f.analyst, workers: f.config.Workers, progress: progress,
		maxFiles: f.config.MaxFiles, maxBytes: f.config.MaxFileBytes,
		maxMemory: f.config.MaxMemory, maxTime: f.config.MaxScan,
	})
	f.index.store(t)
	f.evict(t)
	if ctx.Err() != nil {
		return view{}, ctx.Err()
	}
	if err != nil {
		return view{}, &PathError{Path: key.folder, Err: err}
	}
	return v, nil
}

// tree returns the tree with a key, creating it if need be.
func (f *Finder) tree(key treeKey) *tree {
	f.mu.Lock()
	defer f.mu.Unlock()
	t, ok := f.trees[key]
	if !ok {
		t = newTree(key)
		f.trees[key] = t
	}
	t.used = time.Now()
	return t
}

// evict drops the least recently used trees until the others fit in the memory
// limit. It never drops inUse.
func (f *Finder) evict(inUse *tree) {
	f.mu.Lock()
	defer f.mu.Unlock()
	byUse := slices.SortedFunc(maps.Keys(f.trees), func(a, b treeKey) int {
		return f.trees[b].used.Compare(f.trees[a].used)
	})
	left := f.config.MaxMemory - inUse.size()
	for _, key := range byUse {
		if t := f.trees[key]; t != inUse {
			if left -= t.size(); left < 0 {
				delete(f.trees, key)
			}
		}
	}
}

// ErrNothingToCompare is returned for a request without a place, a signal and a
// class of bugs.
var ErrNothingToCompare = errors.New("nothing to compare with: no file and line, no signal and no class of bugs")

// A PathError reports a search path, or a site's file, that cannot be read.
type PathError struct {
	Path   string // as given
	Denied bool   // the path lies outside the roots, whether it exists or not
	Err    error  // the reason; nil if Denied
}

func (e *PathError) Error() string {
	if e.Denied {
		return fmt.Sprintf("%s lies outside of the folders that may be searched", e.Path)
	}
	return fmt.Sprintf("cannot search %s: %v", e.Path, e.Err)
}

// Unwrap returns the reason.
func (e *PathError) Unwrap() error { return e.Err }
