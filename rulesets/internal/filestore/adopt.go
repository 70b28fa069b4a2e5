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
	entries, err := os.ReadDir(filepath.Join(s.folder.dir, historyDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, unavailable(err)
	}
	for _, e := range entries {
		base, isHistory := strings.CutSuffix(e.Name(), ".jsonl")
		if name, err := ruleset.ParseName(base); isHistory && err == nil {
			names = append(names, name)
		}
	}
	folders, err := s.Folders(ctx)
	if err != nil {
		return nil, err
	}
	names = append(names, folders...)
	slices.Sort(names)
	return slices.Compact(names), nil
}

// AdoptFile implements [ruleset.Archive].
func (s *Store) AdoptFile(ctx context.Context, name ruleset.Name, data []byte) error {
	return s.locked(ctx, func() error { return s.history.writeContents(name, data) })
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
		e := c.Effect()
		for _, f := range c.Files() {
			data, err := s.ReadRevised(ctx, c.Name, f)
			if err != nil {
				return err
			}
			e.Files = append(e.Files, ruleset.FileChange{Path: f.Path, Data: append([]byte{}, data...)}) // an empty one is not nil
		}
		return s.commit([]*ruleset.Effect{e}, map[ruleset.Name]document{c.Name: d}, ruleset.ApplyOptions{})
	})
}
