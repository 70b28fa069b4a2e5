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
)
