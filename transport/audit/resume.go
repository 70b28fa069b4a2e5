package audit

import (
	"bufio"
	"bytes"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/triptych-mcp/triptych/transport/internal/atomicfile"
)

// resume opens a chain where it ends: behind its last seal. Bytes after it are
// what a crash left of a group that nobody was told is kept; they go. When the
// head knows of a later seal, they were more than that, and nothing is touched.
func (k *files) resume(c *chain, lock *flock.Flock) (_ *fileWriter, err error) {
	w := &fileWriter{keeper: k, dir: filepath.Join(k.cfg.Dir, c.id), lock: lock}
	all, err := numbers(w.dir)
	if err != nil {
		return nil, err
	}
	head, err := w.promised(c)
	if err != nil {
		return nil, err
	}
	for len(all) > 0 {
		w.number, w.first = all[len(all)-1], all[0]
		end, err := lastSeal(w.path(w.number), c)
		switch {
		case err != nil:
			return nil, err
		case end.seal != nil && end.seal.Seq < head.Seq:
			return nil, fmt.Errorf("record %d is missing", head.Seq)
		case end.seal != nil:
			return w, w.reopen(c, end)
		}
		w.repaired += end.size // a file that a crash left without a seal
		all = all[:len(all)-1]
	}
	return nil, errors.New("no file has a seal")
}

// promised is the seal of the head.
func (w *fileWriter) promised(c *chain) (*sealNote, error) {
	text, err := readHead(w.dir)
	if err != nil {
		return nil, err
	}
	l, err := parseLine(text)
	if err != nil {
		return nil, err
	}
	if !l.isSealOf(c.key.Public().(ed25519.PublicKey), c.id) {
		return nil, fmt.Errorf("%s is not signed with our key", headFile)
	}
	return l.note.Seal, nil
}

// isSealOf reports whether the line is a seal that the key's owner made for
// the chain.
func (l line) isSealOf(key ed25519.PublicKey, chain string) bool {
	return l.note != nil && l.note.Seal != nil && l.note.Seal.verify(key, chain, l.prev)
}

// reopen makes the writer stand behind a seal.
func (w *fileWriter) reopen(c *chain, end ending) (err error) {
	defer func() {
		if err != nil {
			_ = errors.Join(w.closeFiles()) // the error says more
		}
	}()
	if w.file, err = os.OpenFile(w.path(w.number), os.O_RDWR, 0); err != nil {
		return err
	}
	if w.head, err = os.OpenFile(filepath.Join(w.dir, headFile), os.O_RDWR, 0); err != nil {
		return err
	}
	opening, err := firstLine(w.path(w.number))
	if err != nil {
		return err
	}
	if w.began, err = time.Parse(timeFormat, opening.note.File.Time); err != nil {
		return err
	}
	w.size, w.room = end.after, end.length
	w.repaired += end.size - end.after
	if w.repaired > 0 {
		w.keeper.cfg.Logger.Warn("audit chain ends in a group that a crash cut off; it goes", "chain", c.id, "bytes", w.repaired)
	}
	c.prev, c.seq = end.hash, end.seal.Seq
	return w.cutTail()
}

// cutTail removes what is behind the last seal. A file after this one, which
// has no seal, is written over when its turn comes.
func (w *fileWriter) cutTail() error {
	if w.repaired == 0 {
		return nil
	}
	if err := os.Remove(w.path(w.number + 1)); err != nil && !os.IsNotExist(err) {
		return err
	}
	w.room = w.size
	return errors.Join(w.file.Truncate(w.size), w.file.Sync(), atomicfile.SyncDir(w.dir))
}

// An ending is how a file ends.
type ending struct {
	seal  *sealNote // the last one, nil when there is none
	hash  digest    // of its line
	after int64     // where it ends
	size  int64     // of the file without its room

	length int64 // of the file
}

// lastSeal finds the last seal of a file, looking at its end first.
func lastSeal(path string, c *chain) (ending, error) {
	f, err := os.Open(path)
	if err != nil {
		return ending{}, err
	}
	defer func() { _ = f.Close() }() // only read
	info, err := f.Stat()
	if err != nil {
		return ending{}, err
	}
	end := ending{length: info.Size()}
	text, size, err := measure(f, end.length)
	if err != nil {
		return ending{}, err
	}
	end.size = size
	for window := int64(64 << 10); ; window *= 4 {
		from := max(0, text-window)
		tail := make([]byte, text-from)
		if _, err := f.ReadAt(tail, from); err != nil && !errors.Is(err, io.EOF) {
			return ending{}, err
		}
		if end.find(tail, from, c) || from == 0 {
			return end, nil
		}
	}
}

// measure finds where the lines of a file end, and where its room begins. What
// is between these a crash left: the end of a group without its beginning. A
// file that was closed has no room.
func measure(f *os.File, length int64) (text, size int64, err error) {
	end := make([]byte, min(length, roomEnd))
	if _, err := f.ReadAt(end, length-int64(len(end))); err != nil || string(end) != "\n\n" {
		return length, length, err
	}
	all, err := io.ReadAll(io.NewSectionReader(f, 0, length))
	if err != nil {
		return 0, 0, err
	}
	lines, _, _ := bytes.Cut(all, []byte("\n\n"))
	return ended(lines), ended(bytes.TrimRight(all, "\n")), nil
}

// ended is the length of a text with the newline that is behind it.
func ended(text []byte) int64 {
	if len(text) == 0 {
		return 0
	}
	return int64(len(text)) + 1
}

// find looks for the last seal in the end of a file, which begins at from. Of the
// group that was written last a disk may have the seal and not all before it: the
// lines must lead back to the seal before, or to the file's first line.
func (e *ending) find(tail []byte, from int64, c *chain) bool {
	key := c.key.Public().(ed25519.PublicKey)
	var got ending // the lines from want on lead to its seal
	want := ""
	for {
		stop := bytes.LastIndexByte(tail, '\n')
		if stop < 0 {
			return false
		}
		start := bytes.LastIndexByte(tail[:stop], '\n') + 1
		l, err := parseLine(tail[start:stop])
		fits := err == nil && got.seal != nil && l.hash.String() == want
		isSeal := err == nil && l.isSealOf(key, c.id)
		switch {
		case fits && (isSeal || from+int64(start) == 0):
			e.seal, e.hash, e.after = got.seal, got.hash, got.after
			return true
		case isSeal:
			got = ending{seal: l.note.Seal, hash: l.hash, after: from + int64(stop) + 1}
		case !fits:
			got = ending{}
		}
		want, tail = l.prev, tail[:start]
	}
}

// firstLine reads the note that begins a file.
func firstLine(path string) (line, error) {
	f, err := os.Open(path)
	if err != nil {
		return line{}, err
	}
	defer func() { _ = f.Close() }() // only read
	text, err := bufio.NewReaderSize(f, maxLine).ReadSlice('\n')
	if err != nil {
		return line{}, err
	}
	l, err := parseLine(text[:len(text)-1])
	if err == nil && (l.note == nil || l.note.File == nil) {
		err = fmt.Errorf("%s does not begin as a file of a chain", path)
	}
	return l, err
}
