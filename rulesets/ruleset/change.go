package ruleset

// A Change reports a change of a ruleset.
type Change struct {
	Kind  ChangeKind
	Name  Name  // "" when anything may have changed
	Label Label // that moved, if Kind is Labelled
}

// A ChangeKind is one of the ways a store changes.
type ChangeKind int

// The kinds of change.
const (
	Created ChangeKind = iota + 1
	Updated
	Deleted
	Unknown
	// Labelled is the kind of a move of a label; the ruleset stays as it is.
	Labelled
	// Began is the kind of what a watch tells first that hears changes from now on. Who has
	// read the store before reads it again: what changed in between is told by no other Change.
	Began
)
