package valkeystore

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A moveRecord is a move of a label in the list of a ruleset's moves.
type moveRecord struct {
	Label   ruleset.Label `json:"label"`
	From    int           `json:"from"`
	To      int           `json:"to"`
	At      time.Time     `json:"at"`
	Author  string        `json:"author"`
	Client  string        `json:"client"`
	Message string        `json:"message"`
	Data    string        `json:"data,omitempty"`
	Token   string        `json:"token,omitempty"` // of the change that made it
}

func newMoveRecord(m ruleset.LabelMove, token string) moveRecord {
	return moveRecord{m.Label, m.From, m.To, m.At, m.By.Author, m.By.Client, m.By.Message, m.Data, token}
}

// moveMessage tells of the move of a label.
func moveMessage(name ruleset.Name, label ruleset.Label) string {
	return "l:" + string(name) + ":" + string(label)
}

// LabelMoves implements [ruleset.Store].
func (s *Store) LabelMoves(ctx context.Context, name ruleset.Name) ([]ruleset.LabelMove, error) {
	ctx, stop := context.WithTimeout(ctx, opTimeout)
	defer stop()
	lines, err := s.client.LRange(ctx, s.key.labels(name), 0, -1).Result()
	if err != nil {
		return nil, unavailable(err)
	}
	return decodeMoves(name, lines)
}

// decodeMoves returns the moves in a list, newest first.
func decodeMoves(name ruleset.Name, lines []string) ([]ruleset.LabelMove, error) {
	all := make([]ruleset.LabelMove, len(lines))
	for i, line := range lines {
		var r moveRecord
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			return nil, fmt.Errorf("the labels of %s cannot be read: %w", name, err)
		}
		all[i] = ruleset.LabelMove{
			Label: r.Label, From: r.From, To: r.To, At: r.At, By: ruleset.By{Author: r.Author, Client: r.Client, Message: r.Message}, Data: r.Data,
		}
	}
	slices.Reverse(all)
	return all, nil
}
