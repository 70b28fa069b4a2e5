package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/consumers"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/transport/audit"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/quota"
)

// Format is the version of the format. A program does not read backups of a later one.
const Format = 1

// A Source holds the data that is copied. A part that is nil is left out.
type Source struct {
	Rulesets ruleset.Store
	Keys     keys.Store
	Counts   func(ctx context.Context) ([]quota.Count, error)
	Trail    *audit.Log
	// Consumers is the record of who has which rulesets.
	Consumers consumers.Book
	Data      string // the data folder; "" for none
	// Personal includes what users downloaded from the site of the puzzles with accounts
	// of their own, which must not be passed on. Their session cookies are never included.
	Personal bool
	Program  string // the version of the program, for people
	Now      time.Time
}

// A Manifest lists what a backup has.
type Manifest struct {
	Format  int       `json:"format"`
	Program string    `json:"program"`
	Made    time.Time `json:"made"`
	Entries []Entry   `json:"entries"`
}

// An Entry is one file of a backup.
type Entry struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Count returns the number of entries in a folder of the backup.
func (m *Manifest) Count(folder string) (n int) {
	for _, e := range m.Entries {
		if strings.HasPrefix(e.Name, folder+"/") {
			n++
		}
	}
	return n
}

// Write writes a backup.
func Write(ctx context.Context, to io.Writer, s Source) (*Manifest, error) {
	w := newWriter(to)
	steps := []func(context.Context, *writer) error{s.rulesets, s.keys, s.counts, s.trail, s.consumers, s.files}
	for _, step := range steps {
		if err := step(ctx, w); err != nil {
			return nil, err
		}
	}
	m := &Manifest{Format: Format, Program: s.Program, Made: s.Now.UTC().Truncate(time.Second), Entries: w.entries}
	return m, w.close(m)
}

// rulesets writes all rulesets with their history.
func (s Source) rulesets(ctx context.Context, w *writer) error {
	if s.Rulesets == nil {
		return nil
	}
	archive, ok := ruleset.ArchiveOf(s.Rulesets)
	if !ok {
		return errors.New("rulesets in the memory of a process cannot be copied")
	}
	names, err := archive.Recorded(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		c, err := copyOf(ctx, s.Rulesets, name)
		if isGone(err) {
			continue // a file without a history that was removed meanwhile
		}
		if err != nil {
			return fmt.Errorf("ruleset %s: %w", name, err)
		}
		if err := s.skill(ctx, w, c); err != nil {
			return fmt.Errorf("ruleset %s: %w", name, err)
		}
		text, err := encodeCopy(&c, entryLimits)
		if err != nil {
			return fmt.Errorf("ruleset %s: %w", name, err)
		}
		if err := w.add("rulesets/"+string(name)+".json", 0o600, text); err != nil {
			return err
		}
	}
	return s.proposals(ctx, w)
}

// proposals writes the log of proposals, if there are any.
func (s Source) proposals(ctx context.Context, w *writer) error {
	moves, err := s.Rulesets.LabelMoves(ctx, ruleset.ProposalLog)
	if err != nil || len(moves) == 0 {
		return err
	}
	moves = slices.Clone(moves)
	slices.Reverse(moves)
	text, err := encodeCopy(&ruleset.Copy{Name: ruleset.ProposalLog, Moves: moves}, entryLimits)
	if err != nil {
		return fmt.Errorf("the proposals: %w", err)
	}
	return w.add("rulesets/"+string(ruleset.ProposalLog)+".json", 0o600, text)
}

// skill writes the files that a ruleset has or had, each content once.
func (s Source) skill(ctx context.Context, w *writer, c ruleset.Copy) error {
	store, ok := ruleset.FilesOf(s.Rulesets)
	if !ok {
		return nil
	}
	for _, f := range c.AllFiles() {
		data, err := store.ReadRevised(ctx, c.Name, f)
		if err != nil {
			return err
		}
		if err := w.bounded("skills/"+string(c.Name)+"/"+f.SHA256.String(), 0o644, data, maxFileSize); err != nil {
			return err
		}
	}
	return nil
}

// isGone reports whether an error says that a ruleset is not there.
func isGone(err error) bool {
	_, ok := errors.AsType[*ruleset.NotFoundError](err)
	return ok
}

// copyTries limits how often a ruleset is read that changes meanwhile.
const copyTries = 100

// copyOf reads a ruleset with its history as they are at one time.
func copyOf(ctx context.Context, store ruleset.Store, name ruleset.Name) (ruleset.Copy, error) {
	for range copyTries {
		c, err := readCopy(ctx, store, name)
		if err != nil {
			return c, err
		}
		again, err := store.History(ctx, name)
		if err != nil {
			return c, err
		}
		newest := again[0]
		if newest.Number == c.Revisions[len(c.Revisions)-1].Number && newest.Deleted == (c.Current == nil) && (c.Current == nil || c.Current.Rev == newest.Number) {
			return c, nil
		}
	}
	return ruleset.Copy{}, errors.New("it is changed all the time")
}

