package audit

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/triptych-mcp/triptych/mcp/atomicfile"
)

// resume opens a chain where it ends. Lines after the last signed head count as long as each
// follows the one before it; what is behind them a crash has left, and it is cut off. When the
// published head is of a later record than the last signed head that is found, lines are
// missing that were signed: then nothing is touched. The caller holds the chain's lock, which
// the writer takes over if there is no error.
func (k *files) resume(c *chain, lock *flock.Flock, now time.Time) (*fileWriter, error) {
	w := &fileWriter{backend: k, dir: filepath.Join(k.cfg.Dir, c.id), lock: lock}
	all, err := numbers(w.dir)
	if err != nil {
		return nil, err
	}
	published, err := w.published(c)
	if err != nil {
		return nil, err
	}
	found, err := w.lastHead(all, c)
	switch {
	case err != nil:
		return nil, err
	case found.note.Seq < published.Seq:
		return nil, fmt.Errorf("record %d is missing", published.Seq)
	}
	end, err := w.follow(all, found, c)
	if err != nil {
		return nil, err
	}
	w.first = all[0]
	return w, w.reopen(c, end, now)
}

// published returns the head that was published last, which must be one that the signer goes
// on behind.
func (w *fileWriter) published(c *chain) (*headNote, error) {
	text, err := readHead(w.dir)
	if err != nil {
		return nil, err
	}
	l, err := parseLine(text)
	if err != nil {
		return nil, err
	}
	if !c.signer.signed(l, c.id) {
		return nil, fmt.Errorf("%s: %w", headFile, c.signer.errUnsigned(l, c.id))
	}
	return l.note.Head, nil
}

// A tailEnd is the place behind the last whole line of a chain, and what was found on the way
// there from its last signed head.
type tailEnd struct {
	number   int   // of the file
	size     int64 // of its lines
	end      point
	unsigned uint64 // records after the last signed head
	clean    bool   // the chain ends with a signed head and nothing behind it
	cut      int64  // bytes behind the lines that are no room
	former   bool   // a key before that of the signer has signed the last head
	stolen   bool   // lines follow that only the holder of a key which was compromised can make
}

// follow walks along the lines behind a signed head, into the files after its own, as long as
// they belong to the chain. Lines that only the holder of a compromised key can have made are
// an error, not the remains of a crash: nothing is cut off then.
func (w *fileWriter) follow(all []int, from signedHead, c *chain) (tailEnd, error) {
	e := tailEnd{number: from.number, size: from.after, end: point{prev: from.hash, seq: from.note.Seq}, clean: true, former: from.former}
	for _, n := range all {
		if n < from.number {
			continue
		}
		if n > from.number && !e.enters(w.path(n), n) {
			e.clean, e.cut = false, e.cut+sizeOf(w.path(n))
			continue
		}
		start := int64(0)
		if n == from.number {
			start = from.after
		}
		if err := e.walk(w.path(n), n, start, c); err != nil {
			return e, err
		}
	}
	if e.stolen {
		return e, errCompromised
	}
	return e, nil
}

// enters reports whether a file goes on where the lines so far end. A file that was written
// again in part goes on where it says that the one before it ends: [keptOf] has let the walk
// stop there.
func (e *tailEnd) enters(path string, number int) bool {
	l, err := firstLine(path)
	if err != nil || l.note.File.Number != number || number != e.number+1 {
		return false
	}
	return l.prev == e.end.prev.String() && l.note.File.After == e.end.seq
}

// walk goes on along the lines of a file from an offset on, to the first that does not follow.
// Newlines behind it are room; anything else was cut off by a crash and is counted.
func (e *tailEnd) walk(path string, number int, start int64, c *chain) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read
	limit := min(keptOf(filepath.Dir(path), number), sizeOf(path))
	in := bufio.NewReaderSize(io.NewSectionReader(f, start, limit-start), maxLine)
	if start == 0 {
		e.number, e.size = number, 0
	}
	for {
		text, err := in.ReadSlice('\n')
		if err != nil || !bytes.HasSuffix(text, lineEnd) || !e.accept(text[:len(text)-1], c) {
			break
		}
		e.size += int64(len(text))
	}
	rest, err := io.ReadAll(io.NewSectionReader(f, e.size, limit-e.size))
	if left := bytes.TrimRight(rest, "\n"); len(left) > 0 {
		e.clean, e.cut = false, e.cut+int64(min(len(left)+1, len(rest)))
	}
	return err
}

