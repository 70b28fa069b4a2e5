package project

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/triptych-mcp/triptych/rulesets/editors"
)

// A State compares the content that rulesets give a file, the one that was written
// last and the one on disk.
type State string

// The states.
const (
	Clean         State = "clean"          // all are the same
	Pending       State = "pending"        // the rulesets changed
	Drift         State = "drift"          // the file was changed here
	Converged     State = "converged"      // both changed, to the same content
	Conflict      State = "conflict"       // both changed, to different ones
	New           State = "new"            // it is not there yet
	Foreign       State = "foreign"        // there is a file that was not written by us
	Orphan        State = "orphan"         // no ruleset makes it any more
	OrphanDrifted State = "orphan-drifted" // neither, and it was changed here
	Unwanted      State = "unwanted"       // one person leaves it out
)

// States lists all states with their meaning, for help.
var States = []struct {
	State   State
	Meaning string
}{
	{Clean, "as the rulesets give it"},
	{New, "not written yet"},
	{Pending, "the rulesets changed"},
	{Drift, "changed or deleted here"},
	{Conflict, "the rulesets changed, and the file was changed here"},
	{Converged, "changed here and in the rulesets, to the same text"},
	{Foreign, "a file that triptych did not write is in its place"},
	{Orphan, "no selected ruleset makes it any more"},
	{OrphanDrifted, "the same, and it was changed here"},
	{Unwanted, LocalFile + " leaves it out"},
}

// An Item is a file, or a block in a shared file, of a plan.
type Item struct {
	editors.File       // Content is the one that the rulesets give; nil for orphans
	State        State // "" if Err is not nil
	Have         []byte
	Exists       bool  // the file, or the block, is on disk
	Locked       Entry // the zero Entry if it was never written
	Err          error // the reason why it can neither be read nor written
	LeftOut      bool  // [LocalFile] leaves it out

	// Retains is true for a block with rules that a narrowed plan does not have, which
	// are in Content as they are on disk.
	Retains bool
}

// Blocked reports whether the item needs a decision.
func (i Item) Blocked() bool {
	switch i.State {
	case Drift, Conflict, Foreign, OrphanDrifted:
		return true
	}
	return i.Err != nil
}

// A Plan is the state of a project.
type Plan struct {
	Items    []Item // sorted by path
	Notes    []editors.Note
	Warnings []string
	Linked   []string // links at which nothing is to be done, with the files that they lead to
}

// A Project is an open project folder.
type Project struct {
	Dir       string
	Selection Selection
	HasFile   bool // there is a selection file
	Lock      Lock
	HasLock   bool
	saved     Selection // that of the selection file
	Local     Local     // of one person
	hasLocal  bool      // there is a local file
	localLock Lock
	lockFile  string // [LockFile], or [LocalLockFile]
	disk      *disk
	links     links
}

