package filestore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	Data    string        `json:"data,omitempty"`
}

// labelsPath returns the path of the moves of a ruleset's labels.
func (h *histories) labelsPath(name ruleset.Name) string {
	return filepath.Join(h.folder.dir, historyDir, string(name)+labelsMark+historySuffix)
}

func newMoveRecord(m ruleset.LabelMove) moveRecord {
	return moveRecord{m.Label, m.From, m.To, m.At, m.By.Author, m.By.Client, m.By.Message, m.Data}
}

// movesName is the file that notifies watches of moves of labels, with lines of a
// name and a label. It is not a record and may be lost.
const movesName = ".moves"

// maxMovesFile is the size at which that file is started again.
const maxMovesFile = 1 << 20

// A movedLabel is a label that moved.
type movedLabel struct {
	Name  ruleset.Name  `json:"name"`
	Label ruleset.Label `json:"label"`
}

// announce notifies the watches of all processes of moves. The caller must hold
// the lock.
func (w *watched) announce(moves ...movedLabel) {
	if len(moves) == 0 {
		return
	}
	var text strings.Builder
	for _, m := range moves {
		text.WriteString(string(m.Name) + " " + string(m.Label) + "\n")
	}
	path := filepath.Join(w.folder.dir, movesName)
	if info, err := os.Stat(path); err == nil && info.Size() > maxMovesFile {
		_ = os.Remove(path) // otherwise it keeps growing
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err == nil {
		_, err = f.WriteString(text.String())
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		w.log.Warn("a move of a label is not announced", "component", "filestore", "err", err)
	}
	w.feeds.tell("")
}

// movesSince returns the moves announced after an offset, and the next offset.
func (w *watched) movesSince(offset int64) (moves []movedLabel, end int64) {
	data, err := os.ReadFile(filepath.Join(w.folder.dir, movesName))
	if err != nil {
		return nil, 0
	}
	if int64(len(data)) < offset {
		offset = 0 // the file was started again
	}
	end = offset
	for line := range strings.Lines(string(data[offset:])) {
		if !strings.HasSuffix(line, "\n") {
			break // an incomplete line is being written
		}
		end += int64(len(line))
		name, label, _ := strings.Cut(strings.TrimSpace(line), " ")
		moves = append(moves, movedLabel{ruleset.Name(name), ruleset.Label(label)})
	}
	return moves, end
}

// LabelMoves implements [ruleset.Store].
func (s *Store) LabelMoves(ctx context.Context, name ruleset.Name) ([]ruleset.LabelMove, error) {
	s.finishFirst(ctx)
	return s.history.moves(name)
}

func (h *histories) moves(name ruleset.Name) ([]ruleset.LabelMove, error) {
	var all []ruleset.LabelMove
	err := eachLine(h.labelsPath(name), func(line []byte) error {
		var r moveRecord
		if err := json.Unmarshal(line, &r); err != nil {
			return fmt.Errorf("the labels of %s cannot be read: %w", name, err)
		}
		all = append(all, ruleset.LabelMove{
			Label: r.Label, From: r.From, To: r.To, At: r.At, By: ruleset.By{Author: r.Author, Client: r.Client, Message: r.Message}, Data: r.Data,
		})
		return nil
	})
	slices.Reverse(all)
	return all, err
}
