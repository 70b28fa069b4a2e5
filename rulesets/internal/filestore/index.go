package filestore

import (
	"os"
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
		x.whole, x.metas, x.names, x.created, x.stale = false, nil, nil, nil, nil
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
	}
	if len(x.stale) > maxStale {
		x.whole = false
		return
	}
	x.dirTime = dirTime
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
	clear(x.stale)
	use(x.metas)
	return true, nil
}

// readIndexLocked reads the whole folder.
func (s *Store) readIndexLocked(dirTime time.Time) error {
	x := &s.index
	metas, err := s.metas(anyName)
	if err != nil {
		return err
	}
	slices.SortFunc(metas, ruleset.Compare)
	x.metas, x.dirTime, x.whole = metas, dirTime, true
	x.stale, x.created = map[ruleset.Name]struct{}{}, make(map[ruleset.Name]time.Time, len(metas))
	x.names = make([]ruleset.Name, 0, len(metas))
	for _, m := range metas {
		x.created[m.Name] = m.CreatedAt
		x.names = append(x.names, m.Name)
	}
	slices.Sort(x.names)
	return nil
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
	info, err := os.Lstat(s.path(name))
	if err != nil {
		return // it has gone
	}
	meta, ok := s.meta(file{name, info})
	if !ok {
		return // it is no ruleset
	}
	at, _ := slices.BinarySearchFunc(x.metas, meta, ruleset.Compare)
	x.metas = slices.Insert(x.metas, at, meta)
	x.created[name] = meta.CreatedAt
	at, _ = slices.BinarySearch(x.names, name)
	x.names = slices.Insert(x.names, at, name)
}
