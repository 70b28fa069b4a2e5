package filestore

import (
	"slices"
	"sync"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A feed carries the names that this process changes to one watch, which need
// not wait for the system's events then.
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

// take returns the names since it was last called.
func (f *feed) take() map[ruleset.Name]struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	names := f.names
	f.names = map[ruleset.Name]struct{}{}
	return names
}

// feeds holds the feeds of all watches of a store. Its lock is taken before a feed's.
// The first feed is there from the start, so that a watch which begins late
// hears what came before it.
type feeds struct {
	mu    sync.Mutex
	open  []*feed
	early bool // whether the first feed still waits for its watch
}

func (f *feeds) init() { f.open, f.early = []*feed{newFeed()}, true }

// around tells of a change before it and again after it, so that a change which
// happens while a watch begins is in its feed in any case.
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
