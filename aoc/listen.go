package aoc

import (
	"path/filepath"
	"strings"

	"github.com/fsnotify/fsnotify"
)

// A listener hears of changes in a folder as they happen. While there is no
// such folder it listens where the next part of its path must appear. Its
// channels are nil, and nothing is heard, where the system has no more watches.
type listener struct {
	dir    string // absolute
	at     string // the part of dir that is listened to, "" for none
	system *fsnotify.Watcher
	events <-chan fsnotify.Event
	faults <-chan error // events were lost
}

func listen(dir string) *listener {
	l := &listener{dir: absolute(dir)}
	if system, err := fsnotify.NewWatcher(); err == nil {
		l.system, l.events, l.faults = system, system.Events, system.Errors
		l.arm()
	}
	return l
}

// absolute is the path as events spell it.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return filepath.Clean(path)
}

// close ends the listening and the goroutine of the system's watch.
func (l *listener) close() {
	if l.system != nil {
		_ = l.system.Close() // nothing to lose
	}
}

// arm finds the folder again, which may have come, gone or been replaced. It
// ends when looking twice has found the same: nothing can come in between.
func (l *listener) arm() {
	for l.system != nil {
		at := l.nearest()
		if at == l.at {
			return
		}
		if l.at != "" {
			_ = l.system.Remove(l.at) // it may have gone by itself
		}
		l.at = at
	}
}

// nearest listens to the longest part of the path that is there.
func (l *listener) nearest() string {
	for at := l.dir; ; at = filepath.Dir(at) {
		if l.system.Add(at) == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}

// hear follows an event and those that wait behind it, and reports whether one
// of them was about the folder or a file in it.
func (l *listener) hear(e fsnotify.Event) (about bool) {
	for {
		if l.leads(e.Name) {
			l.arm()
			about = true
		}
		about = about || filepath.Dir(e.Name) == l.dir
		select {
		case e = <-l.events:
		default:
			return about
		}
	}
}

// leads reports whether a path is that of the folder or leads to it.
func (l *listener) leads(path string) bool {
	rest, ok := strings.CutPrefix(l.dir, path)
	return ok && (rest == "" || rest[0] == filepath.Separator)
}
