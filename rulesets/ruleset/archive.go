package ruleset

import "context"

// An Archive is a Store whose rulesets can be copied to another store with their history.
type Archive interface {
	// Recorded returns, in order, the names of all rulesets that have a history, deleted
	// ones too, and of those whose first content is not recorded yet.
	Recorded(ctx context.Context) ([]Name, error)
	// Adopt stores a ruleset as it is in another store. It is an [*ExistsError] if the
	// store has a ruleset, or the history of one, of that name.
	Adopt(ctx context.Context, c Copy) error
}

// ArchiveOf returns the archive of a store, or of the one that it wraps; ok is false if it
// is none.
func ArchiveOf(s Store) (_ Archive, ok bool) { return As[Archive](s) }

// A Copy is a ruleset with its history.
type Copy struct {
	Name      Name
	Current   *Ruleset    // nil if it is deleted
	Revisions []Revision  // oldest first
	Moves     []LabelMove // oldest first
}

// Effect returns the effect of storing the copy where nothing of it is.
func (c Copy) Effect() *Effect {
	return &Effect{Name: c.Name, After: c.Current, Revisions: c.Revisions, Moves: c.Moves}
}
