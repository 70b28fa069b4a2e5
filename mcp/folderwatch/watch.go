// Package folderwatch reports that files in a folder may have changed. It imports none of
// ours, so that every package may import it.
//
//	w := folderwatch.New(dir)
//	defer w.Close()
//	for {
//		w.Follow()
//		// read the folder
//		select {
//		case <-w.Events:
//		case <-w.Lost:
//		case <-poll.C: // network and container mounts send no events
//		case <-ctx.Done():
//			return
//		}
//	}
//
// # Concurrency
//
// A Watcher is used by one goroutine at a time. It has one of its own, which ends with Close.
package folderwatch

import (
	"path/filepath"

	"github.com/fsnotify/fsnotify"
)

// A Watcher watches a folder, which may appear, go and be replaced. The zero Watcher has no
// events, nor has one that the system has no watch for: users poll besides.
type Watcher struct {
	Events <-chan fsnotify.Event // of the files in the folder and, while it is missing, of one above it
	Lost   <-chan error          // events were lost: everything may have changed

	dir    string
	system *fsnotify.Watcher
}

// New returns a watcher of a folder, which has begun.
func New(dir string) *Watcher {
	system, err := fsnotify.NewWatcher()
	if err != nil {
		return &Watcher{}
	}
	w := &Watcher{Events: system.Events, Lost: system.Errors, dir: dir, system: system}
	w.Follow()
	return w
}

// Close ends the events.
func (w *Watcher) Close() {
	if w.system != nil {
		_ = w.system.Close() // nothing is lost
	}
}

// Follow watches the folder that has the path now or, while there is none, the nearest one
// above it. Call it after each event outside of the folder and at each poll. It returns when
// a second attempt ends at the same folder: the folder did not appear between the two.
func (w *Watcher) Follow() {
	for last := ""; w.system != nil; {
		at := w.dir
		for w.system.Add(at) != nil && at != filepath.Dir(at) {
			at = filepath.Dir(at)
		}
		if at == last {
			return
		}
		last = at
		for _, other := range w.system.WatchList() {
			if other != at {
				_ = w.system.Remove(other) // the watch of a removed folder is gone already
			}
		}
	}
}
