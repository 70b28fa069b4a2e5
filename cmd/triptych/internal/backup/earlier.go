package backup

import (
	"context"
	"errors"
	"strings"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// withoutFiles is the format of backups whose revisions list no files: a file of a ruleset
// is the entry skills/NAME/PATH, behind that of the ruleset.
const withoutFiles = 1

// addFile gives a ruleset a file of a backup of that format, as a new revision.
// Files of a ruleset that is deleted are left out.
func (r *restorer) addFile(ctx context.Context, name ruleset.Name, f ruleset.FileChange) error {
	if _, ok := ruleset.FilesOf(r.t.Rulesets); !ok {
		return errors.New("this store keeps no files of rulesets")
	}
	_, err := ruleset.ApplyOne(ctx, r.t.Rulesets, ruleset.Operation{Name: name, Update: &ruleset.Patch{
		Files: []ruleset.FileChange{f},
		By:    ruleset.By{Author: "local", Message: "file restored from a backup of an earlier version"},
	}})
	if _, deleted := errors.AsType[*ruleset.NotFoundError](err); deleted {
		return nil // no revision of it lists files
	}
	return err
}

// changing returns the entries that restoring a backup changes: those of the rulesets that
// get a revision with their files.
func (m *Manifest) changing() map[string]bool {
	entries := map[string]bool{}
	if m.Format > withoutFiles {
		return entries
	}
	for _, e := range m.Entries {
		if place, ok := strings.CutPrefix(e.Name, "skills/"); ok {
			name, _, _ := strings.Cut(place, "/")
			entries[e.Name], entries["rulesets/"+name+".json"] = true, true
		}
	}
	return entries
}
