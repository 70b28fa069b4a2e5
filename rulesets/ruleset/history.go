package ruleset

import (
	"cmp"
	"fmt"
	"time"
)

// A Revision is one state in the history of a ruleset. Numbers begin with 1 and
// have no gaps unless old ones are pruned; a deletion has a number of its own, and a
// ruleset that is created again goes on counting.
type Revision struct {
	Number  int
	At      time.Time // UTC, whole seconds
	By      By
	Deleted bool
	Content Ruleset // without times; only the name and the files that stay if Deleted
}

// By says who made a revision, and how.
type By struct {
	// Author is the id of a key, "local", [ByHand] or [ByOther]; "" where it is
	// not known, as of a ruleset that was there before its history began.
	Author string
	// Name is the name that people gave the key of the author. It is looked up for
	// readers; stores do not keep it.
	Name    string
	Client  string // the program that the author used, "" if not known
	Message string // why, in the author's words; optional
	// Restores is the number of the revision whose content this one has again,
	// 0 for none.
	Restores int
	// Proposal is the number of the accepted proposal that made the revision, 0 for none.
	Proposal int
}

// Who returns the author as people know it: the name of the key, or else its id.
func (b By) Who() string { return cmp.Or(b.Name, b.Author) }

// Authors of changes that did not come through this program.
const (
	ByHand  = "edited by hand"             // a file was changed
	ByOther = "written by another program" // a server's data were changed
)

// A Removal is a request to delete a ruleset.
type Removal struct {
	By By
	// IfRev, if not 0, is the revision that the ruleset must be at.
	IfRev int
}

// Check returns a [*ConflictError] if the ruleset is at another revision.
func (r Removal) Check(current Ruleset) error { return checkRev(r.IfRev, current) }

func checkRev(want int, current Ruleset) error {
	if want == 0 || want == current.Rev {
		return nil
	}
	return &ConflictError{Current: current}
}

// A NoRevisionError reports a revision that a ruleset does not have.
type NoRevisionError struct {
	Name   Name
	Number int
	First  int // the oldest revision that was kept, 0 for 1
	Last   int // the newest revision
}

func (e *NoRevisionError) Error() string {
	return fmt.Sprintf("ruleset '%s' has no revision %d: its revisions are %d to %d", e.Name, e.Number, max(e.First, 1), e.Last)
}

// Patch returns the change that restores the texts of a revision; [RestoreFiles] has that
// of its files.
func (r Revision) Patch(by By) Patch {
	by.Restores = r.Number
	tags := append([]string{}, r.Content.Tags...)
	return Patch{
		Description: &r.Content.Description, Tags: &tags, Markdown: &r.Content.Markdown, Extra: &r.Content.Extra, By: by,
	}
}

// Draft returns the ruleset that restores the texts of a revision after a deletion.
func (r Revision) Draft(by By) Draft {
	by.Restores = r.Number
	c := r.Content
	return Draft{Name: c.Name, Description: c.Description, Tags: c.Tags, Markdown: c.Markdown, Extra: c.Extra, Folder: c.Folder, By: by}
}
