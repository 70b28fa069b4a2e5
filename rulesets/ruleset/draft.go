package ruleset

import (
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

// At returns the ruleset that the draft becomes when it is created now. Times are
// cut to whole seconds, which stores can write.
func (d Draft) At(now time.Time) Ruleset {
	created, modified := d.CreatedAt, d.LastModified
	if created.IsZero() && modified.IsZero() {
		created, modified = now, now
	} else if created.IsZero() {
		created = modified
	}
	if modified.Before(created) {
		modified = created
	}
	return Ruleset{
		Meta: Meta{
			Name: d.Name, Description: d.Description, Tags: copyTags(d.Tags),
			CreatedAt: created.UTC().Truncate(time.Second), LastModified: modified.UTC().Truncate(time.Second),
		},
		Markdown: d.Markdown, Extra: d.Extra, Folder: d.Folder,
	}
}

// Apply returns the ruleset after the patch. LastModified never decreases.
func (p Patch) Apply(r Ruleset, now time.Time) Ruleset {
	if p.Description != nil {
		r.Description = *p.Description
	}
	if p.Tags != nil {
		r.Tags = copyTags(*p.Tags)
	}
	if p.Markdown != nil {
		r.Markdown = *p.Markdown
	}
	if p.Extra != nil {
		r.Extra = *p.Extra
	}
	if now = now.UTC().Truncate(time.Second); now.After(r.LastModified) {
		r.LastModified = now
	}
	return r
}
