package project

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/triptych-mcp/triptych/rulesets/editors"
)

// A Choice determines how files that were changed in the project are handled.
type Choice int

// The choices.
const (
	Stop   Choice = iota // nothing is written
	Theirs               // they get the content that the rulesets give
	Ours                 // they stay as they are
)

// A BlockedError reports items that need a decision.
type BlockedError struct{ Items []Item }

func (e *BlockedError) Error() string {
	if len(e.Items) == 1 {
		return "1 file needs a decision; no rule file was written"
	}
	return fmt.Sprintf("%d files need a decision; no rule file was written", len(e.Items))
}

// A Report lists the files that a run changed and those that it left.
type Report struct {
	Written, Removed []string // paths
	Left             []Item   // items that need a decision
}

// Apply writes a plan. Files that were changed here stop it before anything is
// written, unless choice says otherwise. Files of others, links, files that cannot be
// read, and changed blocks with rules that the plan does not have always stay; the other
// files are written.
func (p *Project) Apply(plan Plan, choice Choice) (Report, error) {
	var r Report
	var todo, undecided, unwanted []Item
	for _, i := range plan.Items {
		switch mayReplace := choice == Theirs && i.Err == nil && i.State != Foreign && !i.Retains; {
		case i.Blocked() && !mayReplace:
			r.Left = append(r.Left, i)
			if i.Err == nil && i.State != Foreign {
				undecided = append(undecided, i)
			}
		case i.State == Unwanted:
			unwanted = append(unwanted, i)
		case i.State != Clean:
			todo = append(todo, i)
		}
	}
	if len(undecided) > 0 && choice == Stop {
		return r, &BlockedError{undecided}
	}
	p.disk.sweep(p.lockFile)
	p.disk.sweep(SelectionFile)
	if err := p.removeLeftOut(unwanted, &r); err != nil || len(todo) == 0 {
		return r, err
	}
	if err := p.announce(todo); err != nil {
		return r, err
	}
	for _, i := range todo {
		if err := p.applyItem(i, &r); err != nil {
			return r, err // the lock says what is under way: the next run goes on
		}
	}
	return r, p.settleLock(todo)
}

// announce records the new contents in the lock before they are written.
func (p *Project) announce(todo []Item) error {
	entries := p.Lock.byPath()
	changes := false
	for _, i := range todo {
		if !i.changes() {
			continue
		}
		changes = true
		e := entryOf(i)
		if e.Was = absent; i.Exists {
			e.Was = Sum(i.Have)
		}
		if i.Content == nil {
			e.Sum, e.Parts = absent, i.Locked.Parts
		}
		entries[i.Path] = e
	}
	if !changes {
		return nil
	}
	return p.writeLock(entries)
}

// settleLock records in the lock the contents that were written.
func (p *Project) settleLock(done []Item) error {
	entries := p.Lock.byPath()
	for _, i := range done {
		if i.Content == nil {
			delete(entries, i.Path)
			continue
		}
		entries[i.Path] = entryOf(i)
	}
	return p.writeLock(entries)
}

func entryOf(i Item) Entry {
	wasThere := i.Locked.Path == "" && i.State == Converged && !i.Shared && !i.Whole
	return Entry{Path: i.Path, Shared: i.Shared, Sum: Sum(i.Content), Found: i.Locked.Found || wasThere, Parts: i.Parts}
}

func (p *Project) writeLock(entries map[string]Entry) error {
	lock := Lock{}
	for _, e := range entries {
		lock.Entries = append(lock.Entries, e)
	}
	text := lock.Text()
	if p.lockFile == LocalLockFile {
		text = bytes.Replace(text, []byte(", for git to keep"), []byte(" for "+LocalFile), 1)
	}
	if err := p.disk.write(p.lockFile, text); err != nil {
		return err
	}
	p.Lock, p.HasLock = lock, true
	return nil
}

// applyItem writes the content of one item.
func (p *Project) applyItem(i Item, r *Report) error {
	if i.Locked.Was != "" { // an interrupted run was about to write it
		p.disk.sweep(i.Path)
	}
	if !i.changes() {
		return nil
	}
	data, exists, err := p.disk.read(i.Path)
	if err != nil {
		return err
	}
	content, remove := i.Content, i.Content == nil
	if i.Shared {
		block, err := blockOf(data, i)
		if err != nil {
			return err
		}
		content = block.Join(string(i.Content))
		remove = remove && len(content) == 0
	} else if exists != i.Exists || !bytes.Equal(data, i.Have) {
		return fmt.Errorf("%s: %w", i.Path, errChanged)
	}
	if i.Content == nil && !i.Exists {
		return nil
	}
	if remove {
		r.Removed = append(r.Removed, i.Path)
		return p.disk.remove(i.Path)
	}
	r.Written = append(r.Written, i.Path)
	return p.disk.write(i.Path, content)
}

// WriteSelection writes the selection file. A plugin has its name in it, since the folder of a
// clone may have another one.
func (p *Project) WriteSelection() (err error) {
	if slices.Contains(p.Selection.Targets, editors.PluginTarget) && p.Selection.Plugin.Name == "" {
		if p.Selection.Plugin.Name, err = p.folderName(); err != nil {
			return err
		}
	}
	text, err := p.Selection.Text()
	if err != nil {
		return err
	}
	p.HasFile, p.saved = true, p.Selection
	return p.disk.write(SelectionFile, text)
}

func isFile(path string) bool {
	info, err := os.Lstat(filepath.Clean(path))
	return err == nil && info.Mode().IsRegular()
}

// errChanged is returned for a file that changes while a plan is applied.
var errChanged = errors.New("it was changed while triptych was at work; run it again")

// blockOf returns the block of a shared file, which must be as the plan saw it.
func blockOf(data []byte, i Item) (editors.Block, error) {
	block, err := editors.SplitBlock(data)
	if err == nil && (block.Found != i.Exists || block.Text != string(i.Have)) {
		err = errChanged
	}
	if err != nil {
		return block, fmt.Errorf("%s: %w", i.Path, err)
	}
	return block, nil
}
