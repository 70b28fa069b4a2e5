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

// An index is the list of all rulesets in its order, for stores that a watch tells
// of changes. Without a watch it is not used: a list reads the folder then.
//
// It is current while no name is stale and the folder's time of modification is the
// one that it was read at: creations, renames and deletions move that at once, and
// an edit in place is told by an event. The methods may be called from any
// goroutine; the lock is held while files are read, by the callers that need them.
type index struct {
	mu      sync.Mutex
	watches int       // how many watches tell of changes
	whole   bool      // whether metas was read since the first watch began
	dirTime time.Time // of the folder when it was read
	stale   map[ruleset.Name]struct{}
	metas   []ruleset.Meta // in list order
	names   []ruleset.Name // of metas, sorted
	created map[ruleset.Name]time.Time

	problems map[string]string   // the files that are not served, with the reasons
	odd      map[string]struct{} // files of other names that may be problems now
	folders  map[string]struct{} // whose inside no event tells of
}

// join has the index used, leave ends that.
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

// forget has everything read again.
func (x *index) forget() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.whole = false
}

// maxStale is the number of names above which reading all is faster than bringing the
// list up to date name by name.
const maxStale = 1000

// touch has the file of a name read again. dirTime is the folder's time after the
// change; the caller knows of no other change.
func (x *index) touch(name ruleset.Name, dirTime time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.whole {
		return
	}
	if name != "" {
		x.stale[name] = struct{}{}
		x.odd[folderOf(name)] = struct{}{} // whose files may now be a ruleset's
	}
	if len(x.stale) > maxStale {
		x.whole = false
		return
	}
	x.dirTime = dirTime
}

// touchOther has a file looked at again whose name is not that of a ruleset.
func (x *index) touchOther(file string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.whole {
		x.odd[file] = struct{}{}
	}
}

// dirTime returns the folder's time of modification, the zero time if it is missing.
func (s *Store) dirTime() time.Time {
	info, err := os.Stat(s.dir)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// indexed calls use with the current list of all rulesets, which use must not change
// or keep. ok is false if no watch keeps the index.
func (s *Store) indexed(use func(metas []ruleset.Meta)) (ok bool, err error) {
	x := &s.index
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.watches == 0 {
		return false, nil
	}
	now := s.dirTime()
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

// readIndexLocked reads the whole folder.
func (s *Store) readIndexLocked(dirTime time.Time) error {
	x := &s.index
	entries, err := s.entries()
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
	x.dirTime, x.whole = dirTime, true
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

// readOddLocked finds out whether an entry of the folder with another name is a problem.
func (s *Store) readOddLocked(e fs.DirEntry) {
	x := &s.index
	if reason := s.problem(e); reason != "" {
		x.problems[e.Name()] = reason
	}
	if e.IsDir() {
		x.folders[e.Name()] = struct{}{}
	}
}

// refreshOddLocked looks at entries of the folder again.
func (s *Store) refreshOddLocked(files map[string]struct{}) {
	for file := range files {
		delete(s.index.problems, file)
		delete(s.index.folders, file)
		if info, err := os.Lstat(s.inDir(file)); err == nil { // else it has gone
			s.readOddLocked(fs.FileInfoToDirEntry(info))
		}
	}
}

// readOneLocked brings the entry of one ruleset up to date.
func (s *Store) readOneLocked(name ruleset.Name) {
	x := &s.index
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
	info, err := os.Lstat(s.path(name))
	if err != nil {
		return // it has gone
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
