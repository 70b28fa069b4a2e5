package project

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// An OtherStoreError reports a source that does not have the rulesets of the lock as they
// were written: it is another store.
type OtherStoreError struct {
	Files int
	// Removed is the number of rulesets whose files would be removed though the store never
	// had them; 0 if the store has none of the lock.
	Removed int
}

func (e *OtherStoreError) Error() string {
	if e.Removed > 0 {
		return fmt.Sprintf("%d of the rulesets of %s were never in this store, and their files would be removed: it is another store; nothing was written", e.Removed, LockFile)
	}
	return fmt.Sprintf("none of the rulesets of %s is in this store as it was pulled (%d files): it is another store; nothing was written", LockFile, e.Files)
}

// maxCompared is the number of files that are compared with a source before it counts as
// another one.
const maxCompared = 50

// CheckStore returns an [*OtherStoreError] if the files of a project were written from
// another store than source. It reads nothing where a file is as the plan has it.
func (p *Project) CheckStore(ctx context.Context, source Source, plan Plan) error {
	makesFiles, written := false, 0
	same := map[ruleset.Name]bool{} // the rulesets of files that are as the plan has them
	for _, i := range plan.Items {
		makesFiles = makesFiles || i.Content != nil
		if i.Locked.Path == "" || len(i.Locked.Parts) == 0 || i.LeftOut {
			continue
		}
		written++
		for _, part := range i.Locked.Parts {
			if i.State == Clean {
				same[part.Name] = true
			}
		}
	}
	switch {
	case written == 0 || !makesFiles:
		return nil
	case len(same) > 0:
		return checkOrphans(ctx, source, plan, len(same))
	}
	compared, known := 0, false
	for _, i := range plan.Items {
		if i.LeftOut || len(i.Locked.Parts) == 0 || compared == maxCompared {
			continue
		}
		compared++
		for _, part := range i.Locked.Parts {
			r, err := source.Get(ctx, part.Name, strconv.Itoa(part.Rev))
			if isNoRevision(err) {
				continue
			}
			if err != nil {
				return err
			}
			if i.Err != nil || !i.Exists || Sum(i.Have) != i.Locked.Sum || strings.TrimSpace(r.Markdown) == "" {
				known = true // what was written is not there to compare
				continue
			}
			if hasText(string(i.Have), r.Markdown) {
				return nil
			}
		}
	}
	if known {
		return nil
	}
	return &OtherStoreError{Files: written}
}

// checkOrphans returns an error if at least as many rulesets as have a file that stays were
// never in a store and would lose theirs. A ruleset that was deleted has a history.
func checkOrphans(ctx context.Context, source Source, plan Plan, same int) error {
	never := map[ruleset.Name]bool{}
	for _, i := range plan.Items {
		if i.Content != nil || i.LeftOut {
			continue
		}
		for _, part := range i.Locked.Parts {
			if never[part.Name] || len(never) == maxCompared {
				continue
			}
			if _, err := source.Get(ctx, part.Name, strconv.Itoa(part.Rev)); isNoRevision(err) {
				never[part.Name] = true
			} else if err != nil {
				return err
			}
		}
	}
	if len(never) < same || len(never) == 0 {
		return nil
	}
	return &OtherStoreError{Files: len(plan.Items), Removed: len(never)}
}

func isNoRevision(err error) bool {
	_, gone := errors.AsType[*ruleset.NotFoundError](err)
	_, none := errors.AsType[*ruleset.NoRevisionError](err)
	return gone || none
}

// hasText reports whether a file has the lines of a text. Lines with placeholders differ
// from client to client.
func hasText(file, text string) bool {
	lines := map[string]bool{}
	for line := range strings.Lines(file) {
		lines[strings.TrimSpace(line)] = true
	}
	compared := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.Contains(line, "{{"):
		case !lines[line]:
			return false
		default:
			compared = true
		}
	}
	return compared
}
