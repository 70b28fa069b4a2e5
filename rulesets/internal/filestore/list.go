package filestore

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

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
	if metas, err = s.metas(anyName); err != nil {
		return nil, "", err
	}
	return ruleset.Cut(metas, page)
}

// Count implements [ruleset.Store].
func (s *Store) Count(ctx context.Context) (n int, err error) {
	s.finishFirst(ctx)
	ok, err := s.indexed(func(all []ruleset.Meta) { n = len(all) })
	if ok || err != nil {
		return n, err
	}
	metas, err := s.metas(anyName)
	return len(metas), err
}

// Search implements [ruleset.Store].
func (s *Store) Search(ctx context.Context, pattern string) (metas []ruleset.Meta, err error) {
	s.finishFirst(ctx)
	wanted := ruleset.ParsePattern(pattern)
	ok, err := s.indexed(func(all []ruleset.Meta) {
		for _, m := range all {
			if wanted.Match(string(m.Name)) {
				metas = append(metas, m.Clone())
			}
		}
	})
	if ok || err != nil {
		return metas, err
	}
	metas, err = s.metas(wanted.Match)
	slices.SortFunc(metas, ruleset.Compare)
	return metas, err
}

// Names implements [ruleset.Store]. Without a watch it reads the names of the files
// alone, among which may be some that are not valid.
func (s *Store) Names(ctx context.Context, prefix string, limit int) (names []ruleset.Name, total int, err error) {
	s.finishFirst(ctx)
	cut := func(all []ruleset.Name) {
		all = withPrefix(all, prefix)
		names, total = slices.Clone(all[:min(limit, len(all))]), len(all)
	}
	if ok, err := s.indexed(func([]ruleset.Meta) { cut(s.index.names) }); ok || err != nil {
		return names, total, err
	}
	files, err := s.files(func(name string) bool { return strings.HasPrefix(name, prefix) })
	all := make([]ruleset.Name, len(files))
	for i, f := range files {
		all[i] = f.name
	}
	slices.Sort(all) // of files, whose order is that with the suffix
	cut(all)
	return names, total, err
}

// withPrefix returns those of sorted names that begin with a prefix.
func withPrefix(names []ruleset.Name, prefix string) []ruleset.Name {
	from, _ := slices.BinarySearch(names, ruleset.Name(prefix))
	to, _ := slices.BinarySearch(names, ruleset.Name(prefix+"\xff")) // names are ASCII
	return names[from:to]
}

// clones copies metas, whose tags callers may change.
func clones(metas []ruleset.Meta) []ruleset.Meta {
	copies := make([]ruleset.Meta, len(metas))
	for i, m := range metas {
		copies[i] = m.Clone()
	}
	return copies
}

func anyName(string) bool { return true }

// metas returns the rulesets whose name is wanted, unsorted.
func (s *Store) metas(want func(name string) bool) ([]ruleset.Meta, error) {
	files, err := s.files(want)
	if err != nil {
		return nil, err
	}
	metas := make([]ruleset.Meta, 0, len(files))
	for _, f := range files {
		if meta, ok := s.meta(f); ok {
			metas = append(metas, meta)
		}
	}
	return metas, nil
}

// A file has the name of a ruleset.
type file struct {
	name ruleset.Name
	info fs.FileInfo
}

// files returns the files whose name is wanted.
func (s *Store) files(want func(name string) bool) ([]file, error) {
	dir, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unavailable(err)
	}
	var files []file
	for _, d := range dir {
		name, ok := nameOf(d.Name())
		if !ok || !want(string(name)) {
			continue // a README, say
		}
		if info, err := d.Info(); err == nil { // else it has gone since
			files = append(files, file{name, info})
		}
	}
	return files, nil
}

// meta returns the metadata of a file, from memory if the file is unchanged.
func (s *Store) meta(f file) (ruleset.Meta, bool) {
	now := stampOf(f.info)
	s.mu.Lock()
	e, ok := s.known[f.name]
	s.mu.Unlock()
	if ok && e.stamp == now {
		return e.meta.Clone(), true
	}
	d, err := s.read(f.name)
	if err != nil {
		return ruleset.Meta{}, false // reported by read
	}
	s.dateEdited(f.name, &d)
	frontmatter.SummarizeNode(&d.ruleset, d.front)
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.settled() {
		s.known[f.name] = entry{now, d.ruleset.Meta}
	}
	return d.ruleset.Meta.Clone(), true
}

// dateEdited corrects the time of a file that was changed after the time in its
// front matter, if its history knows another content.
func (s *Store) dateEdited(name ruleset.Name, d *document) {
	if d.modified.Sub(d.ruleset.LastModified) < settling {
		return
	}
	head, err := s.head(name)
	if err != nil || head.Rev == 0 {
		return // the front matter is all that there is
	}
	d.ruleset.Extra = d.extra()
	if !head.is(d.ruleset) {
		head = record{Author: ruleset.ByHand, At: d.modified}
	}
	adopt(d, head)
}
