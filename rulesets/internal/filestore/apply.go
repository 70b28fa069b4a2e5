package filestore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"go.yaml.in/yaml/v3"
	"golang.org/x/sync/errgroup"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A batch is applied in steps, so that after a crash all of it or nothing has
// happened:
//
//	stage     hidden files with the new contents, synced
//	.batch.undo   names them and the ends of the histories; synced
//	append    the revisions and moves to the histories, synced
//	.batch    is the new name of .batch.undo: from here on the batch is made
//	rename    the hidden files to their names, remove what is deleted
//	done      .batch is removed
//
// The next process that takes the lock completes what a killed one left. If it
// finds .batch.undo, it truncates the histories to their former ends and removes
// the hidden files; if it finds .batch, it renames the files. It does not touch a
// file that was edited meanwhile; the content of that file becomes a revision
// after those of the batch.
const (
	undoName = ".batch.undo"
	redoName = ".batch"
)

// syncsAtOnce limits the files that are written and synced concurrently: file
// systems sync several in about the time of one.
const syncsAtOnce = 16

// A journal describes what a batch does to the folder.
type journal struct {
	Ends  []historyEnd `json:"ends"`
	Files []fileChange `json:"files"`
	Parts []partChange `json:"parts,omitempty"`
	Moves []movedLabel `json:"moves,omitempty"`
}

// batches does, completes and undoes what journals say. Callers hold the lock.
type batches struct {
	folder  folder
	history *histories
	watched *watched
	log     *slog.Logger
}

// A historyEnd is a file of the history and its length before the batch.
type historyEnd struct {
	File string `json:"file"` // relative to the folder of the histories
	End  int64  `json:"end"`
}

// A fileChange replaces or removes the file of a ruleset.
type fileChange struct {
	Name   ruleset.Name `json:"name"`
	Folder bool         `json:"folder,omitempty"` // whether it is the main file of a folder
	Temp   string       `json:"temp,omitempty"`   // the hidden file with the new content, "" to remove
	Was    string       `json:"was,omitempty"`    // SHA-256 of the file before, "" if there was none
}

// Apply implements [ruleset.Store].
func (s *Store) Apply(ctx context.Context, ops []ruleset.Operation, o ruleset.ApplyOptions) (outcomes []ruleset.Outcome, err error) {
	single := ruleset.IsSingle(ops) && !o.DryRun
	if single {
		if err := s.prepareSingle(ctx, &ops[0]); err != nil {
			return nil, err
		}
	}
	if ops, err = withOwnYAML(ops); err != nil {
		return nil, err
	}
	apply := func() error {
		docs := map[ruleset.Name]document{}
		batch, err := ruleset.Stage(ops, s.now(), func(name ruleset.Name, labels bool) (ruleset.State, error) {
			d, state, err := s.stateOf(name, labels)
			docs[name] = d
			return state, err
		})
		if outcomes = batch.Outcomes; err != nil || o.DryRun {
			return err
		}
		if single {
			return s.commitSingle(batch.Effects[0], docs[ops[0].Name])
		}
		return s.commit(batch.Effects, docs, o)
	}
	if _, err := os.Stat(s.folder.dir); o.DryRun && errors.Is(err, fs.ErrNotExist) {
		return outcomes, apply() // without a folder to lock in
	}
	return outcomes, s.locked(ctx, apply)
}

// withOwnYAML returns the operations with the extra keys in the form that files
// have.
func withOwnYAML(ops []ruleset.Operation) ([]ruleset.Operation, error) {
	own := make([]ruleset.Operation, len(ops))
	for i, op := range ops {
		extra := (*string)(nil)
		switch {
		case op.Create != nil:
			draft := *op.Create
			op.Create, extra = &draft, &draft.Extra
		case op.Update != nil && op.Update.Extra != nil:
			patch, text := *op.Update, *op.Update.Extra
			patch.Extra, extra = &text, &text
			op.Update = &patch
		}
		own[i] = op
		if extra == nil || *extra == "" {
			continue
		}
		d := document{front: mapping(&yaml.Node{})}
		if err := d.setExtra(*extra); err != nil {
			return nil, &ruleset.OperationError{Index: i, Verb: "change", Name: op.Name, Err: err}
		}
		*extra = d.extra()
	}
	return own, nil
}

// stateOf returns the document of a ruleset and the state that a batch needs. The
// caller must hold the lock.
func (s *Store) stateOf(name ruleset.Name, labels bool) (document, ruleset.State, error) {
	var state ruleset.State
	d, err := s.reconcile(name)
	_, missing := errors.AsType[*ruleset.NotFoundError](err)
	if err != nil && !missing {
		return d, state, err
	}
	if !missing {
		r := d.ruleset
		state.Ruleset, state.Files = &r, r.Files
	}
	if labels {
		if state.Moves, err = s.history.moves(name); err != nil {
			return d, state, err
		}
		state.History, err = s.history.revisions(name)
		if _, none := errors.AsType[*ruleset.NotFoundError](err); none {
			err = nil
		}
		if err != nil {
			return d, state, err
		}
	}
	head, err := s.history.head(name)
	if head.Rev > 0 && !labels {
		state.History = []ruleset.Revision{head.revision(name)}
	}
	if missing && err == nil {
		state.Files, err = s.recordFiles(name, s.present(name, &head))
	}
	return d, state, err
}

