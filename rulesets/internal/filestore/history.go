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
	"time"

	"github.com/triptych-mcp/triptych/mcp/atomicfile"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Suffixes in the folder of the histories: NAME.jsonl holds the revisions,
// NAME.labels.jsonl the moves of labels.
const (
	historySuffix = ".jsonl"
	labelsMark    = ".labels"
)

// A record is a revision in a file: a line of JSON.
type record struct {
	Rev         int       `json:"rev"`
	At          time.Time `json:"at"`
	Author      string    `json:"author,omitempty"`
	Client      string    `json:"client,omitempty"`
	Message     string    `json:"message,omitempty"`
	Restores    int       `json:"restores,omitempty"`
	Proposal    int       `json:"proposal,omitempty"`
	Deleted     bool      `json:"deleted,omitempty"`
	Description string    `json:"description,omitempty"`
	Tags        []string  `json:"tags,omitempty"`
	Markdown    string    `json:"markdown,omitempty"`
	Extra       string    `json:"extra,omitempty"`
	Folder      bool      `json:"folder,omitempty"`

	Files []ruleset.File `json:"files,omitempty"`
}

func newRecord(rev int, at time.Time, by ruleset.By, r ruleset.Ruleset) record {
	return record{
		Rev: rev, At: at.UTC().Truncate(time.Second), Author: by.Author, Client: by.Client, Message: by.Message, Restores: by.Restores, Proposal: by.Proposal,
		Description: r.Description, Tags: r.Tags, Markdown: r.Markdown, Extra: r.Extra,
		Folder: r.Folder, Files: r.Files,
	}
}

// recordOf is the inverse of [record.revision].
func recordOf(r *ruleset.Revision) record {
	one := newRecord(r.Number, r.At, r.By, r.Content)
	one.Deleted = r.Deleted
	return one
}

func (r *record) revision(name ruleset.Name) ruleset.Revision {
	return ruleset.Revision{
		Number: r.Rev, At: r.At, Deleted: r.Deleted,
		By:      ruleset.By{Author: r.Author, Client: r.Client, Message: r.Message, Restores: r.Restores, Proposal: r.Proposal},
		Content: r.content(name),
	}
}

func (r *record) content(name ruleset.Name) ruleset.Ruleset {
	return ruleset.Ruleset{
		Meta:     ruleset.Meta{Name: name, Description: r.Description, Tags: append([]string{}, r.Tags...)},
		Markdown: r.Markdown, Extra: r.Extra, Folder: r.Folder, Files: r.Files,
	}
}

// has reports whether the record has the texts and files of an existing ruleset.
func (r *record) has(current ruleset.Ruleset) bool {
	return r.is(current) && ruleset.SameFiles(r.Files, current.Files)
}

// is reports whether the record has the texts of an existing ruleset.
func (r *record) is(current ruleset.Ruleset) bool {
	return !r.Deleted && ruleset.SameContent(r.content(current.Name), current)
}

// histories is the folder .history, with the revisions of rulesets, the moves of their labels
// and the bytes of their files. Callers of methods that write hold the lock.
type histories struct {
	folder  folder
	syncDir func(path string) error // tests replace it
}

func (h *histories) path(name ruleset.Name) string {
	return filepath.Join(h.folder.dir, historyDir, string(name)+historySuffix)
}

// head returns the newest record of a ruleset, or a record with number 0 if there
// is none.
func (h *histories) head(name ruleset.Name) (record, error) {
	f, err := os.Open(h.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return record{}, nil
	}
	if err != nil {
		return record{}, unavailable(err)
	}
	defer func() { _ = f.Close() }() // errors do not matter, it was only read
	line, _, err := lastLine(f)
	if err != nil || len(line) == 0 {
		return record{}, err
	}
	var r record
	if err := json.Unmarshal(line, &r); err != nil {
		return record{}, fmt.Errorf("the history of %s cannot be read: %w", name, err)
	}
	return r, nil
}

