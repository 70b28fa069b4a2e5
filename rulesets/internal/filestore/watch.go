package filestore

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/triptych-mcp/triptych/mcp/folderwatch"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// pollEvery is the interval at which the whole folder is read: network and container
// mounts, and systems without a free watch, send no events.
const pollEvery = 2 * time.Second

// pollShare bounds the share of time spent on polling: after a poll that took t, the
// next one starts pollShare*t later at the earliest.
const pollShare = 20

// A watch compares the folder with what it was.
//
//	run
//	├─ own.wake         this process changed names → look at these
//	├─ events           a file changed             → look at it
//	├─ events           the folder came or went    → look at all
//	├─ lost             events were lost           → look at all
//	├─ moves            labels moved               → tell of them
//	├─ poll             no event was sent          → look at all
//	├─ doubt            a file stayed away         → tell of it
//	└─ calm             others are done            → record what they changed
//
// A change of others is told once, also where they remove a file and write it again,
// as git does: a content is told when it is a ruleset and differs from the one that was
// told last, and a file that is missing or not valid when it stays so for a while.
type watch struct {
	store   *Store
	own     *feed
	dir     string // absolute, as events spell it
	system  *folderwatch.Watcher
	seen    map[ruleset.Name]stamp
	folders map[ruleset.Name]folderState
	moves   int64 // the announced moves of labels that were told, in bytes
	changed func(ruleset.Change)

	unrecorded map[ruleset.Name]struct{} // changed by others, not in the history yet
	calm       *time.Timer               // fires when no file has changed for a while
	waits      int                       // how often recording was put off for git

	told     map[ruleset.Name]string   // SHA-256 of contents of others that were told
	doubtful map[ruleset.Name]struct{} // missing or not valid, perhaps being written
	doubt    *time.Timer               // fires when they have been so for a while
}

// calmAfter is the time without changes after which changes are recorded: an editor
// may write a file in several steps.
const calmAfter = 100 * time.Millisecond

// doubtFor is the time after which a file that is missing or not valid is believed to
// stay so.
const doubtFor = time.Second

// Watch implements [ruleset.Store]. The first watch of a store also hears what
// this process changed before it began. When it returns, no goroutine is left.
func (s *Store) Watch(ctx context.Context, changed func(ruleset.Change)) error {
	own := s.watched.feeds.join()
	defer s.watched.feeds.leave(own)
	w := newWatch(s, own, changed)
	defer s.watched.index.leave()
	w.system = folderwatch.New(w.dir)
	defer w.system.Close()
	w.begin()
	changed(ruleset.Change{Kind: ruleset.Began})
	w.run(ctx, pollEvery)
	return nil
}

// WatchesAll reports that a watch tells of all changes, also by other programs.
func (*Store) WatchesAll() bool { return true }

func newWatch(s *Store, own *feed, changed func(ruleset.Change)) *watch {
	w := &watch{
		store: s, own: own, dir: absolute(s.folder.dir), changed: changed,
		folders:    map[ruleset.Name]folderState{},
		unrecorded: map[ruleset.Name]struct{}{}, calm: time.NewTimer(calmAfter),
		told: map[ruleset.Name]string{}, doubtful: map[ruleset.Name]struct{}{}, doubt: time.NewTimer(doubtFor),
	}
	w.calm.Stop()
	w.doubt.Stop()
	return w
}

// begin sees the folder for the first time. What this process was changing
// meanwhile may be in it already, so it is told in any case.
func (w *watch) begin() {
	w.store.watched.index.join()
	w.seen = map[ruleset.Name]stamp{}
	w.store.folder.eachStamp(
		func(name ruleset.Name, now stamp) { w.seen[name] = now },
		func(name ruleset.Name) { w.folders[name] = w.store.folder.filesState(name) })
	_, w.moves = w.store.watched.movesSince(0)
	for name := range w.own.take() {
		if name == "" {
			continue // a move: no label was asked for before
		}
		w.changed(ruleset.Change{Kind: ruleset.Unknown, Name: name})
	}
}

func (w *watch) run(ctx context.Context, every time.Duration) {
	poll := time.NewTimer(every)
	defer poll.Stop()
	defer w.calm.Stop()
	defer w.doubt.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.calm.C:
			w.record(ctx)
		case <-w.doubt.C:
			w.resolveDoubts()
		case <-w.own.wake:
			w.lookAtOwn(w.own.take())
		case e := <-w.system.Events:
			w.follow(e)
		case <-w.system.Lost:
			w.store.watched.index.forget()
			w.lookAtAll()
		case <-poll.C:
			began := time.Now()
			w.system.Follow()
			w.finish(ctx)
			w.lookAtAll()
			w.lookAtMoves()
			poll.Reset(max(every, pollShare*time.Since(began)))
		}
	}
}

// follow looks at the file of an event. An event outside the folder means that
// the folder, or one above it, appeared, went or was replaced.
func (w *watch) follow(e fsnotify.Event) {
	if filepath.Dir(e.Name) != w.dir {
		w.system.Follow()
		w.lookAtAll()
		return
	}
	if filepath.Base(e.Name) == movesName {
		w.lookAtMoves()
	}
	name, ok := nameOf(filepath.Base(e.Name))
	w.store.watched.index.touch(name)
	if ok {
		w.look(name)
		return
	}
	w.store.watched.index.touchOther(filepath.Base(e.Name))
	if name, ok := nameOfFolder(filepath.Base(e.Name)); ok && w.store.folder.holdsRuleset(filepath.Base(e.Name)) {
		w.lookAtFolder(name)
	}
}

