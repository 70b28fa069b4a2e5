package ruleset

import "context"

// An Archive is a Store whose rulesets can be copied to another store with their history.
type Archive interface {
	// Recorded returns, in order, the names of all rulesets that have a history, deleted
	// ones too, and of those whose first content is not recorded yet.
	Recorded(ctx context.Context) ([]Name, error)
	// AdoptFile stores the bytes of a file that a revision of a copy has. All of them come
	// before the copy.
	AdoptFile(ctx context.Context, name Name, data []byte) error
	// Adopt stores a ruleset as it is in another store. It is an [*ExistsError] if the
	// store has a ruleset, or the history of one, of that name, and a [*NoFileError] if a
	// file of the ruleset was not adopted.
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

// Files returns the files that the ruleset has, or that stay after its deletion.
func (c Copy) Files() []File {
	if c.Current != nil {
		return c.Current.Files
	}
	if len(c.Revisions) == 0 {
		return nil
	}
	return c.Revisions[len(c.Revisions)-1].Content.Files
}

// AllFiles returns the files of all revisions, each content once.
func (c Copy) AllFiles() (all []File) {
	seen := map[Digest]bool{}
	add := func(files []File) {
		for _, f := range files {
			if !seen[f.SHA256] {
				seen[f.SHA256] = true
				all = append(all, f)
			}
		}
	}
	for i := range c.Revisions {
		add(c.Revisions[i].Content.Files)
	}
	add(c.Files())
	return all
}

// Effect returns the effect of storing the copy where nothing of it is, without its files.
func (c Copy) Effect() *Effect {
	return &Effect{Name: c.Name, After: c.Current, Revisions: c.Revisions, Moves: c.Moves}
}
