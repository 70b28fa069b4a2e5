package memstore

import (
	"context"
	"maps"
	"slices"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Read implements [ruleset.Store].
func (s *Store) Read(_ context.Context, names []ruleset.Name, see func(ruleset.Ruleset) error) error {
	for _, r := range s.some(names) {
		if err := see(r); err != nil {
			return err
		}
	}
	return nil
}

// some returns copies of the named rulesets that exist, of all if names is nil.
func (s *Store) some(names []ruleset.Name) []ruleset.Ruleset {
	s.mu.Lock()
	defer s.mu.Unlock()
	if names == nil {
		names = slices.Collect(maps.Keys(s.all))
	}
	found := make([]ruleset.Ruleset, 0, len(names))
	for _, name := range names {
		if r, ok := s.all[name]; ok {
			r = r.Clone()
			r.Rev, r.Files = 0, nil
			found = append(found, r)
		}
	}
	return found
}