// lastLine returns the last complete line of a file and its end. Anything after
// it was left by a killed process and does not count.
func lastLine(f *os.File) (line []byte, end int64, err error) {
	const step = 4 << 10
	info, err := f.Stat()
	if err != nil {
		return nil, 0, unavailable(err)
	}
	var tail []byte
	for from := info.Size(); from > 0; {
		size := min(int64(max(step, len(tail))), from) // reads twice as much with each step
		from -= size
		chunk := make([]byte, size, int(size)+len(tail))
		if _, err := f.ReadAt(chunk, from); err != nil {
			return nil, 0, unavailable(err)
		}
		tail = append(chunk, tail...)
		last := bytes.LastIndexByte(tail, '\n')
		if last < 0 {
			continue
		}
		before := bytes.LastIndexByte(tail[:last], '\n')
		if before >= 0 || from == 0 {
			return tail[before+1 : last], from + int64(last) + 1, nil
		}
	}
	return nil, 0, nil
}

// append appends a record to a history and syncs it. undo removes the
// record if the change that it records fails. The caller must hold the lock.
func (h *histories) append(name ruleset.Name, r record) (undo func(), err error) {
	return h.appendLine(h.path(name), r)
}

// appendLine appends a line of JSON to a file of the history, which may be new,
// and syncs both the file and its folder. undo removes the line. The caller must
// hold the lock.
func (h *histories) appendLine(path string, v any) (undo func(), err error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := h.makeDir(); err != nil {
			return nil, err
		}
	}
	end, err := addLines(path, v)
	if err != nil {
		return nil, err
	}
	undo = func() { _ = os.Truncate(path, end) } // otherwise the history has a change that was not made
	if end == 0 {
		if err := h.syncDir(filepath.Dir(path)); err != nil { // the file may be new
			undo()
			return nil, unavailable(err)
		}
	}
	return undo, nil
}

// addLines appends lines of JSON to a file of the history, syncs it, and returns
// its former end. If it fails, it restores that end.
func addLines(path string, lines ...any) (end int64, err error) {
	if len(lines) == 0 {
		return 0, nil
	}
	var text []byte
	for _, v := range lines {
		line, err := json.Marshal(v)
		if err != nil {
			return 0, err
		}
		text = append(append(text, line...), '\n')
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return 0, unavailable(err)
	}
	return addTo(f, text)
}

// addTo appends text to an open file of the history, syncs it, and closes it. If
// that fails, it truncates the file to its former end, if that is known.
func addTo(f *os.File, text []byte) (end int64, err error) {
	_, end, err = lastLine(f)
	if err != nil {
		_ = f.Close() // nothing was written
		return 0, err
	}
	if err := errors.Join(writeAt(f, text, end), f.Close()); err != nil {
		_ = os.Truncate(f.Name(), end) // the rest is an incomplete line, or not acknowledged
		return end, unavailable(err)
	}
	return end, nil
}

// writeAt replaces everything from end on by text and syncs the file.
func writeAt(f *os.File, text []byte, end int64) error {
	if err := f.Truncate(end); err != nil {
		return err
	}
	if _, err := f.WriteAt(text, end); err != nil {
		return err
	}
	return f.Sync()
}

// gitignore makes git ignore files that are not rulesets.
const gitignore = ".gitignore\n" + lockName + "\n" + tempName + "\n" + batchGlob + "\n" + movesName + "\n" + historyDir + "/\n"

