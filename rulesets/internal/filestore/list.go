package filestore

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/triptych-mcp/triptych/mcp/filestamp"
	"github.com/triptych-mcp/triptych/rulesets/frontmatter"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// List implements [ruleset.Store].
func (s *Store) List(ctx context.Context, page ruleset.Page) (metas []ruleset.Meta, next string, err error) {
	s.finishFirst(ctx)
	ok, err := s.indexed(func(all []ruleset.Meta) {
		if all, next, err = ruleset.CutSorted(all, page); err == nil {
			metas = clones(all)
		}
	})
	if ok || err != nil {
		return metas, next, err
	}
	if metas, err = s.metas(page.Wants); err != nil {
		return nil, "", err
	}
	return ruleset.Cut(metas, page)
}

// Names implements [ruleset.Store]. Without a watch it reads only the names of
// the files, some of which may not be valid.
func (s *Store) Names(ctx context.Context, prefix string, limit int) (names []ruleset.Name, total int, err error) {
	s.finishFirst(ctx)
	cut := func(all []ruleset.Name) {
		all = withPrefix(all, prefix)
		names, total = slices.Clone(all[:min(limit, len(all))]), len(all)
	}
	if ok, err := s.indexed(func([]ruleset.Meta) { cut(s.watched.index.names) }); ok || err != nil {
		return names, total, err
	}
	files, err := s.files(func(name string) bool { return strings.HasPrefix(name, prefix) })
	all := make([]ruleset.Name, len(files))
	for i, f := range files {
		all[i] = f.name
	}
	slices.Sort(all) // the order of files includes the suffix
	cut(all)
	return names, total, err
}

// withPrefix returns those of sorted names that begin with a prefix.
func withPrefix(names []ruleset.Name, prefix string) []ruleset.Name {
	from, _ := slices.BinarySearch(names, ruleset.Name(prefix))
	to, _ := slices.BinarySearch(names, ruleset.Name(prefix+"\xff")) // names are ASCII
	return names[from:to]
}

// clones copies metas, so that callers may modify their tags.
func clones(metas []ruleset.Meta) []ruleset.Meta {
	copies := make([]ruleset.Meta, len(metas))
	for i, m := range metas {
		copies[i] = m.Clone()
	}
	return copies
}

func anyName(string) bool { return true }

// metas returns the rulesets whose names are wanted, unsorted.
func (s *Store) metas(want func(name string) bool) ([]ruleset.Meta, error) {
	entries, err := s.folder.entries()
	if err != nil {
		return nil, err
	}
	metas, _ := s.metasOf(files(entries, want))
	return metas, nil
}

// metasOf returns the rulesets in files, unsorted, and the reasons why other
// files are not rulesets. It reads files concurrently.
func (s *Store) metasOf(all []file) ([]ruleset.Meta, map[string]string) {
	var mu sync.Mutex // guards the results
	metas, problems := make([]ruleset.Meta, 0, len(all)), map[string]string{}
	group := errgroup.Group{}
	group.SetLimit(runtime.GOMAXPROCS(0))
	for chunk := range slices.Chunk(all, readChunk) {
		group.Go(func() error {
			some := make([]ruleset.Meta, 0, len(chunk))
			for _, f := range chunk {
				meta, err := s.meta(f)
				if err == nil {
					some = append(some, meta)
				} else if invalid, ok := errors.AsType[*InvalidFileError](err); ok {
					mu.Lock()
					problems[invalid.File] = invalid.Err.Error()
					mu.Unlock()
				}
			}
			mu.Lock()
			defer mu.Unlock()
			metas = append(metas, some...)
			return nil
		})
	}
	_ = group.Wait() // no function returns an error
	return metas, problems
}

// A file has the name of a ruleset.
type file struct {
	name ruleset.Name
	info fs.FileInfo
}

// entries returns the entries of the folder, or none if it is missing.
func (f folder) entries() ([]fs.DirEntry, error) {
	entries, err := os.ReadDir(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unavailable(err)
	}
	return entries, nil
}

// files returns the files among entries whose names are wanted.
func files(entries []fs.DirEntry, want func(name string) bool) []file {
	var all []file
	for _, d := range entries {
		name, ok := nameOf(d.Name())
		if !ok || !want(string(name)) {
			continue // such as a README
		}
		if info, err := d.Info(); err == nil { // otherwise it has been removed
			all = append(all, file{name, info})
		}
	}
	return all
}

// files returns the files of the folder whose names are wanted.
func (s *Store) files(want func(name string) bool) ([]file, error) {
	entries, err := s.folder.entries()
	return files(entries, want), err
}

// meta returns the metadata of a file, from the cache if the file is unchanged.
// It returns the errors of load.
func (s *Store) meta(f file) (ruleset.Meta, error) {
	now := stampOf(f.info)
	s.mu.Lock()
	e, ok := s.known[f.name]
	s.mu.Unlock()
	if ok && e.stamp == now {
		return e.meta.Clone(), nil
	}
	d, err := s.read(f.name)
	if err != nil {
		return ruleset.Meta{}, err
	}
	s.dateEdited(f.name, &d)
	frontmatter.SummarizeNode(&d.ruleset, d.front)
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Settled(time.Now()) {
		s.known[f.name] = entry{now, d.ruleset.Meta}
	}
	return d.ruleset.Meta.Clone(), nil
}

// dateEdited corrects the time of a file that was changed after the time in its
// front matter, if its history has another content.
func (s *Store) dateEdited(name ruleset.Name, d *document) {
	if d.modified.Sub(d.ruleset.LastModified) < filestamp.Settling {
		return
	}
	head, err := s.history.head(name)
	if err != nil || head.Rev == 0 {
		return // there is only the front matter
	}
	d.ruleset.Extra = d.extra()
	if !head.is(d.ruleset) {
		head = record{Author: ruleset.ByHand, At: d.modified}
	}
	adopt(d, head)
}