// commit performs a batch. The caller must hold the lock.
func (s *Store) commit(effects []*ruleset.Effect, docs map[ruleset.Name]document, o ruleset.ApplyOptions) error {
	if err := s.history.makeDir(); err != nil {
		return err
	}
	j := &journal{}
	err := s.stage(j, effects, docs, o)
	if err == nil {
		err = s.batches.write(j)
	}
	if err == nil {
		err = s.history.appendAll(effects)
	}
	if err == nil {
		err = os.Rename(s.folder.inDir(undoName), s.folder.inDir(redoName))
	}
	if err != nil {
		if undoErr := s.batches.undo(j); undoErr != nil {
			s.log.Error("a failed batch is not undone yet, until then nothing is changed", "component", "filestore", "err", undoErr)
		}
		if _, said := errors.AsType[*ruleset.TooLargeError](err); said {
			return err
		}
		return unavailable(err)
	}
	if err := s.folder.sync(); err != nil { // if the new name is lost by a crash, all is undone
		return err
	}
	unmade, err := s.batches.redo(j, o)
	return errors.Join(err, unmade)
}

// stage writes the new contents to hidden files and fills in the journal.
func (s *Store) stage(j *journal, effects []*ruleset.Effect, docs map[ruleset.Name]document, o ruleset.ApplyOptions) error {
	var mu sync.Mutex // guards the journal
	group := errgroup.Group{}
	group.SetLimit(syncsAtOnce)
	for _, e := range effects {
		group.Go(func() error {
			ends, err := s.history.ends(e)
			var change *fileChange
			if err == nil && e.Changed() {
				change, err = s.stageFile(e, docs[e.Name])
			}
			var parts []partChange
			if err == nil {
				parts, err = s.batches.stageParts(e)
			}
			mu.Lock()
			defer mu.Unlock()
			j.Parts = append(j.Parts, parts...)
			j.Ends = append(j.Ends, ends...)
			for _, m := range e.Moves {
				j.Moves = append(j.Moves, movedLabel{e.Name, m.Label})
			}
			if change != nil {
				j.Files = append(j.Files, *change)
				o.Report(len(j.Files), 2*len(effects))
			}
			return err
		})
	}
	return group.Wait()
}

// ends returns the current ends of the files that revisions and moves are
// appended to.
func (h *histories) ends(e *ruleset.Effect) (ends []historyEnd, err error) {
	var paths []string
	if len(e.Revisions) > 0 {
		paths = append(paths, h.path(e.Name))
	}
	if len(e.Moves) > 0 {
		paths = append(paths, h.labelsPath(e.Name))
	}
	for _, path := range paths {
		end, err := endOf(path)
		if err != nil {
			return ends, err
		}
		ends = append(ends, historyEnd{filepath.Base(path), end})
	}
	return ends, nil
}

// endOf returns the offset after the last complete line of a file, or 0 if the
// file is missing.
func endOf(path string) (int64, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }() // errors do not matter, it was only read
	_, end, err := lastLine(f)
	return end, err
}

// stageFile writes the new content of a ruleset to a hidden file. It returns nil
// if there is nothing to do: the ruleset is created and deleted in the same
// batch.
func (s *Store) stageFile(e *ruleset.Effect, d document) (*fileChange, error) {
	if e.Before == nil && e.After == nil {
		return nil, nil
	}
	change := &fileChange{Name: e.Name, Was: d.sum, Folder: d.ruleset.Folder} // edits made since then are not overwritten
	if e.After == nil {
		return change, nil
	}
	change.Folder = e.After.Folder || d.ruleset.Folder // a folder that is deleted and created again stays a folder
	if e.Before == nil || e.Before.CreatedAt != e.After.CreatedAt {
		d = document{front: mapping(&yaml.Node{}), crlf: d.crlf, ruleset: *e.After}
		d.nameFolder()
	}
	if d.extra() != e.After.Extra {
		if err := d.setExtra(e.After.Extra); err != nil {
			return nil, err
		}
	}
	d.ruleset = *e.After
	d.ruleset.Folder = change.Folder
	if err := s.folder.makeFolder(&d); err != nil {
		return nil, err
	}
	if err := s.folder.checkFolder(&d); err != nil {
		return nil, err
	}
	temp, err := s.temps.write(&d)
	change.Temp = filepath.Base(temp)
	return change, err
}

// hashOf returns the SHA-256 of a file, or "" if the file is missing.
func hashOf(path string) (string, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return sumOf(data), err
}

// write writes and syncs the journal and the names of the hidden files.
func (b *batches) write(j *journal) error {
	data, err := json.Marshal(j)
	if err != nil {
		return err
	}
	if err := b.folder.replaceFile(b.folder.inDir(undoName), data); err != nil {
		return err
	}
	return b.folder.sync()
}

