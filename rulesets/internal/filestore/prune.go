package filestore

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Prune implements [ruleset.Pruner]. The lock is taken for one history at a time.
func (s *Store) Prune(ctx context.Context, r ruleset.Retention, dry bool) (pruned ruleset.Pruned, err error) {
	entries, err := os.ReadDir(filepath.Join(s.folder.dir, historyDir))
	if errors.Is(err, fs.ErrNotExist) {
		return pruned, nil
	}
	if err != nil {
		return pruned, unavailable(err)
	}
	for _, e := range entries {
		base, isHistory := strings.CutSuffix(e.Name(), ".jsonl")
		name, nameErr := ruleset.ParseName(base)
		if !isHistory || nameErr != nil {
			continue // moves of labels, say
		}
		err := s.lockedIn(ctx, func() error { return s.prune(name, r, dry, &pruned) })
		if err != nil {
			return pruned, err
		}
	}
	return pruned, nil
}

// prune writes the history of a ruleset anew without the revisions that are not kept.
// The lock is held.
func (s *Store) prune(name ruleset.Name, r ruleset.Retention, dry bool, pruned *ruleset.Pruned) error {
	var lines [][]byte
	var history []ruleset.Revision
	err := s.history.eachRecord(name, func(line []byte, r ruleset.Revision) {
		lines, history = append(lines, line), append(history, r)
	})
	if err != nil {
		return err
	}
	moves, err := s.history.moves(name)
	if err != nil {
		return err
	}
	slices.Reverse(history)
	kept := r.Keep(history, moves, s.now())
	slices.Reverse(kept)
	var text []byte
	removed, size := 0, 0
	slices.Reverse(history)
	var left []ruleset.Revision
	for i, line := range lines {
		if kept[i] {
			text, left = append(text, line...), append(left, history[i])
		} else {
			removed++
			size += len(line)
		}
	}
	if removed > 0 && !dry {
		if err := s.folder.replaceFile(s.history.path(name), text); err != nil {
			return err
		}
		if err := s.history.syncDir(filepath.Join(s.folder.dir, historyDir)); err != nil {
			return err
		}
	}
	ofFiles, err := s.history.pruneContents(name, left, dry) // which the history does not name any more
	pruned.Add(removed, int64(size)+ofFiles)
	return err
}
