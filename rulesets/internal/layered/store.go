// Package layered makes one [ruleset.Store] of several, such as one of the organization,
// one of the team and one of a person.
//
// The first store that has a name wins: the rulesets of that name in later stores are
// not seen. Changes go to the first store that can be written. A ruleset of a later
// store is copied there when it is updated, with a revision that says where it came
// from; deleting the copy makes the ruleset of the later store seen again. A ruleset of
// a store before the one that is written, or that is not copied, cannot be changed.
//
// Lists read all stores whole: this is for folders and databases of people, not for
// hundreds of thousands of rulesets. Methods may be called from any goroutine.
package layered

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A Part is one of the stores.
type Part struct {
	ruleset.Store
	Name     string // as errors and histories show it
	Layer    string // of the rulesets whose tags name none, "" for the default
	ReadOnly bool
}

// A Store is several stores as one. It is a [ruleset.Store].
type Store struct {
	parts    []Part
	writable int // the index of the part that is written, len(parts) if none is
}

// New returns the store of parts, the first of which wins.
func New(parts []Part) *Store {
	s := &Store{parts: parts, writable: len(parts)}
	if at := slices.IndexFunc(parts, func(p Part) bool { return !p.ReadOnly }); at >= 0 {
		s.writable = at
	}
	return s
}

// A ReadOnlyError reports a change of a ruleset in a store that is not written.
type ReadOnlyError struct {
	Name  ruleset.Name
	Store string
}

func (e *ReadOnlyError) Error() string {
	return fmt.Sprintf("ruleset '%s' is in the store %s, which is not written here", e.Name, e.Store)
}

// errNotWritable is returned where all stores are read-only.
var errNotWritable = errors.New("all stores are read-only")

// target returns the part that is written.
func (s *Store) target() (*Part, error) {
	if s.writable == len(s.parts) {
		return nil, errNotWritable
	}
	return &s.parts[s.writable], nil
}

// find returns the ruleset of a name, and the index of the part that has it. The error is
// a [*ruleset.NotFoundError] if none has it.
func (s *Store) find(ctx context.Context, name ruleset.Name) (ruleset.Ruleset, int, error) {
	for i := range s.parts {
		r, err := s.parts[i].Get(ctx, name)
		if isMissing(err) {
			continue
		}
		s.parts[i].mark(&r.Meta)
		return r, i, err
	}
	return ruleset.Ruleset{}, len(s.parts), &ruleset.NotFoundError{Name: name}
}

func isMissing(err error) bool {
	_, missing := errors.AsType[*ruleset.NotFoundError](err)
	return missing
}

func (p *Part) mark(m *ruleset.Meta) { m.Layer = p.Layer }

// Get implements [ruleset.Store].
func (s *Store) Get(ctx context.Context, name ruleset.Name) (ruleset.Ruleset, error) {
	r, _, err := s.find(ctx, name)
	return r, err
}