// Open reads the selection and the lock of a folder. Both may be missing.
func Open(dir string) (*Project, error) {
	d, err := openDisk(dir)
	if err != nil {
		return nil, err
	}
	p := &Project{Dir: dir, lockFile: LockFile, disk: d, links: links{dir, d}}
	if err := p.load(); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

func (p *Project) load() error {
	data, exists, err := p.disk.read(SelectionFile)
	if err != nil {
		return err
	}
	if p.HasFile = exists; exists {
		if p.Selection, err = ParseSelection(data); err != nil {
			return err
		}
		p.saved = p.Selection
	}
	data, exists, err = p.disk.read(LockFile)
	if err != nil {
		return err
	}
	if p.HasLock = exists; exists {
		p.Lock, err = ParseLock(data)
	}
	return errors.Join(err, p.loadLocal())
}

// Close releases the folder.
func (p *Project) Close() { p.disk.close() }

// FindRoot returns the nearest folder at or above dir with a [SelectionFile] or a
// [LockFile], dir if there is none.
func FindRoot(dir string) string {
	for folder := dir; ; {
		for _, name := range []string{SelectionFile, LockFile} {
			if isFile(filepath.Join(folder, name)) {
				return folder
			}
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return dir
		}
		folder = parent
	}
}

// Plan compares rulesets with the project. Names of clients in only narrow it, and so
// does a Selection that is not the one of the selection file: no file is an orphan then,
// since the rulesets that were left out may make it, and a block retains the rules that
// were written into it and that this plan does not have.
func (p *Project) Plan(all Set, only []string) (Plan, error) {
	names := p.Selection.Targets
	if len(only) > 0 {
		names = only
	}
	clients, err := editors.Targets(names)
	if err != nil {
		return Plan{}, err
	}
	rules, warnings := rulesOf(all)
	p.markInPlace(rules)
	rendered, err := editors.RenderIn(rules, clients, p.site())
	if err != nil {
		return Plan{}, err
	}
	files, linked := p.throughLinks(rendered.Files)
	plan := Plan{Linked: linked, Notes: rendered.Notes, Warnings: append(warnings, rendered.Warnings...)}
	if slices.Contains(names, editors.PluginTarget) {
		ofPlugin, err := p.addPlugin(&plan, rules)
		if err != nil {
			return Plan{}, err
		}
		files = append(files, ofPlugin...)
	}
	plan.Items = p.items(files, len(only) > 0 || p.narrowed())
	slices.SortFunc(plan.Items, func(a, b Item) int { return strings.Compare(a.Path, b.Path) })
	plan.Warnings = append(plan.Warnings, p.overBudgets(plan, clients)...)
	if p.ignoresFiles() {
		plan.missingAreNew()
	}
	if len(only) == 0 && !p.narrowed() {
		p.leaveOut(&plan)
	}
	return plan, nil
}

// missingAreNew marks files that are not here as new where git ignores them: a clone has the
// lock without them.
func (p *Plan) missingAreNew() {
	for at := range p.Items {
		i := &p.Items[at]
		if isMissing := !i.Exists && !i.Shared && i.Err == nil; isMissing && (i.State == Drift || i.State == Conflict) {
			i.State = New
		}
	}
}

// site returns the project as files are rendered for it.
func (p *Project) site() editors.Site {
	read := func(file string) (string, bool) {
		data, exists, err := p.links.read(file)
		return string(data), err == nil && exists
	}
	locked := p.Lock.byPath()
	return editors.Site{IsDir: p.disk.isDir, Exists: p.links.exists, Real: p.links.real, Read: read, Keeps: func(file string, content []byte) bool {
		if entry, known := locked[file]; known {
			return entry.Found
		}
		data, exists, err := p.disk.read(file)
		return err == nil && exists && bytes.Equal(normal(data), normal(content))
	}}
}

// narrowed reports whether the selection differs from that of the selection file.
func (p *Project) narrowed() bool {
	return p.HasFile && (p.Selection.Label != p.saved.Label || !slices.Equal(p.Selection.Select, p.saved.Select))
}

// items reads the files that the rules are written to and, unless the plan is narrowed, the
// files of the lock that no rule is written to any more.
func (p *Project) items(files []editors.File, narrowed bool) []Item {
	locked, seen := p.Lock.byPath(), map[string]bool{}
	for _, file := range files {
		seen[file.Path] = true
	}
	for _, entry := range p.Lock.Entries {
		if !narrowed && !seen[entry.Path] {
			files = append(files, editors.File{Path: entry.Path, Shared: entry.Shared})
		}
	}
	items := make([]Item, len(files))
	var readers errgroup.Group
	readers.SetLimit(runtime.GOMAXPROCS(0))
	for batch := range slices.Chunk(indexes(len(files)), 64) {
		readers.Go(func() error {
			for _, i := range batch {
				items[i] = p.item(files[i], locked[files[i].Path], narrowed)
			}
			return nil
		})
	}
	_ = readers.Wait() // an item has its own error
	return items
}

func indexes(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// rulesOf returns rulesets as rules, and a warning for each key that cannot be read.
func rulesOf(all Set) (rules []editors.Rule, warnings []string) {
	for _, r := range all.Rulesets {
		rule, problems := editors.FromRuleset(r)
		rule.Files = all.Files[r.Name]
		rules = append(rules, rule)
		for _, problem := range problems {
			warnings = append(warnings, fmt.Sprintf("ruleset '%s': %s: the key is ignored", r.Name, problem))
		}
	}
	return rules, warnings
}

// item reads a file and finds its state.
func (p *Project) item(file editors.File, entry Entry, narrowed bool) Item {
	i := Item{File: file, Locked: entry}
	data, exists, err := p.disk.read(file.Path)
	if err == nil && exists {
		i.Locked = reshaped(file, entry, data)
	}
	if narrowed && file.Whole && !i.sameParts() {
		i.State, i.Content, i.Have, i.Exists = Clean, data, data, exists
		return i
	}
	if err == nil && file.Shared {
		var block editors.Block
		if block, err = editors.SplitBlock(data); err == nil && narrowed {
			err = i.retain(block)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", file.Path, err)
		}
		data, exists = []byte(block.Text), block.Found
	}
	if err != nil {
		i.Err = err
		return i
	}
	i.Have, i.Exists = data, exists
	i.State = i.classify()
	return i
}

// sameParts reports whether the rules that were written into the file are in the plan.
func (i *Item) sameParts() bool {
	return !slices.ContainsFunc(i.Locked.Parts, func(part editors.Part) bool {
		return !slices.ContainsFunc(i.Parts, func(p editors.Part) bool { return p.Name == part.Name })
	})
}

// errInterrupted is returned for a block that an interrupted pull has left: it is not
// known from which revisions the rules in it were written.
var errInterrupted = errors.New("a pull was interrupted; pull without --select, --label and --target first")

// retain adds to the content of a block the rules that were written into it and that
// the plan does not have, as they are on disk.
func (i *Item) retain(block editors.Block) error {
	var others []editors.Part
	for _, part := range i.Locked.Parts {
		if !slices.ContainsFunc(i.Parts, func(p editors.Part) bool { return p.Name == part.Name }) {
			others = append(others, part)
		}
	}
	if len(others) == 0 || !block.Found {
		return nil
	}
	if i.Locked.Was != "" {
		return errInterrupted
	}
	var err error
	i.File, err = i.File.Retain(block, others)
	i.Retains = true
	return err
}

// classify returns the state of an item that was read.
func (i *Item) classify() State {
	known := i.Locked.Path != ""
	have := absent
	if i.Exists {
		have = Sum(i.Have)
	}
	unchanged := known && (have == i.Locked.Sum || i.Locked.Was != "" && have == i.Locked.Was)
	if i.Content == nil {
		if unchanged || !i.Exists {
			return Orphan
		}
		return OrphanDrifted
	}
	want := Sum(i.Content)
	switch {
	case !known && !i.Exists:
		return New
	case i.Retains && have == want && !unchanged:
		return Drift // perhaps in the rules that the plan does not have
	case have == want && known && i.Locked.Sum == want && slices.Equal(i.Parts, i.Locked.Parts) && i.Locked.Was == "":
		return Clean
	case have == want && unchanged:
		return Pending // the revisions are new, the text is not
	case have == want:
		return Converged
	case !known:
		return Foreign
	case unchanged:
		return Pending
	case i.Locked.Sum == want:
		return Drift
	}
	return Conflict
}

// changes reports whether the bytes on disk differ from those that the rulesets give.
func (i *Item) changes() bool {
	return !i.Exists || i.Content == nil || !bytes.Equal(normal(i.Have), normal(i.Content))
}

// normal returns a text with line ends of \n, which checkouts of git change. Content with
// a NUL is no text and stays as it is.
func normal(content []byte) []byte {
	if !bytes.Contains(content, []byte("\r\n")) || bytes.IndexByte(content, 0) >= 0 {
		return content
	}
	return bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
}
