package aoc

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// pollEvery is the interval at which the folder is read without an event: network and
// container mounts send none.
const pollEvery = 2 * time.Second

// A stamp changes when the texts of a day do.
type stamp string

// watch reports the days whose texts appear, change or go, until ctx is done. The
// folder may appear, go and be replaced meanwhile. No goroutine is left when
// watch returns.
func (b *Book) watch(ctx context.Context, changed func(days []Day, list bool)) error {
	system, err := fsnotify.NewWatcher()
	if err != nil {
		system = nil // the poll alone finds changes
	} else {
		defer func() { _ = system.Close() }() // nothing is lost
	}
	watchFolder(system, b.instructions())
	b.follow(ctx, system, pollEvery, b.stamps(), changed)
	return nil
}

// follow compares the texts with what they were before, at every event and every
// tick. Without a watcher only ticks count.
func (b *Book) follow(ctx context.Context, system *fsnotify.Watcher, every time.Duration, before map[Day]stamp, changed func(days []Day, list bool)) {
	var events <-chan fsnotify.Event
	var lost <-chan error
	if system != nil {
		events, lost = system.Events, system.Errors
	}
	poll := time.NewTicker(every)
	defer poll.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-events:
			drop(events)
		case <-lost:
		case <-poll.C:
		}
		watchFolder(system, b.instructions())
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

// watchFolder makes w watch dir or, while dir is missing, the nearest folder above
// it. It returns when a second attempt ends at the same folder: dir did not appear
// between the two.
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

// stamps returns the names, times and sizes of the files of every day.
func (b *Book) stamps() map[Day]stamp {
	found, err := b.scan()
	if err != nil {
		return nil // the folder is away; its return is a change
	}
	all := make(map[Day]stamp, len(found))
	for day, s := range found {
		for _, name := range []string{s.phase1, s.phase2, s.json} {
			if info, err := os.Stat(filepath.Join(b.instructions(), name)); err == nil && name != "" {
				all[day] += stamp(fmt.Sprintf("%s %d %d;", name, info.ModTime().UnixNano(), info.Size()))
			}
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
