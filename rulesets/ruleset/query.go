package ruleset

import "context"

// Search lists the rulesets of a store whose whole name matches the glob pattern ([Match]).
func Search(ctx context.Context, s Store, pattern string) ([]Meta, error) {
	match := ParsePattern(pattern)
	metas, _, err := s.List(ctx, Page{Match: &match})
	return metas, err
}

// Count returns the number of rulesets of a store.
func Count(ctx context.Context, s Store) (int, error) {
	_, total, err := s.Names(ctx, "", 1)
	return total, err
}
