package audit

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/gofrs/flock"

	"github.com/triptych-mcp/triptych/mcp/atomicfile"
)

// A fileWriter is the medium of files: it adds lines to the files of one chain. It has the
// chain's lock until it is closed. The methods of [medium] say which of the Log's locks is
// held; sync uses no field that a write changes.
type fileWriter struct {
	backend *files
	dir     string
	lock    *flock.Flock
	file    *os.File
	head    *os.File
	number  int       // of the file
	first   int       // number of the oldest file that is there
	began   time.Time // when the file was begun
	size    int64     // of the lines; room for more is behind them
	room    room
	end     point  // of the chain, after the last line
	notes   []note // come before the next record
	rotates bool   // the next record begins a new file
	isNext  bool   // the next group does
	retired int    // files up to this number are deleted after the next sync

	confirmed mark   // the last mark that is synced
	tail      []byte // the lines after it
	unlisted  bool   // the file's name in its folder is not synced
}

// path returns the path of the chain's file with a number.
func (w *fileWriter) path(n int) string { return numbered(w.dir, n) }

// preface implements [medium]. It begins a new file when it is time, says which files are
// deleted for it, and passes on the notes that wait. The file itself is made with the write of
// the group.
func (w *fileWriter) preface(c *chain, now time.Time) []note {
	var notes []note
	if w.rotates {
		w.rotates, w.isNext = false, true
		notes = append(notes, note{File: c.header(w.number+1, now)})
		if r := w.outdated(c, now); r != nil {
			w.retired = r.Through
			notes = append(notes, note{Retired: r})
		}
		w.began = now
	}
	notes = append(notes, w.notes...)
	w.notes = nil
	return notes
}

// isFull implements [medium]. A file is full by size, or by age where records stay for a
// limited time: only whole files can be deleted, so records stay for up to a quarter of that
// time longer.
func (w *fileWriter) isFull(now time.Time) bool {
	keep := w.backend.cfg.KeepFor
	return w.size >= w.backend.cfg.MaxFile || keep > 0 && now.Sub(w.began) >= keep/4
}

// rotate makes the next record begin a new file.
func (w *fileWriter) rotate() { w.rotates = true }

// outdated returns the files to delete when a new one is begun, nil if there are none. The
// note has the hash and the number with which the files after them begin, which a verification
// compares. Where these cannot be read, nothing is deleted.
func (w *fileWriter) outdated(c *chain, now time.Time) *retiredNote {
	cfg := &w.backend.cfg
	through := 0
	if cfg.KeepFiles > 0 {
		through = w.number + 1 - cfg.KeepFiles
	}
	for n := w.first; cfg.KeepFor > 0 && n <= min(w.number, w.first+maxAged-1) && w.isOlder(n, now.Add(-cfg.KeepFor)); n++ {
		through = max(through, n)
	}
	if through < w.first {
		return nil
	}
	r := &retiredNote{Through: through, Seq: c.seq, Hash: c.prev.String(), Time: formatTime(now)}
	if through < w.number {
		next, err := firstLine(w.path(through + 1))
		if err != nil {
			w.backend.cfg.Logger.Warn("audit files are kept longer", "err", err)
			return nil
		}
		r.Seq, r.Hash = next.note.File.After, next.prev
	}
	return r
}

// maxAged bounds the files, segments or chains that are deleted for their age at one time. A
// clock that was a year ahead for a moment costs no more; a trail that has fallen behind shrinks
// with each new file, since that is two for one.
const maxAged = 2

// isOlder reports whether a file was last written before a time. One that cannot be read is
// not: it stays.
func (w *fileWriter) isOlder(n int, than time.Time) bool {
	info, err := os.Stat(w.path(n))
	return err == nil && info.ModTime().Before(than)
}

// write implements [medium]. It adds a group behind the last line, at an offset that a failed
// attempt does not move: the bytes of that are overwritten.
func (w *fileWriter) write(g *group, c *chain) error {
	if err := w.beginFile(); err != nil {
		return err
	}
	w.room.reserve(w.file, w.size, int64(len(g.data)))
	if _, err := w.file.WriteAt(g.data, w.size); err != nil {
		return errors.Join(err, w.room.giveBack(w.file, w.size))
	}
	w.size += int64(len(g.data))
	w.tail = append(w.tail, g.data...)
	w.end = c.point
	return nil
}

