package filestore

import (
	"log/slog"
	"slices"
	"sync"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// watched holds the changes for the watches of this process, and the index that they keep up
// to date.
type watched struct {
	folder folder
	log    *slog.Logger
	feeds  feeds
	index  index
}

// A feed passes the names that this process changes to one watch, which then need
// not wait for file system events.
type feed struct {
	wake chan struct{} // holds one token while there are names

	mu    sync.Mutex
	names map[ruleset.Name]struct{}
}

func newFeed() *feed {
	return &feed{wake: make(chan struct{}, 1), names: map[ruleset.Name]struct{}{}}
}

func (f *feed) add(name ruleset.Name) {
	f.mu.Lock()
	f.names[name] = struct{}{}
	f.mu.Unlock()
	select {
	case f.wake <- struct{}{}:
	default: // already woken
	}
}

// take returns the names added since the last call.
func (f *feed) take() map[ruleset.Name]struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	names := f.names
	f.names = map[ruleset.Name]struct{}{}
	return names
}

// feeds holds the feeds of all watches of a store. Its lock is taken before that
// of a feed. The first feed exists from the start, so that a watch which starts
// later learns of changes before it.
type feeds struct {
	mu    sync.Mutex
	open  []*feed
	early bool // the first feed has no watch yet
}

func (f *feeds) init() { f.open, f.early = []*feed{newFeed()}, true }

// around announces a change before and after it, so that a change made while a
// watch starts is in its feed in any case.
func (f *feeds) around(name ruleset.Name, change func() error) error {
	f.tell(name)
	defer f.tell(name)
	return change()
}

func (f *feeds) tell(name ruleset.Name) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, one := range f.open {
		one.add(name)
	}
}

func (f *feeds) join() *feed {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.early {
		f.early = false
		return f.open[0]
	}
	one := newFeed()
	f.open = append(f.open, one)
	return one
}

func (f *feeds) leave(one *feed) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open = slices.DeleteFunc(f.open, func(other *feed) bool { return other == one })
}