// appendAll appends the revisions and moves to the histories.
func (h *histories) appendAll(effects []*ruleset.Effect) error {
	group := errgroup.Group{}
	group.SetLimit(syncsAtOnce)
	for _, e := range effects {
		group.Go(func() error {
			var lines []any
			for i := range e.Revisions {
				lines = append(lines, recordOf(&e.Revisions[i]))
			}
			if _, err := addLines(h.path(e.Name), lines...); err != nil {
				return err
			}
			lines = nil
			for _, m := range e.Moves {
				lines = append(lines, newMoveRecord(m))
			}
			_, err := addLines(h.labelsPath(e.Name), lines...)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return h.syncDir(filepath.Join(h.folder.dir, historyDir))
}

// redo changes the files as the journal says and removes the journal. It is
// idempotent. What changeParts leaves is in unmade. The caller must hold the lock.
func (b *batches) redo(j *journal, o ruleset.ApplyOptions) (unmade, err error) {
	if unmade, err = b.changeParts(j.Parts); err != nil {
		return unmade, unavailable(err)
	}
	for i, c := range j.Files {
		switch err := b.watched.around(c.Name, func() error { return b.change(c) }); {
		case isProtected(err):
			unmade = errors.Join(unmade, b.leave(c, err))
		case err != nil:
			return unmade, unavailable(err)
		}
		o.Report(len(j.Files)+i+1, 2*len(j.Files))
	}
	if err := b.folder.sync(); err != nil {
		return unmade, err
	}
	b.watched.announce(j.Moves...)
	if err := os.Remove(b.folder.inDir(redoName)); err != nil {
		return unmade, unavailable(err)
	}
	return unmade, b.folder.sync()
}

// leave gives up a change of a file that is not permitted. The content that the file keeps
// becomes a revision after those of the batch.
func (b *batches) leave(c fileChange, err error) error {
	if c.Temp != "" {
		_ = os.Remove(b.folder.inDir(c.Temp)) // sweep removes it later
	}
	b.log.Error("the file of a ruleset was not changed", "component", "filestore", "name", string(c.Name), "err", err)
	return fmt.Errorf("the file of ruleset '%s' was not changed: %w", c.Name, unavailable(err))
}

// change makes one change, unless it has been made or the file has been edited
// since.
func (b *batches) change(c fileChange) error {
	main := b.folder.mainPath(c.Name, c.Folder)
	now, err := hashOf(main)
	switch {
	case err != nil:
		return err
	case now != c.Was && c.Temp == "":
		return nil
	case now != c.Was:
		if err := os.Remove(b.folder.inDir(c.Temp)); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	case c.Temp == "":
		err = os.Remove(main)
	default:
		err = os.Rename(b.folder.inDir(c.Temp), main)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it is made already
	}
	return err
}

// undo reverts, as far as possible, what a batch did before it was committed. If
// it fails, the journal remains, and the next process that takes the lock tries
// again before it appends anything. The caller must hold the lock.
func (b *batches) undo(j *journal) error {
	var errs []error
	for _, end := range j.Ends {
		errs = append(errs, cut(filepath.Join(b.folder.dir, historyDir, end.File), end.End))
	}
	for _, c := range j.Files {
		if c.Temp != "" {
			_ = os.Remove(b.folder.inDir(c.Temp)) // sweep removes it later
		}
	}
	for _, c := range j.Parts {
		b.undoPart(c)
	}
	err := errors.Join(errs...)
	if err == nil {
		err = os.Remove(b.folder.inDir(undoName))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it was not written yet
	}
	if err != nil {
		return unavailable(err)
	}
	return b.folder.sync()
}

// cut truncates a file of the history to its former end and syncs it.
func cut(path string, end int64) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(end), f.Sync(), f.Close())
}

// unfinished reports whether a batch is incomplete or being applied.
func (b *batches) unfinished() bool {
	for _, name := range []string{redoName, undoName} {
		if _, err := os.Lstat(b.folder.inDir(name)); err == nil {
			return true
		}
	}
	return false
}

// finish completes or undoes a batch of a killed process. If it returns an error,
// nothing may be changed. The caller must hold the lock.
func (b *batches) finish() error {
	for _, name := range []string{redoName, undoName} {
		j, err := b.read(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err == nil && name == undoName:
			err = b.undo(j)
		case err == nil:
			_, err = b.redo(j, ruleset.ApplyOptions{}) // what was not made is in the log
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// finishFirst completes, before the first operation of the store, a batch of a
// killed process. Batches left later are completed by the next change and by
// watches.
func (s *Store) finishFirst(ctx context.Context) {
	s.first.Do(func() { s.finishLeft(ctx) })
}

// finishLeft completes a batch of a killed process, if there is one.
func (s *Store) finishLeft(ctx context.Context) {
	if s.batches.unfinished() {
		_ = s.lockedIn(ctx, func() error { return nil }) // locking completes the batch; the next change returns the error
	}
}