// beginFile begins the next file if that is due. All lines of this one are synced, so its end
// is cut to the lines and the file closed. An empty file of the same number, which a failed
// attempt has left, is used.
func (w *fileWriter) beginFile() error {
	if !w.isNext {
		return nil
	}
	next, err := os.OpenFile(w.path(w.number+1), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_ = errors.Join(w.room.giveBack(w.file, w.size), w.file.Close()) // all of it was synced
	w.use(next, w.number+1)
	return nil
}

// use makes the writer add to an empty file. The mark of what is synced begins anew with it.
func (w *fileWriter) use(f *os.File, number int) {
	w.file, w.number, w.size, w.room, w.isNext, w.unlisted = f, number, 0, room{}, false, true
	w.confirmed = mark{file: f, number: number, end: w.confirmed.end}
}

// mark returns the end of the lines that were written.
func (w *fileWriter) mark() mark {
	return mark{file: w.file, number: w.number, size: w.size, end: w.end, unlisted: w.unlisted}
}

// unsynced implements [medium]. It returns the number of bytes that a power cut may take.
func (w *fileWriter) unsynced() int { return len(w.tail) }

// errReplaced is returned by a sync that finds the name of a file gone, or leading
// to another file.
var errReplaced = errors.New("the file was deleted or replaced by another program")

// sync implements [medium]. It syncs the file of a mark, and checks whether its name still
// leads to it: the lines of a file that was deleted survive no power cut. It uses only what is
// in the mark, for others may write meanwhile.
func (w *fileWriter) sync(m mark) error {
	if m.unlisted {
		if err := atomicfile.SyncDir(w.dir); err != nil {
			return err
		}
	}
	if err := w.backend.syncData(m.file); err != nil {
		return err
	}
	open, err := m.file.Stat()
	if err != nil {
		return err
	}
	named, err := os.Stat(w.path(m.number))
	if err != nil || !os.SameFile(open, named) {
		return fmt.Errorf("%s: %w", w.path(m.number), errReplaced)
	}
	return nil
}

// confirm implements [medium]. It forgets the lines up to a mark, and deletes the files that
// the trail now says are gone.
func (w *fileWriter) confirm(m mark) {
	if m.number != w.number { // a mark of the file before, which is synced as a whole
		return
	}
	if done := int(m.size - w.confirmed.size); done == len(w.tail) {
		w.tail = reusable(w.tail)[:0]
	} else if done > 0 {
		w.tail = append(w.tail[:0], w.tail[done:]...)
	}
	w.confirmed = m
	w.unlisted = w.unlisted && !m.unlisted
	w.deleteRetired()
}

// publish implements [medium]. The head is written in place and not synced: its line is, and a
// head of before proves less but nothing wrong.
func (w *fileWriter) publish(head []byte) error {
	_, err := w.head.WriteAt(padded(head), 0)
	return err
}

// deleteRetired deletes the files that were retired, the oldest first, so that those left are
// a chain without a gap whenever the process ends. One that cannot be deleted is tried again
// after the next sync.
func (w *fileWriter) deleteRetired() {
	for w.first <= w.retired {
		if err := os.Remove(w.path(w.first)); err != nil && !os.IsNotExist(err) {
			w.backend.cfg.Logger.Warn("audit file cannot be deleted", "err", err)
			return
		}
		w.first++
	}
}

// close implements [medium]. It lets another process have the chain.
func (w *fileWriter) close() error { return errors.Join(w.closeFiles(), w.lock.Close()) }

// closeFiles cuts the room off and closes the files, as far as they are open. The lock stays,
// for the caller of resume still has it.
func (w *fileWriter) closeFiles() error {
	errs := []error{}
	if w.file != nil {
		errs = append(errs, w.room.giveBack(w.file, w.size), w.file.Close())
	}
	if w.head != nil {
		errs = append(errs, w.head.Close())
	}
	return errors.Join(errs...)
}
