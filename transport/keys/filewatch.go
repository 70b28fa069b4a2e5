package keys

import (
	"context"
	"time"

	"github.com/fsnotify/fsnotify"
)

// pollEvery is how often a watch looks at the file where no events come: on
// network and container mounts, or before there is a folder.
const pollEvery = MaxAge / 2

// Watch implements [Store].
func (s *FileStore) Watch(ctx context.Context) error {
	w, err := fsnotify.NewWatcher()
	if err != nil { // the system has no more of them
		s.poll(ctx, nil, nil, func() {})
		return nil
	}
	defer func() { _ = w.Close() }() // nothing to lose
	s.poll(ctx, w.Events, w.Errors, func() {
		_ = w.Add(s.dir) // there may be no folder yet
	})
	return nil
}

// poll looks at the file at every event and every tick until ctx is done.
// listen finds the folder, also after it was replaced.
func (s *FileStore) poll(ctx context.Context, events <-chan fsnotify.Event, faults <-chan error, listen func()) {
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	for {
		listen()
		_ = s.refresh(ctx, s.clock()) // load reports what is wrong
		select {
		case <-ctx.Done():
			return
		case <-events:
		case <-faults: // events may be lost: look
		case <-ticker.C:
		}
	}
}