// makeDir creates the folder of the histories and, if there is none, a
// .gitignore next to it.
func (h *histories) makeDir() error {
	if err := os.Mkdir(filepath.Join(h.folder.dir, historyDir), 0o755); errors.Is(err, fs.ErrExist) {
		return nil
	} else if err != nil {
		return unavailable(err)
	}
	f, err := os.OpenFile(filepath.Join(h.folder.dir, ".gitignore"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err == nil {
		_, err = f.WriteString(gitignore)
		err = errors.Join(err, f.Close())
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return unavailable(err)
	}
	return h.folder.sync()
}

// reconcile records changes that other programs made to a file, and returns the
// document at its current revision. The caller must hold the lock.
func (s *Store) reconcile(name ruleset.Name) (document, error) {
	d, readErr := s.read(name)
	_, missing := errors.AsType[*ruleset.NotFoundError](readErr)
	if readErr != nil && !missing {
		return d, readErr
	}
	head, err := s.history.head(name)
	if err != nil {
		return d, err
	}
	if missing {
		if head.Rev > 0 && !head.Deleted {
			gone := record{Rev: head.Rev + 1, At: s.now().UTC().Truncate(time.Second), Author: ruleset.ByHand, Deleted: true}
			if gone.Files, err = s.recordFiles(name, s.present(name, &head)); err != nil {
				return d, err
			}
			if _, err := s.history.append(name, gone); err != nil {
				return d, err
			}
		}
		return d, readErr
	}
	d.ruleset.Extra, d.ruleset.Files = d.extra(), s.present(name, &head)
	if !head.has(d.ruleset) {
		if d.ruleset.Files, err = s.recordFiles(name, d.ruleset.Files); err != nil {
			return d, err
		}
		by, at := s.origins.authorOf(name, contentSum(d.sum, d.ruleset.Files)), d.changedAt()
		if head.Rev == 0 {
			by, at = ruleset.By{}, d.ruleset.LastModified // it existed before its history began
		}
		head = newRecord(head.Rev+1, at, by, d.ruleset)
		_, err = s.history.append(name, head)
	}
	adopt(&d, head)
	return d, err
}

// changedAt returns the time of the last change of a file, as far as the file
// shows it.
func (d *document) changedAt() time.Time {
	if d.modified.After(d.ruleset.LastModified) {
		return d.modified
	}
	return d.ruleset.LastModified
}

// adopt sets the revision of a document to the one with its content. For a file
// edited by hand, the front matter gives the time of the change before.
func adopt(d *document, head record) {
	d.ruleset.Rev = head.Rev
	if head.byOthers() && head.At.After(d.ruleset.LastModified) {
		d.ruleset.LastModified = head.At
	}
}

// byOthers reports whether the content was written by hand or by git.
func (r *record) byOthers() bool { return r.Author == ruleset.ByHand || r.Client == gitClient }

// place finds the revision of a document that was just read, and records a new
// one. It does not record anything if the folder is not writable or git is
// changing it; it then sets the number that the revision would have.
func (s *Store) place(ctx context.Context, name ruleset.Name, d *document) error {
	d.ruleset.Extra = d.extra()
	head, err := s.history.head(name)
	if err != nil {
		return err
	}
	d.ruleset.Files = s.present(name, &head)
	if head.has(d.ruleset) {
		adopt(d, head)
		return nil
	}
	if !s.learnOrigins(ctx, name) {
		var recorded document
		err = s.lockedIn(ctx, func() error {
			recorded, err = s.reconcile(name)
			return err
		})
		if err == nil {
			*d = recorded
			return nil
		}
	}
	if _, gone := errors.AsType[*ruleset.NotFoundError](err); gone {
		return err
	}
	adopt(d, newRecord(head.Rev+1, d.changedAt(), ruleset.By{}, d.ruleset))
	return nil
}

// History implements [ruleset.Store].
func (s *Store) History(ctx context.Context, name ruleset.Name) ([]ruleset.Revision, error) {
	_ = s.learnOrigins(ctx, name)                                                 // those of a commit that is not there yet are by hand
	_ = s.lockedIn(ctx, func() error { _, err := s.reconcile(name); return err }) // what is recorded counts
	return s.history.revisions(name)
}

// revisions returns the history of a ruleset, newest first.
func (h *histories) revisions(name ruleset.Name) ([]ruleset.Revision, error) {
	var all []ruleset.Revision
	err := h.eachRecord(name, func(_ []byte, r ruleset.Revision) {
		all = append(all, r)
	})
	if err == nil && len(all) == 0 {
		err = &ruleset.NotFoundError{Name: name}
	}
	slices.Reverse(all)
	return all, err
}

// eachRecord calls use with the lines of a history and their revisions, oldest
// first.
func (h *histories) eachRecord(name ruleset.Name, use func(line []byte, r ruleset.Revision)) error {
	return eachLine(h.path(name), func(line []byte) error {
		var r record
		if err := json.Unmarshal(line, &r); err != nil {
			return fmt.Errorf("the history of %s cannot be read: %w", name, err)
		}
		use(line, r.revision(name))
		return nil
	})
}

// eachLine calls use with the complete lines of a file, which may be missing. An
// incomplete last line is being written, or its writer was killed.
func eachLine(path string, use func(line []byte) error) error {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unavailable(err)
	}
	for line := range bytes.Lines(data) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			return nil
		}
		if err := use(line); err != nil {
			return err
		}
	}
	return nil
}

// syncDir syncs a folder, and with it the names of its files.
func syncDir(path string) error {
	if err := atomicfile.SyncDir(path); err != nil {
		return unavailable(err)
	}
	return nil
}
