package bugs

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// A tree holds the files read below a folder.
type tree struct {
	key  treeKey
	used time.Time // guarded by the Finder's mutex

	turn chan struct{} // holds a token while a search reads the tree

	mu    sync.Mutex
	files map[string]*file
	bytes int64

	unreadable map[string]bool // files that the last update could not read; the next one tries again

	names *dictionary // of all files

	restored bool // the index has been asked; needs the lock of the tree
	unsaved  int  // files that were read or dropped since the tree was stored
}

func newTree(key treeKey) *tree {
	return &tree{key: key, turn: make(chan struct{}, 1), files: map[string]*file{}, unreadable: map[string]bool{}, names: newDictionary()}
}

// adopt replaces the files of the tree by those of another one.
func (t *tree) adopt(stored *tree) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.files, t.bytes, t.names = stored.files, stored.bytes, stored.names
}

// lock waits until no other search reads the tree. The error is that of ctx.
func (t *tree) lock(ctx context.Context) error {
	select {
	case t.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *tree) unlock() { <-t.turn }

// A view holds the files of a tree for one search.
type view struct {
	files    []*file
	names    *dictionary // of the tree
	lines    int
	left     int // number of skipped source files: unreadable, too large, minified
	complete bool
}

// update reads the files that changed since the last time, until a limit of the
// reader is reached. The tree must be locked.
func (t *tree) update(ctx context.Context, r *reader) (view, error) {
	root, err := os.OpenRoot(t.key.folder)
	if err != nil {
		return view{}, err
	}
	defer func() { _ = root.Close() }() // errors do not matter, it was only read
	found, err := t.list(ctx, root, r)
	if err != nil {
		return view{}, err
	}
	stale := t.forget(found.files)
	err = t.read(ctx, root, stale, r)
	complete := !found.cut && err == nil
	if errors.Is(err, errEnough) {
		err = nil
	}
	return t.view(found, complete), err
}

// list finds the files of the tree.
func (t *tree) list(ctx context.Context, root *os.Root, r *reader) (listing, error) {
	w := &walker{root: root, maxFiles: r.maxFiles, maxBytes: r.maxBytes}
	if t.key.only != "" {
		return w.one(t.key.only)
	}
	return w.walk(ctx, ignoredAbove(t.key.folder))
}

// forget drops files that were removed or changed, and returns those to be read.
func (t *tree) forget(found []listed) []listed {
	t.mu.Lock()
	defer t.mu.Unlock()
	var stale []listed
	kept := make(map[string]*file, len(found))
	t.bytes = 0
	for _, l := range found {
		if f, ok := t.files[l.path]; ok && f.stamp == l.stamp {
			kept[l.path] = f
			t.bytes += f.bytes()
		} else {
			stale = append(stale, l)
		}
	}
	clear(t.unreadable)
	t.unsaved += len(t.files) - len(kept)
	t.files = kept
	return stale
}

// A reader reads trees within limits.
type reader struct {
	analyst   *analyst
	workers   int
	maxFiles  int
	maxBytes  int64 // of a file
	maxMemory int64 // of a tree
	maxTime   time.Duration
	progress  func(done, total int)
}

// errEnough reports that a limit was reached; the next search reads the rest.
var errEnough = errors.New("enough was read")

// read analyzes files. It returns errEnough when the time or memory limit is
// reached, or the error of ctx. The files read so far remain.
func (t *tree) read(ctx context.Context, root *os.Root, stale []listed, r *reader) error {
	limited, cancel := context.WithTimeoutCause(ctx, r.maxTime, errEnough)
	defer cancel()
	group, limited := errgroup.WithContext(limited)
	group.SetLimit(r.workers)
	done := counter{total: len(stale), report: r.progress}
	for _, l := range stale {
		if limited.Err() != nil {
			break
		}
		group.Go(func() error {
			if err := t.readOne(limited, root, l, r); err != nil {
				return err
			}
			done.add()
			return nil
		})
	}
	err := group.Wait()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return errEnough
	default:
		return nil
	}
}

// readOne analyzes one file and stores the result.
func (t *tree) readOne(ctx context.Context, root *os.Root, l listed, r *reader) error {
	if t.size() > r.maxMemory {
		return errEnough
	}
	text, err := readSmall(root, l.path, r.maxBytes)
	if err != nil {
		t.skip(l.path)
		return nil
	}
	f, err := r.analyst.analyse(ctx, t.names, l, text)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.files[l.path] = f
	t.bytes += f.bytes()
	t.unsaved++
	return nil
}

// skip leaves a file out of this search only: the reason may be that too many files
// are open.
func (t *tree) skip(path string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.unreadable[path] = true
}

func (t *tree) size() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bytes + t.names.size()
}

// view returns the files that have been read among those found, in the order of
// found.
func (t *tree) view(found listing, complete bool) view {
	t.mu.Lock()
	defer t.mu.Unlock()
	v := view{names: t.names, left: found.skipped, complete: complete}
	for _, l := range found.files {
		switch f := t.files[l.path]; {
		case t.unreadable[l.path]:
			v.left++
		case f == nil:
			v.complete = false
		case len(f.stream.codes) == 0 && f.stamp.Size() > 0:
			v.left++
		default:
			v.files = append(v.files, f)
			v.lines += f.lines
		}
	}
	return v
}

// A counter reports progress, about a hundred times.
type counter struct {
	total  int
	report func(done, total int)

	mu   sync.Mutex
	done int
}

func (c *counter) add() {
	if c.report == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done++
	if c.done == c.total || c.done%max(1, c.total/100) == 0 {
		c.report(c.done, c.total)
	}
}
