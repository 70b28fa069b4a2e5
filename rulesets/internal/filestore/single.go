package filestore

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A single operation needs no journal: it appends its line to the history, syncs it, and
// then makes its one change to the folder, or only appends the move of a label.

// prepareSingle returns the error of an operation that fails without a lock, so that it
// waits for none and creates no folder, and looks up what git has changed before it.
func (s *Store) prepareSingle(ctx context.Context, op *ruleset.Operation) error {
	if op.Create != nil {
		if _, err := os.Lstat(s.folder.path(op.Name)); err == nil {
			return s.taken(op.Name)
		}
		return nil
	}
	if op.Move != nil {
		_, err := s.History(ctx, op.Name) // records changes made by others
		return err
	}
	if _, err := s.read(op.Name); err != nil {
		return err
	}
	_ = s.learnOrigins(ctx, op.Name) // see History
	return nil
}

// commitSingle makes the effect of a single operation. The caller must hold the lock.
func (s *Store) commitSingle(e *ruleset.Effect, d document) error {
	for _, m := range e.Moves {
		if _, err := s.history.appendLine(s.history.labelsPath(e.Name), newMoveRecord(m)); err != nil {
			return err
		}
		s.watched.announce(movedLabel{e.Name, m.Label})
	}
	if !e.Changed() && !e.Touched {
		return nil
	}
	c, err := s.stageFile(e, d)
	if err != nil {
		return err
	}
	if c.Temp != "" {
		defer func() { _ = os.Remove(s.folder.inDir(c.Temp)) }() // sweep removes a stale one later
	}
	if e.Touched { // without a revision
		if err := s.watched.around(e.Name, func() error { return s.changeSingle(e, c) }); err != nil {
			return unavailable(err)
		}
		return s.folder.sync()
	}
	err = s.recorded(e.Name, recordOf(&e.Revisions[0]), func() error { return s.changeSingle(e, c) })
	if errors.Is(err, fs.ErrExist) {
		return s.taken(e.Name)
	}
	return err
}

// changeSingle makes the change of a file. A creation fails where people have made the file
// since.
func (s *Store) changeSingle(e *ruleset.Effect, c *fileChange) error {
	main := s.folder.mainPath(c.Name, c.Folder)
	switch {
	case c.Temp == "":
		return os.Remove(main)
	case e.Before == nil:
		return os.Link(s.folder.inDir(c.Temp), main)
	}
	return os.Rename(s.folder.inDir(c.Temp), main)
}
