package filestore

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A moveRecord is a move of a label in a file: a line of JSON.
type moveRecord struct {
	Label   ruleset.Label `json:"label"`
	From    int           `json:"from,omitempty"`
	To      int           `json:"to,omitempty"`
	At      time.Time     `json:"at"`
	Author  string        `json:"author,omitempty"`
	Client  string        `json:"client,omitempty"`
	Message string        `json:"message,omitempty"`
}

// labelsPath is the file of the moves of a ruleset's labels.
func (s *Store) labelsPath(name ruleset.Name) string {
	return filepath.Join(s.dir, historyDir, string(name)+".labels.jsonl")
}

// MoveLabel implements [ruleset.Store].
func (s *Store) MoveLabel(ctx context.Context, name ruleset.Name, m ruleset.LabelMove) (ruleset.LabelMove, error) {
	if _, err := s.History(ctx, name); err != nil { // which records what others changed
		return m, err
	}
	err := s.locked(ctx, func() (err error) {
		m, err = s.moveLabel(name, m)
		return err
	})
	return m, err
}

// moveLabel records a move. The lock is held.
func (s *Store) moveLabel(name ruleset.Name, m ruleset.LabelMove) (ruleset.LabelMove, error) {
	history, err := s.revisions(name)
	if err != nil {
		return m, err
	}
	moves, err := s.labelMoves(name)
	if err != nil {
		return m, err
	}
	if m, err = ruleset.CheckMove(name, m, history, moves); err != nil {
		return m, err
	}
	m.At, m.Once = s.now().UTC().Truncate(time.Second), false
	_, err = s.appendLine(s.labelsPath(name), moveRecord{m.Label, m.From, m.To, m.At, m.By.Author, m.By.Client, m.By.Message})
	return m, err
}

// LabelMoves implements [ruleset.Store].
func (s *Store) LabelMoves(_ context.Context, name ruleset.Name) ([]ruleset.LabelMove, error) {
	return s.labelMoves(name)
}

func (s *Store) labelMoves(name ruleset.Name) ([]ruleset.LabelMove, error) {
	var all []ruleset.LabelMove
	err := eachLine(s.labelsPath(name), func(line []byte) error {
		var r moveRecord
		if err := json.Unmarshal(line, &r); err != nil {
			return fmt.Errorf("the labels of %s cannot be read: %w", name, err)
		}
		all = append(all, ruleset.LabelMove{
			Label: r.Label, From: r.From, To: r.To, At: r.At, By: ruleset.By{Author: r.Author, Client: r.Client, Message: r.Message},
		})
		return nil
	})
	slices.Reverse(all)
	return all, err
}