// accept takes in a line if it follows the one before it, and reports whether it did.
func (e *tailEnd) accept(text []byte, c *chain) bool {
	l, err := parseLine(text)
	if err != nil || l.prev != e.end.prev.String() || l.seq != 0 && l.seq != e.end.seq+1 {
		return false
	}
	switch {
	case l.seq != 0:
		e.end.seq = l.seq
		e.unsigned++
	case l.note.Head != nil && (!c.signer.signed(l, c.id) || l.note.Head.Seq != e.end.seq):
		e.stolen = e.stolen || c.signer.former(l, c.id)
		return false
	case l.note.Rotated != nil && c.signer.isForeign(l.note.Rotated):
		e.stolen = true
		return false
	case l.note.Head != nil:
		e.unsigned = 0
		e.former = !l.isHeadOf(c.signer.public(), c.id)
	}
	e.clean = l.note != nil && l.note.Head != nil
	e.end.prev = l.hash
	return true
}

// reopen makes the writer go on behind the lines that were found, and the chain with it. A
// rotation that the last head does not know comes before the next record.
func (w *fileWriter) reopen(c *chain, e tailEnd, now time.Time) (err error) {
	defer func() {
		if err != nil {
			_ = w.closeFiles() // the error says more
		}
	}()
	if w.file, err = os.OpenFile(w.path(e.number), os.O_RDWR, 0); err != nil {
		return err
	}
	if w.head, err = os.OpenFile(filepath.Join(w.dir, headFile), os.O_RDWR, 0); err != nil {
		return err
	}
	opening, err := firstLine(w.path(e.number))
	if err != nil {
		return err
	}
	if w.began, err = time.Parse(timeFormat, opening.note.File.Time); err != nil {
		return err
	}
	info, err := w.file.Stat()
	if err != nil {
		return err
	}
	w.number, w.size, w.end, w.room.end = e.number, e.size, e.end, info.Size()
	c.point, w.confirmed = e.end, w.mark()
	if e.former {
		c.pending = c.signer.rotations
	}
	if e.clean {
		return nil
	}
	return w.recover(e, now)
}

// recover cuts off what a crash has left, syncs what it may not have synced, and makes a note
// come before the next record that says so. It is the only place that removes bytes of a
// chain, and removes none that a signed head covers.
func (w *fileWriter) recover(e tailEnd, now time.Time) error {
	w.backend.cfg.Logger.Warn("the audit chain was not closed; it goes on behind its last whole line",
		"chain", filepath.Base(w.dir), "seq", e.end.seq, "unsigned", e.unsigned, "bytes_cut", e.cut)
	if e.cut > 0 {
		if err := w.cutTail(); err != nil {
			return err
		}
	}
	_ = os.Remove(w.tempPath()) // usually there is none
	w.notes = append(w.notes, note{Recovered: &recoveredNote{
		After: e.end.seq, Unsigned: e.unsigned, Cut: e.cut, Time: formatTime(now),
	}})
	return errors.Join(w.file.Sync(), atomicfile.SyncDir(w.dir))
}

// cutTail removes all bytes and files behind the lines. The files go first: a crash between
// leaves lines of the last one, which the next process cuts off.
func (w *fileWriter) cutTail() error {
	all, err := numbers(w.dir)
	if err != nil {
		return err
	}
	for _, n := range all {
		if n > w.number {
			if err := os.Remove(w.path(n)); err != nil {
				return err
			}
		}
	}
	w.room.end = w.size
	return w.file.Truncate(w.size)
}