// readCopy reads the parts of a ruleset one after the other. The moves are read before
// the revisions: a label must not name a revision that is not copied.
func readCopy(ctx context.Context, store ruleset.Store, name ruleset.Name) (ruleset.Copy, error) {
	c := ruleset.Copy{Name: name}
	var err error
	if c.Moves, err = store.LabelMoves(ctx, name); err != nil && !isGone(err) {
		return c, err
	}
	if c.Revisions, err = store.History(ctx, name); err != nil {
		return c, err
	}
	for i := range c.Revisions {
		if c.Revisions[i].Deleted { // stores differ in what they fill in
			c.Revisions[i].Content = ruleset.Ruleset{Meta: ruleset.Meta{Name: name}, Files: c.Revisions[i].Content.Files}
		}
	}
	c.Moves = append([]ruleset.LabelMove{}, c.Moves...)
	slices.Reverse(c.Moves)
	slices.Reverse(c.Revisions)
	r, err := store.Get(ctx, name)
	switch {
	case err == nil:
		r.Summary = ruleset.Summary{} // of lists only
		c.Current = &r
		asRecorded(&c)
	case !isGone(err):
		return c, err
	}
	return c, nil
}

// asRecorded makes a ruleset that is a folder what its history says: the folder's times are
// those of its files, and a server of rulesets has no folders.
func asRecorded(c *ruleset.Copy) {
	first, last := c.Revisions[0], c.Revisions[len(c.Revisions)-1]
	if c.Current.Folder = last.Content.Folder; c.Current.Folder {
		c.Current.CreatedAt, c.Current.LastModified = first.At, last.At
	}
}

func (s Source) keys(ctx context.Context, w *writer) error {
	if s.Keys == nil {
		return nil
	}
	records, err := s.Keys.List(ctx)
	if err != nil || len(records) == 0 {
		return err
	}
	return writeArray(w, keysEntry, records)
}

func (s Source) counts(ctx context.Context, w *writer) error {
	if s.Counts == nil {
		return nil
	}
	counts, err := s.Counts(ctx)
	if err != nil || len(counts) == 0 {
		return err
	}
	return writeArray(w, countsEntry, counts)
}

// The names of entries with one JSON array each.
const (
	keysEntry      = "keys.json"
	countsEntry    = "counts.json"
	consumersEntry = "consumers.json"
)

func (s Source) consumers(ctx context.Context, w *writer) error {
	if s.Consumers == nil {
		return nil
	}
	all, err := s.Consumers.All(ctx)
	if err != nil || len(all) == 0 {
		return err
	}
	return writeArray(w, consumersEntry, all)
}

// trail writes the chains of the audit trail, each through a file: the size of an entry
// comes before its bytes.
func (s Source) trail(ctx context.Context, w *writer) error {
	if s.Trail == nil {
		return nil
	}
	return copyTrail(ctx, w, s.Trail.Chains)
}

// chainTries limits how often a chain is read of which a part is deleted meanwhile.
const chainTries = 8

// copyTrail writes the chains that read returns, and reads those again that change.
func copyTrail(ctx context.Context, w *writer, read func(context.Context) ([]audit.ChainCopy, error)) error {
	chains, err := read(ctx)
	if err != nil {
		return err
	}
	for _, c := range chains {
		if err := copyChain(ctx, w, c, read); err != nil {
			return fmt.Errorf("audit trail: chain %s: %w", c.ID, err)
		}
	}
	return nil
}

// copyChain writes a chain, unless it was deleted meanwhile. Lines with a gap are not written.
func copyChain(ctx context.Context, w *writer, c audit.ChainCopy, read func(context.Context) ([]audit.ChainCopy, error)) error {
	for try := 1; ; try++ {
		err := w.lines("audit/"+c.ID+".jsonl", c.Lines)
		if err == nil {
			return w.bounded("audit/"+c.ID+".head", 0o600, c.Head, maxHeadSize)
		}
		if !errors.Is(err, audit.ErrChanging) || try == chainTries {
			return err
		}
		chains, err := read(ctx)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(chains, func(now audit.ChainCopy) bool { return now.ID == c.ID })
		if at < 0 {
			return nil
		}
		c = chains[at]
	}
}

// keptFiles are the parts of a data folder that no store has: its puzzles and speeds, the
// key pair of the trail and the certificate.
var keptFiles = []string{"aoc", "audit/signing.key", "audit/signing.pub", "audit/rotations.json", "tls", "traces"}