// record enters changes of others into the history. What another process enters
// first is not entered again.
func (w *watch) record(ctx context.Context) {
	names := w.unrecorded
	if w.store.learnOrigins(ctx, slices.Collect(maps.Keys(names))...) && w.waits < gitTries {
		w.waits++
		w.calm.Reset(gitRest)
		return
	}
	w.waits, w.unrecorded = 0, map[ruleset.Name]struct{}{}
	for name := range names {
		_ = w.store.lockedIn(ctx, func() error { // the next reader or writer tries again
			_, err := w.store.reconcile(name)
			return err
		})
	}
}

// tell passes on a change and has it recorded soon.
func (w *watch) tell(c ruleset.Change) {
	w.store.watched.index.touch(c.Name)
	w.changed(c)
	w.unrecorded[c.Name] = struct{}{}
	w.calm.Reset(calmAfter)
}

// lookAtOwn compares the files that this process changed, which are recorded.
func (w *watch) lookAtOwn(names map[ruleset.Name]struct{}) {
	for name := range names {
		if name == "" {
			w.lookAtMoves()
			continue
		}
		now, is := w.store.folder.stampOf(name)
		if c := w.withFolder(name, w.compare(name, now, is)); c.Kind != 0 {
			w.changed(c)
		}
		delete(w.unrecorded, name)
		delete(w.doubtful, name)
		delete(w.told, name)
	}
}

// lookAtMoves tells of the moves of labels that were announced since the last time.
func (w *watch) lookAtMoves() {
	var moves []movedLabel
	moves, w.moves = w.store.watched.movesSince(w.moves)
	for _, m := range moves {
		w.changed(ruleset.Change{Kind: ruleset.Labelled, Name: m.Name, Label: m.Label})
	}
}

// finish finishes a batch that a killed process has left; one that is being applied
// is let alone.
func (w *watch) finish(ctx context.Context) {
	ctx, stop := context.WithTimeout(ctx, calmAfter)
	defer stop()
	w.store.finishLeft(ctx)
}

// look compares the file of a ruleset, and tells of a change unless it may not be
// complete.
func (w *watch) look(name ruleset.Name) {
	now, is := w.store.folder.stampOf(name)
	if before, was := w.seen[name]; was == is && before == now {
		delete(w.doubtful, name)
		return
	}
	sum, complete := w.store.completeFile(name, is)
	if !complete {
		w.doubtful[name] = struct{}{}
		w.doubt.Reset(doubtFor)
		return
	}
	delete(w.doubtful, name)
	w.tellOnce(name, now, is, sum)
}

// tellOnce tells of a file unless its content was told already.
func (w *watch) tellOnce(name ruleset.Name, now stamp, is bool, sum string) {
	c := w.compare(name, now, is)
	isTold := is && sum != "" && w.told[name] == sum && c.Kind == ruleset.Updated
	if w.told[name] = sum; sum == "" {
		delete(w.told, name)
	}
	if c.Kind != 0 && !isTold {
		w.tell(w.withFolder(name, c))
	}
}

// resolveDoubts tells of the files that are still missing or not valid.
func (w *watch) resolveDoubts() {
	for _, name := range slices.Sorted(maps.Keys(w.doubtful)) {
		now, is := w.store.folder.stampOf(name)
		sum, _ := w.store.completeFile(name, is)
		w.tellOnce(name, now, is, sum)
	}
	clear(w.doubtful)
}

// completeFile returns the SHA-256 of the content of a file. ok is false if another
// process may be about to write it: it is missing, though the history does not say that it was
// deleted, or is not a ruleset.
func (s *Store) completeFile(name ruleset.Name, is bool) (sum string, ok bool) {
	if !is {
		head, err := s.history.head(name)
		return "", err == nil && head.Deleted
	}
	d, err := s.load(name)
	return d.sum, err == nil
}

// lookAtAll compares the whole folder and tells in the order of names.
func (w *watch) lookAtAll() {
	changed, folders, known := map[ruleset.Name]struct{}{}, map[ruleset.Name]struct{}{}, 0
	w.store.folder.eachStamp(func(name ruleset.Name, now stamp) {
		before, was := w.seen[name]
		if was {
			known++
		}
		if !was || before != now {
			changed[name] = struct{}{}
		}
	}, func(name ruleset.Name) { folders[name] = struct{}{} })
	if known < len(w.seen) { // some have gone
		for name := range w.seen {
			if _, is := w.store.folder.stampOf(name); !is {
				changed[name] = struct{}{}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		w.look(name)
	}
	w.lookAtFolders(folders)
}

// compare notes what a file is now and returns what became of it, the zero
// Change when nothing did.
func (w *watch) compare(name ruleset.Name, now stamp, is bool) ruleset.Change {
	before, was := w.seen[name]
	if is {
		w.seen[name] = now
	} else {
		delete(w.seen, name)
	}
	switch {
	case is && !was:
		return ruleset.Change{Kind: ruleset.Created, Name: name}
	case !is && was:
		return ruleset.Change{Kind: ruleset.Deleted, Name: name}
	case before != now:
		return ruleset.Change{Kind: ruleset.Updated, Name: name}
	}
	return ruleset.Change{}
}

// eachStamp calls see with the stamp of each file that has the name of a ruleset, and folder
// with the name of each ruleset that has a folder. It has few of them in memory at a time.
func (f folder) eachStamp(see func(ruleset.Name, stamp), folder func(ruleset.Name)) {
	dir, err := os.Open(f.dir)
	if err != nil {
		return
	}
	defer func() { _ = dir.Close() }() // it was only read
	for {
		entries, err := dir.ReadDir(readChunk)
		for _, f := range files(entries, anyName) {
			see(f.name, stampOf(f.info))
		}
		for _, d := range entries {
			if name, ok := f.isFilesFolder(d); ok {
				folder(name)
			}
		}
		if err != nil || len(entries) == 0 {
			return
		}
	}
}