// Read implements [ruleset.Store].
func (s *Store) Read(ctx context.Context, names []ruleset.Name, see func(ruleset.Ruleset) error) error {
	seen := map[ruleset.Name]bool{}
	for i := range s.parts {
		p := &s.parts[i]
		wanted := names
		if names != nil {
			wanted = slices.DeleteFunc(slices.Clone(names), func(name ruleset.Name) bool { return seen[name] })
		}
		err := p.Read(ctx, wanted, func(r ruleset.Ruleset) error {
			if seen[r.Name] {
				return nil
			}
			seen[r.Name] = true
			p.mark(&r.Meta)
			return see(r)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// List implements [ruleset.Store].
func (s *Store) List(ctx context.Context, page ruleset.Page) ([]ruleset.Meta, string, error) {
	var all []ruleset.Meta
	seen := map[ruleset.Name]bool{}
	for i := range s.parts {
		metas, _, err := s.parts[i].List(ctx, ruleset.Page{Match: page.Match})
		if err != nil {
			return nil, "", err
		}
		for _, m := range metas {
			if !seen[m.Name] {
				seen[m.Name] = true
				s.parts[i].mark(&m)
				all = append(all, m)
			}
		}
	}
	return ruleset.Cut(all, page)
}

// Names implements [ruleset.Store].
func (s *Store) Names(ctx context.Context, prefix string, limit int) (names []ruleset.Name, total int, err error) {
	for i := range s.parts {
		some, _, err := s.parts[i].Names(ctx, prefix, math.MaxInt32)
		if err != nil {
			return nil, 0, err
		}
		names = append(names, some...)
	}
	slices.Sort(names)
	names = slices.Compact(names) // a name of several parts is one ruleset
	return names[:min(limit, len(names))], len(names), nil
}

// recorded returns the part with the history of a name: the one that has the ruleset,
// else the first one that had it.
func (s *Store) recorded(ctx context.Context, name ruleset.Name) (*Part, error) {
	_, at, err := s.find(ctx, name)
	if err == nil {
		return &s.parts[at], nil
	}
	if !isMissing(err) {
		return nil, err
	}
	for i := range s.parts {
		if _, historyErr := s.parts[i].History(ctx, name); !isMissing(historyErr) {
			return &s.parts[i], historyErr
		}
	}
	return nil, err
}

// History implements [ruleset.Store].
func (s *Store) History(ctx context.Context, name ruleset.Name) ([]ruleset.Revision, error) {
	p, err := s.recorded(ctx, name)
	if err != nil {
		return nil, err
	}
	return p.History(ctx, name)
}

// LabelMoves implements [ruleset.Store].
func (s *Store) LabelMoves(ctx context.Context, name ruleset.Name) ([]ruleset.LabelMove, error) {
	if name == ruleset.ProposalLog {
		return s.proposals(ctx)
	}
	p, err := s.recorded(ctx, name)
	if isMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return p.LabelMoves(ctx, name)
}

// proposals returns the moves of the log of proposals, which the part that is written has.
func (s *Store) proposals(ctx context.Context) ([]ruleset.LabelMove, error) {
	p, err := s.target()
	if err != nil {
		return nil, nil //nolint:nilerr // there are no proposals where nothing can change
	}
	return p.LabelMoves(ctx, ruleset.ProposalLog)
}

// Watch implements [ruleset.Store].
func (s *Store) Watch(ctx context.Context, changed func(ruleset.Change)) error {
	var mu sync.Mutex // parts tell from several goroutines
	var wg sync.WaitGroup
	errs := make([]error, len(s.parts))
	silent := len(s.parts) // whose watch has not begun
	for i := range s.parts {
		wg.Go(func() {
			errs[i] = s.parts[i].Watch(ctx, func(c ruleset.Change) {
				mu.Lock()
				defer mu.Unlock()
				if c.Kind == ruleset.Began {
					if silent--; silent > 0 {
						return
					}
				}
				changed(s.seen(ctx, c))
			})
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// seen returns a change as it is for the store as a whole: a ruleset that appears or goes
// in one part may be there in another.
func (s *Store) seen(ctx context.Context, c ruleset.Change) ruleset.Change {
	if c.Kind == ruleset.Created || c.Kind == ruleset.Deleted {
		if _, _, err := s.find(ctx, c.Name); (err == nil) != (c.Kind == ruleset.Created) {
			c.Kind = ruleset.Unknown
		}
	}
	return c
}

// Prune implements [ruleset.Pruner]: it prunes the part that is written.
func (s *Store) Prune(ctx context.Context, r ruleset.Retention, dry bool) (ruleset.Pruned, error) {
	p, err := s.target()
	if err != nil {
		return ruleset.Pruned{}, err
	}
	return ruleset.Prune(ctx, p.Store, r, dry)
}

// WatchesAll reports whether a watch tells of all changes of all parts.
func (s *Store) WatchesAll() bool {
	return !slices.ContainsFunc(s.parts, func(p Part) bool {
		w, ok := ruleset.As[interface{ WatchesAll() bool }](p.Store)
		return !ok || !w.WatchesAll()
	})
}

// Close implements [ruleset.Store].
func (s *Store) Close() error {
	var errs []error
	for i := range s.parts {
		errs = append(errs, s.parts[i].Close())
	}
	return errors.Join(errs...)
}

// Unwrap returns the part that is written; the store has the problems of that
// part. See [ruleset.As].
func (s *Store) Unwrap() ruleset.Store {
	if p, err := s.target(); err == nil {
		return p.Store
	}
	return nil
}