// files writes files of the data folder.
func (s Source) files(_ context.Context, w *writer) error {
	if s.Data == "" {
		return nil
	}
	for _, kept := range keptFiles {
		err := filepath.WalkDir(filepath.Join(s.Data, filepath.FromSlash(kept)), func(file string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			inside, err := filepath.Rel(s.Data, file)
			if err != nil {
				return err
			}
			switch inside = filepath.ToSlash(inside); {
			case inside == personalFolder && !s.Personal:
				return fs.SkipDir
			case !d.Type().IsRegular(), isTemporary(d.Name()), isCookie(inside):
				return nil
			}
			return w.file("data/"+inside, file)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// personalFolder has a folder for each user, with downloads and the session cookie.
const personalFolder = "aoc/personal"

// HasPersonal reports whether a data folder has downloads of users.
func HasPersonal(data string) bool {
	_, err := os.Stat(filepath.Join(data, filepath.FromSlash(personalFolder)))
	return err == nil
}

// isCookie reports whether a file of the data folder is a session cookie.
func isCookie(name string) bool {
	ok, err := path.Match(personalFolder+"/*/session", name)
	return err == nil && ok
}

// isTemporary reports whether a file is a lock, or is being written.
func isTemporary(name string) bool { return strings.HasPrefix(name, ".") || name == "lock" }

// Read checks a backup: its format, and size and hash of every entry.
func Read(from io.Reader) (*Manifest, error) {
	var m *Manifest
	var found []Entry
	seen := map[string]bool{}
	err := each(from, func(name string, content io.Reader) error {
		if seen[name] || !isEntry(name) {
			return fmt.Errorf("%q is no entry of a backup, or is there twice", name)
		}
		seen[name] = true
		if name != manifestName {
			return nil
		}
		m = new(Manifest)
		return decode(content, maxManifestSize, m)
	}, func(e Entry) {
		if e.Name != manifestName {
			found = append(found, e)
		}
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("this is no whole backup: %w", err)
	case m == nil:
		return nil, errors.New("this is no whole backup: its manifest is missing")
	case m.Format > Format:
		return nil, fmt.Errorf("the backup has format %d, made by triptych %s; this program knows formats up to %d: use a newer one", m.Format, m.Program, Format)
	case !slices.Equal(found, m.Entries):
		return nil, errors.New("the backup is damaged: its entries are not those of its manifest")
	}
	return m, nil
}

// decode reads a JSON value of at most so many bytes, which is all of a content.
func decode(content io.Reader, limit int64, value any) error {
	text, err := readAll(content, limit)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, value)
}

// A Target takes a backup that is restored. Its parts must be empty or have a part of the
// backup; one that is nil is left out.
type Target struct {
	Source // which is read to compare

	Meter quota.Meter
}

// An adopter is a store of keys that takes records of another.
type adopter interface {
	Adopt(ctx context.Context, r keys.Record) (bool, error)
}

// Restore writes a backup that Read has checked, and compares what is there then. What is
// there as it is in the backup stays, so that a restore that was cut off can be repeated;
// for anything else it fails with a [*ConflictError] before it writes.
func Restore(ctx context.Context, from io.ReadSeeker, t Target, m *Manifest) error {
	there, err := t.Source.fits(ctx, from, m)
	if err != nil {
		return err
	}
	if err := rewind(from); err != nil {
		return err
	}
	r := &restorer{t: t, there: there}
	err = each(from, func(name string, content io.Reader) error {
		return r.entry(ctx, name, content)
	}, nil)
	if err := errors.Join(err, r.dropLines()); err != nil {
		return err
	}
	now, err := Write(ctx, io.Discard, t.Source)
	if err != nil {
		return fmt.Errorf("reading what was restored: %w", err)
	}
	return compare(m.Entries, now.Entries, t.has)
}

// has reports whether the target has the part of an entry.
func (t Target) has(entry string) bool {
	switch folder, _, _ := strings.Cut(entry, "/"); folder {
	case "rulesets", "skills":
		return t.Rulesets != nil
	case keysEntry:
		return t.Keys != nil
	case consumersEntry:
		return t.Consumers != nil
	case "audit":
		return t.Trail != nil
	case "data":
		return t.Data != ""
	}
	return false // counts go on while servers run, and end with the month
}

// compare returns an error that names what is not in a target as it was in the backup.
func compare(want, got []Entry, has func(string) bool) error {
	var wrong []string
	for _, e := range want {
		if has(e.Name) && !slices.Contains(got, e) {
			wrong = append(wrong, e.Name)
		}
	}
	if len(wrong) > 0 {
		return fmt.Errorf("restored, but not as they were: %s", strings.Join(wrong[:min(len(wrong), 10)], ", "))
	}
	return nil
}

// A restorer writes the entries of a backup.
type restorer struct {
	t     Target
	there map[string]bool // the entries that the target has as they are
	lines *os.File        // of the chain whose head comes next; nil without one
}

// entry writes one entry.
func (r *restorer) entry(ctx context.Context, name string, content io.Reader) error {
	folder, rest, _ := strings.Cut(name, "/")
	if r.there[name] || !r.t.has(name) && name != countsEntry {
		return nil
	}
	var err error
	switch folder {
	case "rulesets":
		err = r.ruleset(ctx, content)
	case "skills":
		err = r.skill(ctx, rest, content)
	case keysEntry:
		err = r.keys(ctx, content)
	case countsEntry:
		err = r.counts(ctx, content)
	case consumersEntry:
		err = r.consumers(ctx, content)
	case "audit":
		err = r.chain(ctx, rest, content)
	case "data":
		err = r.file(rest, content)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (r *restorer) consumers(ctx context.Context, content io.Reader) error {
	if r.t.Consumers == nil {
		return nil
	}
	for some, err := range elements[consumers.Consumer](content) {
		if err == nil {
			err = r.t.Consumers.Add(ctx, some)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *restorer) ruleset(ctx context.Context, content io.Reader) error {
	archive, ok := ruleset.ArchiveOf(r.t.Rulesets)
	if !ok {
		return errors.New("this store takes no rulesets with their history")
	}
	c, err := decodeCopy(content, entryLimits)
	if err != nil {
		return err
	}
	if _, err := ruleset.ParseName(string(c.Name)); err != nil && (c.Name != ruleset.ProposalLog || len(c.Revisions) > 0 || c.Current != nil) {
		return err
	}
	return archive.Adopt(ctx, c)
}

// skill restores the bytes of a file of a ruleset.
func (r *restorer) skill(ctx context.Context, place string, content io.Reader) error {
	word, _, _ := strings.Cut(place, "/")
	name, err := ruleset.ParseName(word)
	if err != nil {
		return err
	}
	data, err := readAll(content, maxFileSize)
	if err != nil {
		return err
	}
	archive, ok := ruleset.ArchiveOf(r.t.Rulesets)
	if !ok {
		return errors.New("this store takes no rulesets with their history")
	}
	return archive.AdoptFile(ctx, name, data)
}

func (r *restorer) keys(ctx context.Context, content io.Reader) error {
	store, ok := r.t.Keys.(adopter)
	if !ok {
		return errors.New("this store takes no keys of another")
	}
	for some, err := range elements[keys.Record](content) {
		if err != nil {
			return err
		}
		for _, record := range some { // one that is there is equal, or was made meanwhile
			if _, err := store.Adopt(ctx, record); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *restorer) counts(ctx context.Context, content io.Reader) error {
	if r.t.Meter == nil {
		return nil
	}
	for some, err := range elements[quota.Count](content) {
		if err == nil {
			err = quota.Adopt(ctx, r.t.Meter, some, r.t.Now)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// chain restores a chain when its head comes, which is the entry after its lines. Until then
// these are in a temporary file, for they may be more than the memory.
func (r *restorer) chain(ctx context.Context, name string, content io.Reader) (err error) {
	id, isHead := strings.CutSuffix(name, ".head")
	if !isHead {
		if err := r.dropLines(); err != nil {
			return err
		}
		if r.lines, err = os.CreateTemp("", "triptych-restore-*"); err != nil {
			return err
		}
		_, err = io.Copy(r.lines, content)
		return err
	}
	if r.lines == nil {
		return errors.New("a head without the lines of its chain")
	}
	head, err := readAll(content, maxHeadSize)
	if err != nil {
		return err
	}
	if _, err := r.lines.Seek(0, io.SeekStart); err != nil {
		return err
	}
	err = r.t.Trail.Adopt(ctx, audit.ChainCopy{ID: id, Head: head, Lines: linesOf(r.lines)})
	return errors.Join(err, r.dropLines())
}

// dropLines removes the temporary file, if there is one.
func (r *restorer) dropLines() error {
	f := r.lines
	if f == nil {
		return nil
	}
	r.lines = nil
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// file writes a file of the data folder, which has its name when it is whole.
func (r *restorer) file(place string, content io.Reader) error {
	file := filepath.Join(r.t.Data, filepath.FromSlash(place))
	if err := makeFolder(r.t.Data, place); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".restore-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // it has another name by then
	_, err = io.Copy(f, content)
	if err := errors.Join(err, f.Chmod(modeOf(place)), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), file) // fits has seen that there is none
}
