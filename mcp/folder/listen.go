package folder

import (
	"path/filepath"
	"strings"

	"github.com/fsnotify/fsnotify"
)

// A Listener hears of changes in a folder as they happen. While there is no
// such folder it listens where the next part of its path must appear. Its
// channels are nil, and nothing is heard, where the system has no more watches;
// the zero Listener is as deaf.
type Listener struct {
	Events <-chan fsnotify.Event
	Faults <-chan error // events were lost

	dir    string // absolute
	at     string // the part of dir that is listened to, "" for none
	system *fsnotify.Watcher
}

// Listen begins to listen. What changed before is not heard of.
func Listen(dir string) *Listener {
	l := &Listener{dir: absolute(dir)}
	if system, err := fsnotify.NewWatcher(); err == nil {
		l.system, l.Events, l.Faults = system, system.Events, system.Errors
		l.Arm()
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

// Close ends the listening and the goroutine of the system's watch.
func (l *Listener) Close() {
	if l.system != nil {
		_ = l.system.Close() // nothing to lose
	}
}

// Arm finds the folder again, which may have come, gone or been replaced. It
// ends when looking twice has found the same: nothing can come in between.
func (l *Listener) Arm() {
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
func (l *Listener) nearest() string {
	for at := l.dir; ; at = filepath.Dir(at) {
		if l.system.Add(at) == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}

// Hear follows an event and those that wait behind it, and reports whether one
// of them was about the folder or a file in it.
func (l *Listener) Hear(e fsnotify.Event) (about bool) {
	for {
		if l.Leads(e.Name) {
			l.Arm()
			about = true
		}
		about = about || l.Holds(e.Name)
		select {
		case e = <-l.Events:
		default:
			return about
		}
	}
}

// Leads reports whether a path is that of the folder or leads to it. After such
// an event the listener has to be armed again.
func (l *Listener) Leads(path string) bool {
	rest, ok := strings.CutPrefix(l.dir, path)
	return ok && (rest == "" || rest[0] == filepath.Separator)
}

// Holds reports whether a path is that of a file in the folder.
func (l *Listener) Holds(path string) bool { return filepath.Dir(path) == l.dir }
