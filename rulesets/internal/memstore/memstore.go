// Package memstore stores rulesets in memory, for tests and demonstrations. It is the
// shortest implementation of [ruleset.Store]. Its methods may be called from any
// goroutine.
package memstore

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/frontmatter"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A Store is a [ruleset.Store] whose data are lost when the process exits.
type Store struct {
	now func() time.Time

	mu       sync.Mutex
	all      map[ruleset.Name]ruleset.Ruleset
	history  map[ruleset.Name][]ruleset.Revision  // oldest first
	moves    map[ruleset.Name][]ruleset.LabelMove // newest first
	contents map[ruleset.Name]contents
	watchers map[int]chan ruleset.Change // 0 waits for the first watch
	last     int
}

// maxUnheard is the number of changes queued for a watch; more are dropped.
const maxUnheard = 100

// New returns an empty store with that clock.
func New(now func() time.Time) *Store {
	return &Store{
		now: now, all: map[ruleset.Name]ruleset.Ruleset{}, history: map[ruleset.Name][]ruleset.Revision{},
		moves: map[ruleset.Name][]ruleset.LabelMove{}, contents: map[ruleset.Name]contents{},
		watchers: map[int]chan ruleset.Change{0: make(chan ruleset.Change, maxUnheard)},
	}
}

// Get implements [ruleset.Store].
func (s *Store) Get(_ context.Context, name ruleset.Name) (ruleset.Ruleset, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.all[name]
	if !ok {
		return ruleset.Ruleset{}, &ruleset.NotFoundError{Name: name}
	}
	return r, nil
}

// History implements [ruleset.Store].
func (s *Store) History(_ context.Context, name ruleset.Name) ([]ruleset.Revision, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.historyLocked(name)
}

func (s *Store) historyLocked(name ruleset.Name) ([]ruleset.Revision, error) {
	all := slices.Clone(s.history[name])
	if len(all) == 0 {
		return nil, &ruleset.NotFoundError{Name: name}
	}
	slices.Reverse(all)
	return all, nil
}

// Apply implements [ruleset.Store].
func (s *Store) Apply(_ context.Context, ops []ruleset.Operation, o ruleset.ApplyOptions) ([]ruleset.Outcome, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	batch, err := ruleset.Stage(ops, s.now(), s.stateLocked)
	if err != nil || o.DryRun {
		return batch.Outcomes, err
	}
	for i, e := range batch.Effects {
		s.applyLocked(e)
		o.Report(i+1, len(batch.Effects))
	}
	return batch.Outcomes, nil
}

func (s *Store) stateLocked(name ruleset.Name, _ bool) (ruleset.State, error) {
	st := ruleset.State{Moves: s.moves[name], Files: s.filesLocked(name)}
	if r, ok := s.all[name]; ok {
		st.Ruleset = &r
	}
	st.History, _ = s.historyLocked(name) // none is none
	return st, nil
}

// applyLocked makes what a batch does to one ruleset.
func (s *Store) applyLocked(e *ruleset.Effect) {
	s.addContentsLocked(e.Name, e.Files)
	for _, m := range e.Moves {
		s.moves[e.Name] = append([]ruleset.LabelMove{m}, s.moves[e.Name]...)
		s.tellLocked(ruleset.Change{Kind: ruleset.Labelled, Name: e.Name, Label: m.Label})
	}
	if !e.Changed() && !e.Touched {
		return
	}
	s.history[e.Name] = append(s.history[e.Name], e.Revisions...)
	if delete(s.all, e.Name); e.After != nil {
		e.After.Folder = false // there are none
		s.all[e.Name] = e.After.Clone()
	}
	s.tellLocked(ruleset.Change{Kind: e.Kind(), Name: e.Name})
}

// Prune implements [ruleset.Pruner].
func (s *Store) Prune(_ context.Context, r ruleset.Retention, dry bool) (pruned ruleset.Pruned, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name := range s.history {
		history, err := s.historyLocked(name)
		if err != nil {
			return pruned, err
		}
		keep := r.Keep(history, s.moves[name], s.now())
		var kept []ruleset.Revision // oldest first
		bytes := 0
		for i, one := range slices.Backward(history) {
			if keep[i] {
				kept = append(kept, one)
			} else {
				bytes += len(one.Content.Markdown)
			}
		}
		pruned.Add(len(history)-len(kept), int64(bytes))
		if !dry {
			s.history[name] = kept
			s.pruneContentsLocked(name)
		}
	}
	return pruned, nil
}

// LabelMoves implements [ruleset.Store].
func (s *Store) LabelMoves(_ context.Context, name ruleset.Name) ([]ruleset.LabelMove, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.moves[name]), nil
}

// List implements [ruleset.Store].
func (s *Store) List(_ context.Context, page ruleset.Page) ([]ruleset.Meta, string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	metas := make([]ruleset.Meta, 0, len(s.all))
	for r := range maps.Values(s.all) {
		frontmatter.Summarize(&r)
		metas = append(metas, r.Meta)
	}
	return ruleset.Cut(metas, page)
}

// Names implements [ruleset.Store].
func (s *Store) Names(_ context.Context, prefix string, limit int) (names []ruleset.Name, total int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name := range s.all {
		if strings.HasPrefix(string(name), prefix) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names[:min(limit, len(names))], len(names), nil
}

// Watch implements [ruleset.Store]. The first watch of a store also hears what
// changed before it began.
func (s *Store) Watch(ctx context.Context, changed func(ruleset.Change)) error {
	id, events := s.join()
	defer s.leave(id)
	changed(ruleset.Change{Kind: ruleset.Began})
	for {
		select {
		case <-ctx.Done():
			return nil
		case c := <-events:
			changed(c)
		}
	}
}

func (s *Store) join() (id int, events chan ruleset.Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	events, first := s.watchers[0]
	if first {
		delete(s.watchers, 0)
	} else {
		events = make(chan ruleset.Change, maxUnheard)
	}
	s.last++
	s.watchers[s.last] = events
	return s.last, events
}

func (s *Store) leave(id int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.watchers, id)
}

// tellLocked tells the watchers. One that is behind misses changes that it
// would merge anyhow.
func (s *Store) tellLocked(c ruleset.Change) {
	for _, events := range s.watchers {
		select {
		case events <- c:
		default: // a full channel tells of changes already
		}
	}
}

// Close implements [ruleset.Store].
func (s *Store) Close() error { return nil }
