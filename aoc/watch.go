package aoc

import (
	"context"
	"maps"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/triptych-mcp/triptych/mcp/filestamp"
	"github.com/triptych-mcp/triptych/mcp/folderwatch"
)

// pollEvery is the interval at which the folder is read without an event: network and
// container mounts send none.
const pollEvery = 2 * time.Second

// A stamp changes when the texts of a day do. It has the files that there are.
type stamp [3]struct {
	name  string
	state filestamp.Stamp
}

// watch reports the days whose texts appear, change or go, until ctx is done. The
// folder may appear, go and be replaced meanwhile. No goroutine is left when
// watch returns.
func (b *Book) watch(ctx context.Context, changed func(days []Day, list bool)) error {
	w := folderwatch.New(b.instructions())
	defer w.Close()
	b.follow(ctx, w, pollEvery, b.stamps(), changed)
	return nil
}

// follow compares the texts with what they were before, at every event and every
// tick.
func (b *Book) follow(ctx context.Context, w *folderwatch.Watcher, every time.Duration, before map[Day]stamp, changed func(days []Day, list bool)) {
	poll := time.NewTicker(every)
	defer poll.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.Events:
			drop(w.Events)
		case <-w.Lost:
		case <-poll.C:
		}
		w.Follow()
		now := b.stamps()
		if days, list := differences(before, now); len(days) > 0 {
			changed(days, list)
		}
		before = now
	}
}

// drop discards the events that are waiting: one comparison serves all of them.
func drop(events <-chan fsnotify.Event) {
	for {
		select {
		case <-events:
		default:
			return
		}
	}
}

// stamps returns the names, times and sizes of the files of every day.
func (b *Book) stamps() map[Day]stamp {
	found, err := b.scan()
	if err != nil {
		return nil // the folder is away; its return is a change
	}
	all := make(map[Day]stamp, len(found))
	for day, s := range found {
		var now stamp
		for i, name := range []string{s.phase1, s.phase2, s.json} {
			if file, err := filestamp.Stat(filepath.Join(b.instructions(), name)); err == nil && name != "" {
				now[i].name, now[i].state = name, file.Content()
			}
		}
		if now != (stamp{}) {
			all[day] = now
		}
	}
	return all
}

// differences returns the days that changed, and whether any was added or removed.
func differences(before, now map[Day]stamp) (days []Day, list bool) {
	all := maps.Clone(before)
	if all == nil {
		all = map[Day]stamp{}
	}
	maps.Copy(all, now)
	for day := Day(1); day <= LastDay; day++ {
		if _, known := all[day]; !known || before[day] == now[day] {
			continue
		}
		days = append(days, day)
		_, was := before[day]
		_, is := now[day]
		list = list || was != is
	}
	return days, list
}
