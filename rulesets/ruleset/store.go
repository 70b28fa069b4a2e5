package ruleset

import (
	"context"
	"fmt"
	"time"
)

// A Draft holds the content of a new ruleset.
type Draft struct {
	Name        Name
	Description string
	Tags        []string
	Markdown    string
	Extra       string // see [Ruleset]
	Files       []FileChange
	Folder      bool // see [Ruleset]; where the store has no folders it is not
	By          By

	// CreatedAt and LastModified are set when a ruleset is copied from another
	// store. Zero means now.
	CreatedAt    time.Time
	LastModified time.Time
}

// A Patch is a change to a ruleset. A nil field stays as it is; an empty slice
// of tags clears them.
type Patch struct {
	Description *string
	Tags        *[]string
	Markdown    *string
	Extra       *string
	// Files sets and removes files. A removal of one that is missing is a [*NoFileError].
	Files []FileChange
	By    By

	// IfRev, if not 0, is the revision that the ruleset must be at. The update
	// fails with a [*ConflictError] if it is at another.
	IfRev int
	// Base, if not nil, is the ruleset that the patch was made from. The update
	// fails with a [*ConflictError] if the stored content differs from it.
	Base *Ruleset
}

// Empty reports whether the patch changes nothing.
func (p Patch) Empty() bool {
	return p.Description == nil && p.Tags == nil && p.Markdown == nil && p.Extra == nil && len(p.Files) == 0
}

// Check returns a [*ConflictError] if current is at another revision than the patch
// asks for or differs from its base.
func (p Patch) Check(current Ruleset) error {
	if err := checkRev(p.IfRev, current); err != nil {
		return err
	}
	if p.Base == nil || SameContent(*p.Base, current) {
		return nil
	}
	return &ConflictError{Current: current}
}

// MaxBytes is the size limit of a ruleset, the sum of all its texts.
const MaxBytes = 16 << 20

// A TooLargeError reports a ruleset that no store keeps.
type TooLargeError struct{ Bytes int }

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the ruleset has %d bytes; at most %d are kept", e.Bytes, MaxBytes)
}

// CheckSize returns a [*TooLargeError] if the texts of a ruleset are too large.
func (r Ruleset) CheckSize() error {
	size := len(r.Description) + len(r.Markdown) + len(r.Extra)
	for _, tag := range r.Tags {
		size += len(tag)
	}
	if size > MaxBytes {
		return &TooLargeError{Bytes: size}
	}
	return nil
}

// A Page asks for part of a list, in the order of [Compare]. After is the
// position that an earlier page ended at, "" for the first; positions are the
// store's own and stay good while the list changes. Limit 0 means all.
type Page struct {
	After string
	Limit int
}

// A Store stores rulesets. Several processes may share the same data. Methods may
// be called from any goroutine, respect ctx, and take a bounded time.
//
// Errors: [*NotFoundError], [*ExistsError], [*ConflictError], [*UnavailableError];
// any other error is a bug in the store.
type Store interface {
	// Create stores a new ruleset. Of several creations of one name, on any mix
	// of processes, exactly one succeeds.
	Create(ctx context.Context, d Draft) (Ruleset, error)
	// Get returns one ruleset.
	Get(ctx context.Context, name Name) (Ruleset, error)
	// Read calls see with each of the named rulesets that exists, with all if names
	// is nil, one at a time and in no order. It is for indexes: it costs less than
	// Get of each and records nothing, so that Rev is 0. An error of see ends it.
	Read(ctx context.Context, names []Name, see func(Ruleset) error) error
	// Update applies the patch atomically: it is never half visible and never
	// resurrects a deleted ruleset. CreatedAt stays; LastModified
	// becomes now, or stays where it is if the clock went back. Of concurrent
	// updates from one [Patch.Base], on any mix of processes, one succeeds.
	Update(ctx context.Context, name Name, p Patch) (Ruleset, error)
	// Delete removes one ruleset. Its history stays.
	Delete(ctx context.Context, name Name, r Removal) error
	// History returns the revisions of a ruleset, newest first, of a deleted
	// one too. A change of the content by anybody is a revision; one that
	// changes nothing is none. What others changed without this program is
	// recorded when a store sees it: before the next change at the latest.
	History(ctx context.Context, name Name) ([]Revision, error)
	// MoveLabel moves or removes a label and returns the move as it is recorded.
	// Errors: [*NoRevisionError], [*NoLabelError], [*FixedLabelError].
	MoveLabel(ctx context.Context, name Name, m LabelMove) (LabelMove, error)
	// Apply makes several changes, all or none: an [*OperationError] says for which of
	// them nothing was done. The operations follow each other, so that a ruleset
	// can be created and labelled at once; an update that changes nothing leaves the
	// ruleset as it is. On a cluster the rulesets must be in one hash slot, else the
	// error is a [*SlotsError].
	Apply(ctx context.Context, ops []Operation, o ApplyOptions) ([]Outcome, error)
	// Prune removes revisions that are not kept from the histories of all rulesets,
	// deleted ones too, and counts them; dry only counts.
	Prune(ctx context.Context, r Retention, dry bool) (Pruned, error)
	// LabelMoves returns the moves of all labels of a ruleset, newest first.
	LabelMoves(ctx context.Context, name Name) ([]LabelMove, error)
	// List returns a page of rulesets in the order of [Compare]; next is the
	// position to continue from, "" at the end.
	List(ctx context.Context, page Page) (metas []Meta, next string, err error)
	// Count returns the number of rulesets.
	Count(ctx context.Context) (int, error)
	// Search returns, in the same order, those whose whole name matches the
	// glob pattern ([Match]).
	Search(ctx context.Context, pattern string) ([]Meta, error)
	// Names returns the names that begin with a prefix, sorted, as many as limit at
	// most, and the number of all of them. It is for completion: it costs little
	// however many rulesets there are, and a name whose ruleset has just gone may be
	// among them.
	Names(ctx context.Context, prefix string, limit int) (names []Name, total int, err error)
	// Watch calls changed after each change of the store by any process,
	// this one included, until ctx is done. Changes may be merged: a Change
	// without a name means that anything may have changed. It blocks.
	Watch(ctx context.Context, changed func(Change)) error
	// Close releases the resources of the store.
	Close() error
}

// An Inspector is a [Store] that can list what looks like a ruleset but is not
// served.
type Inspector interface {
	Problems(ctx context.Context) ([]Problem, error)
}

// A Problem is a file that is not served, and why.
type Problem struct{ File, Reason string }

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
