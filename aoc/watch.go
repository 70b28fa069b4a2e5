package aoc

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/triptych-mcp/triptych/mcp/folder"
)

// pollEvery is how often the folder is looked at whatever is heard: network and
// container mounts, and systems without a free watch, tell nothing.
const pollEvery = 2 * time.Second

// A stamp tells whether the texts of a day are still the same.
type stamp string

// watch reports the days whose texts appear, change or go, until ctx is done.
// The folder may come, go and be replaced meanwhile. No goroutine is left when
// it returns.
func (b *Book) watch(ctx context.Context, changed func(days []Day, list bool)) error {
	l := folder.Listen(b.instructions())
	defer l.Close()
	b.follow(ctx, l, pollEvery, b.stamps(), changed)
	return nil
}

// follow compares the texts with what they were before, at every event about
// them and every so often.
func (b *Book) follow(ctx context.Context, l *folder.Listener, every time.Duration, before map[Day]stamp, changed func(days []Day, list bool)) {
	poll := time.NewTicker(every)
	defer poll.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-l.Events:
			if !l.Hear(e) {
				continue
			}
		case <-l.Faults:
		case <-poll.C:
			l.Arm()
		}
		now := b.stamps()
		if days, list := differences(before, now); len(days) > 0 {
			changed(days, list)
		}
		before = now
	}
}

// stamps are the names, times and sizes of the files of every day.
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

// differences are the days that are not the same, and whether any came or went.
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
