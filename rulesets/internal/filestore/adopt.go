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

// Recorded implements [ruleset.Archive].
func (s *Store) Recorded(ctx context.Context) ([]ruleset.Name, error) {
	metas, _, err := s.List(ctx, ruleset.Page{})
	if err != nil {
		return nil, err
	}
	names := make([]ruleset.Name, len(metas))
	for i, m := range metas {
		names[i] = m.Name
	}
	entries, err := os.ReadDir(filepath.Join(s.dir, historyDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, unavailable(err)
	}
	for _, e := range entries {
		base, isHistory := strings.CutSuffix(e.Name(), ".jsonl")
		if name, err := ruleset.ParseName(base); isHistory && err == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// Adopt implements [ruleset.Archive].
func (s *Store) Adopt(ctx context.Context, c ruleset.Copy) error {
	return s.locked(ctx, func() error {
		d, state, err := s.stateOf(c.Name, false)
		if err != nil {
			return err
		}
		if state.Ruleset != nil || len(state.History) > 0 {
			return &ruleset.ExistsError{Name: c.Name}
		}
		return s.commit([]*ruleset.Effect{c.Effect()}, map[ruleset.Name]document{c.Name: d}, ruleset.ApplyOptions{})
	})
}
