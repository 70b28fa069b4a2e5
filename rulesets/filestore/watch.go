package filestore

import (
	"context"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// pollEvery is how often the folder is looked at where its events do not come:
// on network and container mounts, or before it exists.
const pollEvery = 2 * time.Second

// Watch implements [ruleset.Store].
func (s *Store) Watch(ctx context.Context, changed func(ruleset.Change)) error {
	events := make(<-chan fsnotify.Event)
	if w, err := fsnotify.NewWatcher(); err == nil {
		defer func() { _ = w.Close() }() // nothing to lose
		if w.Add(s.dir) == nil {
			events = w.Events
		}
	}
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	for before := s.stamps(); ; {
		select {
		case <-ctx.Done():
			return nil
		case <-events:
		case <-ticker.C:
		}
		now := s.stamps()
		for _, c := range changesBetween(before, now) {
			changed(c)
		}
		before = now
	}
}

func (s *Store) stamps() map[ruleset.Name]stamp {
	files, err := s.files()
	if err != nil {
		return nil // the folder is away; its return is a change
	}
	stamps := make(map[ruleset.Name]stamp, len(files))
	for _, f := range files {
		stamps[f.name] = stampOf(f.info)
	}
	return stamps
}
