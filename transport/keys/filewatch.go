package keys

import (
	"context"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// pollEvery is the interval in which a watch reads the file where no events come, as on
// network and container mounts.
const pollEvery = MaxAge / 2

// Watch implements [Store]. It reads the file at every event and every tick, so that a
// revocation by another process is seen at once where events come, and within pollEvery
// elsewhere.
func (s *FileStore) Watch(ctx context.Context) error {
	var events <-chan fsnotify.Event
	var lost <-chan error
	system, err := fsnotify.NewWatcher()
	if err == nil { // else the ticker alone wakes the loop
		defer func() { _ = system.Close() }() // nothing is lost
		events, lost = system.Events, system.Errors
	}
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	for {
		watchFolder(system, s.dir)
		_ = s.refresh(ctx, s.clock()) // load reports what is wrong
		select {
		case <-ctx.Done():
			return nil
		case <-events:
		case <-lost:
		case <-ticker.C:
		}
	}
}

// watchFolder makes w watch dir or, while dir is missing, the nearest folder above it. It
// returns when a second attempt ends at the same folder: dir did not appear between the two. A
// nil w is a system without events. Families have copies of this function, as they import no
// transport.
func watchFolder(w *fsnotify.Watcher, dir string) {
	for last := ""; w != nil; {
		at := dir
		for w.Add(at) != nil && at != filepath.Dir(at) {
			at = filepath.Dir(at)
		}
		if at == last {
			return
		}
		last = at
		for _, other := range w.WatchList() {
			if other != at {
				_ = w.Remove(other) // the watch of a removed folder is gone already
			}
		}
	}
}
