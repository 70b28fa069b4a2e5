package audit

import (
	"errors"
	"os"
	"time"

	"github.com/triptych-mcp/triptych/transport/internal/atomicfile"
)

// rewrite writes the lines after the last confirmed mark into a new file, with the
// hashes that they have there, and syncs them. The file before it counts up to that
// mark: the first line of the new one says so. Signed heads among the lines are
// left out, for they cover other hashes.
func (w *fileWriter) rewrite(c *chain, unwritten *group, now time.Time) error {
	number, header := w.number, note{}
	c.point = w.confirmed.end
	if w.confirmed.size > 0 {
		number++
	}
	header.File = c.header(number, now)
	if w.confirmed.size > 0 {
		header.File.Kept = w.confirmed.size
	}
	g := &group{data: c.add(nil, header.body())}
	lines := w.tail
	if unwritten != nil {
		lines = append(lines[:len(lines):len(lines)], unwritten.data...)
	}
	for text := range linesOf(lines) {
		if err := g.copy(c, text); err != nil {
			return err
		}
	}
	next, err := w.create(number, g.data)
	if err != nil {
		c.point = w.end
		return err
	}
	w.replaceBy(next, number, g, c)
	return nil
}

// copy adds the line of another place to the group, unless that makes no sense
// here.
func (g *group) copy(c *chain, text []byte) error {
	l, err := parseLine(text)
	switch {
	case err != nil:
		return err
	case l.note != nil && (l.note.Head != nil || l.note.File != nil):
		return nil
	}
	g.data = c.add(g.data, text[prevSize:len(text)-1])
	if l.seq > 0 {
		c.seq = l.seq
	}
	return nil
}

// create makes a file with some lines and syncs it. A file that an attempt before
// has left goes first: its pages may count as synced though they are not.
func (w *fileWriter) create(number int, data []byte) (*os.File, error) {
	path := w.path(number)
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = f.Write(data)
	if err == nil {
		err = errors.Join(w.backend.syncData(f), atomicfile.SyncDir(w.dir))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(path))
	}
	return f, nil
}

// replaceBy makes the writer add to a file that holds a group.
func (w *fileWriter) replaceBy(f *os.File, number int, g *group, c *chain) {
	if number != w.number {
		_ = w.file.Truncate(w.confirmed.size) // readers stop there anyway
	}
	_ = w.file.Close() // it is given up
	w.use(f, number)
	w.unlisted = false
	w.size, w.end, w.tail = int64(len(g.data)), c.point, nil
	w.confirmed = w.mark()
}
