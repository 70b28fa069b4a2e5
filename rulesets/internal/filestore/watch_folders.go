package filestore

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// The folders with the files of rulesets, and those that are rulesets by themselves, have a
// depth that system watches do not cover. Polls compare them.

// A folderState summarizes the files of a ruleset.
type folderState struct {
	sum  [sha256.Size]byte // of the paths and the stamps
	main bool              // there is a SKILL.md, and no other file with the text
	gone bool              // SKILL.md was missing at the last poll: it may be being replaced
}

// same reports whether two states have the same files.
func (f folderState) same(other folderState) bool { return f.sum == other.sum && f.main == other.main }

// filesState returns the state of a ruleset's folder, the zero value if there is none.
func (f folder) filesState(name ruleset.Name) (state folderState) {
	root, err := f.openFiles(name)
	if err != nil {
		return folderState{}
	}
	defer func() { _ = root.Close() }() // it was only read
	sums, n := sha256.New(), 0
	_ = fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error { // what cannot be read is not compared
		if err != nil {
			return nil
		}
		if passed, skip := passesOver(p, d); passed {
			return skip
		}
		if info, err := d.Info(); err == nil {
			fmt.Fprintln(sums, stampOf(info), p)
		}
		state.main = state.main || p == ruleset.MainFile
		if n++; n > ruleset.MaxFiles {
			return fs.SkipAll
		}
		return nil
	})
	sums.Sum(state.sum[:0])
	_, hasText := f.stampOf(name)
	state.main = state.main && !hasText
	return state
}

// lookAtFolders compares the folders of a poll, and those that have gone, and tells of
// changes.
func (w *watch) lookAtFolders(present map[ruleset.Name]struct{}) {
	for name := range w.folders {
		present[name] = struct{}{}
	}
	for _, name := range slices.Sorted(maps.Keys(present)) {
		w.lookAtFolder(name)
	}
}

func (w *watch) lookAtFolder(name ruleset.Name) {
	if c := w.compareFolder(name, true); c.Kind != 0 {
		w.tell(c)
	}
}

// compareFolder notes the state of a folder and returns what became of the ruleset, the zero
// Change if nothing did. With doubt, a SKILL.md that is missing counts as there until the next
// call.
func (w *watch) compareFolder(name ruleset.Name, doubt bool) ruleset.Change {
	before, now := w.folders[name], w.store.folder.filesState(name)
	if before.same(now) {
		if before.gone {
			w.folders[name] = now
		}
		return ruleset.Change{}
	}
	_, hasText := w.seen[name]
	if before.main && !now.main && !hasText && doubt && !before.gone {
		before.gone = true
		w.folders[name] = before
		return ruleset.Change{}
	}
	if w.folders[name] = now; now == (folderState{}) {
		delete(w.folders, name)
	}
	switch {
	case hasText, before.main && now.main:
		return ruleset.Change{Kind: ruleset.Updated, Name: name}
	case now.main:
		return ruleset.Change{Kind: ruleset.Created, Name: name}
	case before.main:
		return ruleset.Change{Kind: ruleset.Deleted, Name: name}
	}
	return ruleset.Change{} // files without a text
}

// withFolder notes the state of the folder of a ruleset of whose file it is known what became
// of it, and returns what became of the ruleset: with a SKILL.md in the folder it is there
// without the file as well.
func (w *watch) withFolder(name ruleset.Name, file ruleset.Change) ruleset.Change {
	before := w.folders[name].main
	inFolder := w.compareFolder(name, false)
	switch {
	case file.Kind == 0:
		return inFolder
	case file.Kind == ruleset.Created && before, file.Kind == ruleset.Deleted && w.folders[name].main:
		return ruleset.Change{Kind: ruleset.Updated, Name: name}
	}
	return file
}

// isFilesFolder reports whether an entry of the folder of the store may have files of a
// ruleset, or be one.
func (f folder) isFilesFolder(d fs.DirEntry) (ruleset.Name, bool) {
	name, ok := nameOfFolder(d.Name())
	return name, ok && d.IsDir() && f.holdsRuleset(d.Name())
}
