package audit

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/triptych-mcp/triptych/transport/internal/atomicfile"
)

// A fileWriter adds groups to the files of one chain.
type fileWriter struct {
	keeper   *files
	dir      string
	lock     *flock.Flock
	file     *os.File
	head     *os.File
	number   int       // of the file
	first    int       // number of the oldest file that is kept
	began    time.Time // when the file was begun
	size     int64     // of what is kept for good
	room     int64     // where the file ends; behind size it is newlines
	ask      int64     // how much room is made next
	repaired int64     // bytes that were cut off when the chain was opened
	turned   bool      // the next group begins a new file
	retire   int       // files up to this number go with the next group
}

func (w *fileWriter) path(n int) string { return numbered(w.dir, n) }

// preface begins a new file when it is time, says which files go for it, and
// what was repaired.
func (w *fileWriter) preface(c *chain, now time.Time) []note {
	var notes []note
	if w.isFull(now) {
		w.turned = true
		notes = append(notes, c.header(w.number+1, now))
		if r := w.outdated(c, now); r != nil {
			w.retire = r.Through
			notes = append(notes, note{Retired: r})
		}
		w.began = now
	}
	if w.repaired > 0 {
		notes = append(notes, note{Repaired: &repairedNote{Bytes: w.repaired, Time: formatTime(now)}})
		w.repaired = 0
	}
	return notes
}

// isFull reports whether a new file is due.
func (w *fileWriter) isFull(now time.Time) bool {
	keep := w.keeper.cfg.KeepFor
	return w.size >= w.keeper.cfg.MaxFile || keep > 0 && now.Sub(w.began) >= keep/4
}

// outdated finds the files that go when a new one is begun, nil when none do.
func (w *fileWriter) outdated(c *chain, now time.Time) *retiredNote {
	cfg := &w.keeper.cfg
	through := 0
	if cfg.KeepFiles > 0 {
		through = w.number + 1 - cfg.KeepFiles
	}
	for n := w.first; cfg.KeepFor > 0 && n <= w.number && w.isOlder(n, now.Add(-cfg.KeepFor)); n++ {
		through = max(through, n)
	}
	if through < w.first {
		return nil
	}
	r := &retiredNote{Through: through, Seq: c.seq, Hash: c.prev.String(), Time: formatTime(now)}
	if through < w.number {
		next, err := firstLine(w.path(through + 1))
		if err != nil {
			w.keeper.cfg.Logger.Warn("audit files are kept longer", "err", err)
			return nil
		}
		r.Seq, r.Hash = next.note.File.After, next.prev
	}
	return r
}

// isOlder reports whether a file was last written before a time.
func (w *fileWriter) isOlder(n int, than time.Time) bool {
	info, err := os.Stat(w.path(n))
	return err == nil && info.ModTime().Before(than)
}

// write adds a group behind what is kept. What a failed attempt left there is
// written over.
func (w *fileWriter) write(g *group) error {
	if err := w.turn(); err != nil {
		return err
	}
	w.makeRoom(int64(len(g.data)))
	if _, err := w.file.WriteAt(g.data, w.size); err != nil {
		w.room = w.size
		return errors.Join(err, w.file.Truncate(w.size))
	}
	if err := atomicfile.SyncData(w.file); err != nil {
		return err
	}
	if _, err := w.head.WriteAt(padded(g.seal), 0); err != nil {
		return err
	}
	w.size += int64(len(g.data))
	w.sweep()
	return nil
}

// turn begins the next file if that is due.
func (w *fileWriter) turn() error {
	if !w.turned {
		return nil
	}
	next, err := os.OpenFile(w.path(w.number+1), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if err := atomicfile.SyncDir(w.dir); err != nil {
		return errors.Join(err, next.Close())
	}
	_ = errors.Join(w.giveBack(), w.file.Close()) // all of it was synced
	w.file, w.number, w.size, w.room, w.ask, w.turned = next, w.number+1, 0, 0, 0, false
	return nil
}

// Bytes that are made room for at one time: twice as many each time, within
// these bounds, so that a chain of a few records stays small and a long one
// seldom waits. In a new file, and where they did not fit, it is the fewest
// again: a disk that is nearly full is not filled up for a moment with each group.
const (
	minRoom = 64 << 10
	maxRoom = 8 << 20
)

// roomEnd is how much room there always is behind the lines, unless the disk
// is full: an empty line, so that whoever reads finds their end.
const roomEnd = 2

// makeRoom makes the file long enough for n bytes and more. To sync bytes that
// replace others takes a tenth of the time of bytes that make a file longer.
// The room is newlines: the file stays a text, and lines have no empty one
// among them. Where there is no room, the group's own bytes may still fit.
func (w *fileWriter) makeRoom(n int64) {
	if w.size+n+roomEnd <= w.room {
		return
	}
	w.ask = min(max(2*w.ask, minRoom), maxRoom)
	end := w.size + n + w.ask
	blank := bytes.Repeat([]byte{'\n'}, minRoom)
	for at := max(w.size, w.room); at < end; at += minRoom {
		if _, err := w.file.WriteAt(blank[:min(minRoom, end-at)], at); err != nil {
			_ = w.file.Truncate(max(w.size, w.room)) // the group's write tells
			w.ask = 0
			return
		}
	}
	w.room = end
}

// giveBack cuts the room off.
func (w *fileWriter) giveBack() error {
	if w.room <= w.size {
		return nil
	}
	return w.file.Truncate(w.size)
}

// sweep deletes the files that the trail now says are gone. Those that resist
// go another time.
func (w *fileWriter) sweep() {
	for w.first <= w.retire {
		if err := os.Remove(w.path(w.first)); err != nil && !os.IsNotExist(err) {
			w.keeper.cfg.Logger.Warn("audit file stays", "err", err)
			return
		}
		w.first++
	}
}

// close lets another process have the chain.
func (w *fileWriter) close() error { return errors.Join(w.closeFiles(), w.lock.Close()) }

func (w *fileWriter) closeFiles() error {
	errs := []error{w.giveBack()}
	for _, f := range []*os.File{w.file, w.head} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}

// headSize is the size of a head. It is written in place, as one piece of a
// disk's sector: a crash leaves the old or the new one.
const headSize = 512

// padded is a head: the last seal, filled up with spaces.
func padded(seal []byte) []byte {
	head := bytes.Repeat([]byte{' '}, headSize)
	copy(head, seal)
	head[headSize-1] = '\n'
	return head
}

// readHead reads the last seal that was promised to anybody. Its absence or
// damage is errHead.
func readHead(dir string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(dir, headFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errHead
	}
	if err != nil {
		return nil, err
	}
	seal := bytes.TrimRight(text, " \n")
	if len(seal) >= headSize || !bytes.Equal(padded(seal), text) {
		return nil, errHead
	}
	return seal, nil
}
