package filestore

import (
	"errors"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// An index holds the list of all rulesets in order. It is used only while a watch
// reports changes; otherwise lists read the folder.
//
// It is current if no name is stale and the folder's modification time has not
// changed since it was read: creations, renames and deletions change that time,
// and an edit in place causes an event. Its methods may be called concurrently.
// Callers that read files hold the lock meanwhile.
type index struct {
	mu      sync.Mutex
	watches int       // number of watches that report changes
	whole   bool      // metas has been read since the first watch began
	dirTime time.Time // of the folder when it was read
	ours    bool      // this process is changing the folder that has dirTime
	stale   map[ruleset.Name]struct{}
	metas   []ruleset.Meta // in list order
	names   []ruleset.Name // of metas, sorted
	created map[ruleset.Name]time.Time

	problems map[string]string   // reasons of files that are not served, by name
	odd      map[string]struct{} // other files that may have become problems
	folders  map[string]struct{} // folders whose contents cause no events
}

// join enables the index for a watch, leave ends that.
func (x *index) join() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.watches++
	x.whole = false
}

func (x *index) leave() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.watches--; x.watches == 0 {
		x.whole, x.metas, x.names, x.created, x.stale, x.problems, x.odd, x.folders = false, nil, nil, nil, nil, nil, nil, nil
	}
}

// forget makes the index read everything again.
func (x *index) forget() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.whole = false
}

// maxStale is the number of stale names above which reading everything is faster
// than updating the list name by name.
const maxStale = 1000

// beginChange begins a change by this process. dirTime is the folder's time just
// before it: a list that does not have that time lacks changes of others, and is read
// again after the change.
func (x *index) beginChange(dirTime time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.ours = dirTime.Equal(x.dirTime)
}

// changed marks a name that this process changed as stale, "" for hidden files.
// dirTime is the folder's time after the change.
func (x *index) changed(name ruleset.Name, dirTime time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.touchLocked(name)
	if x.ours {
		x.dirTime = dirTime
	}
}

// endChange ends what beginChange began.
func (x *index) endChange(dirTime time.Time) {
	x.changed("", dirTime)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.ours = false
}

// touch marks a name as stale. The folder's time stays: of several files that were
// created, the events of some may still be on their way.
func (x *index) touch(name ruleset.Name) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.touchLocked(name)
}

func (x *index) touchLocked(name ruleset.Name) {
	if !x.whole || name == "" {
		return
	}
	x.stale[name] = struct{}{}
	x.odd[name.Slug()] = struct{}{} // whose files may now belong to a ruleset
	if len(x.stale) > maxStale {
		x.whole = false
	}
}

// touchOther marks a file that does not have the name of a ruleset as stale.
func (x *index) touchOther(file string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.whole {
		x.odd[file] = struct{}{}
	}
}

// modified returns the folder's modification time, or the zero time if the folder
// is missing.
func (f folder) modified() time.Time {
	info, err := os.Stat(f.dir)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// indexed calls use with the current list of all rulesets, which use must neither
// modify nor retain. ok is false if no watch maintains the index.
func (s *Store) indexed(use func(metas []ruleset.Meta)) (ok bool, err error) {
	x := &s.watched.index
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.watches == 0 {
		return false, nil
	}
	now := s.folder.modified()
	if !x.whole || !now.Equal(x.dirTime) {
		if err := s.readIndexLocked(now); err != nil {
			return true, err
		}
	}
	for name := range x.stale {
		s.readOneLocked(name)
	}
	s.refreshOddLocked(x.odd)
	clear(x.stale)
	clear(x.odd)
	use(x.metas)
	return true, nil
}

// clockTick is longer than the interval at which file systems advance their time:
// two changes within it may leave a folder the same time.
const clockTick = 20 * time.Millisecond

// readIndexLocked reads the whole folder. If the folder has just changed, the next
// list reads it again.
func (s *Store) readIndexLocked(dirTime time.Time) error {
	x := &s.watched.index
	entries, err := s.folder.entries()
	if err != nil {
		return err
	}
	x.metas, x.problems = s.metasOf(files(entries, anyName))
	x.folders = map[string]struct{}{}
	for _, e := range entries {
		if _, named := nameOf(e.Name()); !named {
			s.readOddLocked(e)
		}
	}
	slices.SortFunc(x.metas, ruleset.Compare)
	x.dirTime, x.whole = dirTime, time.Since(dirTime) > clockTick
	x.stale, x.odd, x.created = map[ruleset.Name]struct{}{}, map[string]struct{}{}, make(map[ruleset.Name]time.Time, len(x.metas))
	x.names = make([]ruleset.Name, 0, len(x.metas))
	for _, m := range x.metas {
		x.created[m.Name] = m.CreatedAt
		x.names = append(x.names, m.Name)
	}
	slices.Sort(x.names)
	if len(x.metas) > maxStale {
		debug.FreeOSMemory() // reading leaves garbage of several times the size of the list
	}
	return nil
}

// readOddLocked determines whether another entry of the folder is a problem.
func (s *Store) readOddLocked(e fs.DirEntry) {
	x := &s.watched.index
	if reason := s.problem(e); reason != "" {
		x.problems[e.Name()] = reason
	}
	if e.IsDir() {
		x.folders[e.Name()] = struct{}{}
	}
}

// refreshOddLocked updates the problems among entries of the folder.
func (s *Store) refreshOddLocked(files map[string]struct{}) {
	for file := range files {
		delete(s.watched.index.problems, file)
		delete(s.watched.index.folders, file)
		if info, err := os.Lstat(s.folder.inDir(file)); err == nil { // otherwise it has been removed
			s.readOddLocked(fs.FileInfoToDirEntry(info))
		}
	}
}

// readOneLocked updates the entry of one ruleset.
func (s *Store) readOneLocked(name ruleset.Name) {
	x := &s.watched.index
	if created, ok := x.created[name]; ok {
		if at, found := slices.BinarySearchFunc(x.metas, ruleset.Meta{Name: name, CreatedAt: created}, ruleset.Compare); found {
			x.metas = slices.Delete(x.metas, at, at+1)
		}
		delete(x.created, name)
		if at, found := slices.BinarySearch(x.names, name); found {
			x.names = slices.Delete(x.names, at, at+1)
		}
	}
	delete(x.problems, string(name)+suffix)
	info, err := os.Lstat(s.folder.path(name))
	if err != nil {
		return // it has been removed
	}
	meta, err := s.meta(file{name, info})
	if invalid, ok := errors.AsType[*InvalidFileError](err); ok {
		x.problems[invalid.File] = invalid.Err.Error()
	}
	if err != nil {
		return
	}
	at, _ := slices.BinarySearchFunc(x.metas, meta, ruleset.Compare)
	x.metas = slices.Insert(x.metas, at, meta)
	x.created[name] = meta.CreatedAt
	at, _ = slices.BinarySearch(x.names, name)
	x.names = slices.Insert(x.names, at, name)
}
