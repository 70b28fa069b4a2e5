package filestore

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Prune implements [ruleset.Store]. The lock is taken for one history at a time.
func (s *Store) Prune(ctx context.Context, r ruleset.Retention, dry bool) (pruned ruleset.Pruned, err error) {
	entries, err := os.ReadDir(filepath.Join(s.dir, historyDir))
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
		err := s.locked(ctx, func() error { return s.prune(name, r, dry, &pruned) })
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
	err := eachLine(s.historyPath(name), func(line []byte) error {
		var one record
		if err := json.Unmarshal(line, &one); err != nil {
			return fmt.Errorf("the history of %s cannot be read: %w", name, err)
		}
		lines, history = append(lines, bytes.Clone(line)), append(history, one.revision(name))
		return nil
	})
	if err != nil {
		return err
	}
	moves, err := s.labelMoves(name)
	if err != nil {
		return err
	}
	slices.Reverse(history)
	kept := r.Keep(history, moves, s.now())
	slices.Reverse(kept)
	var text []byte
	removed, size := 0, 0
	for i, line := range lines {
		if kept[i] {
			text = append(text, line...)
		} else {
			removed++
			size += len(line)
		}
	}
	pruned.Add(removed, int64(size))
	if removed == 0 || dry {
		return nil
	}
	return s.replaceHistory(name, text)
}

// replaceHistory puts a new history in the place of the old one; a crash leaves one of
// them.
func (s *Store) replaceHistory(name ruleset.Name, text []byte) error {
	dir := filepath.Join(s.dir, historyDir)
	f, err := os.CreateTemp(s.dir, tempName)
	if err != nil {
		return unavailable(err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), s.historyPath(name))
	}
	if err != nil {
		_ = os.Remove(f.Name()) // it is useless now
		return unavailable(err)
	}
	return s.syncDir(dir)
}
