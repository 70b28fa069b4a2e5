package audit

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/triptych-mcp/triptych/mcp/atomicfile"
	"github.com/triptych-mcp/triptych/transport/audit/internal/keyfile"
)

// rewrite implements [medium]. It writes the lines after the last confirmed mark into a new
// file, with the hashes that they have there, and syncs them. The file before it counts up to
// that mark: the first line of the new one says so. Where nothing of a file is confirmed, the
// new one takes its number. Signed heads among the lines are left out, for they cover other
// hashes. After an error it can be called again.
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

// create makes a file with some lines, which has its name once they are synced: until
// then a file that has the name stays, for it may have the only copy of lines that
// [Log.Write] has returned for.
func (w *fileWriter) create(number int, data []byte) (*os.File, error) {
	temp := w.tempPath()
	if err := os.Remove(temp); err != nil && !os.IsNotExist(err) {
		return nil, err // its pages may count as synced though they are not
	}
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = f.Write(data)
	if err == nil {
		err = w.backend.syncData(f)
	}
	err = errors.Join(err, f.Close()) // Windows renames no open file
	if err == nil {
		err = os.Rename(temp, w.path(number))
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(temp))
	}
	if err := atomicfile.SyncDir(w.dir); err != nil {
		return nil, err // the file has all lines, and the next attempt replaces it
	}
	return os.OpenFile(w.path(number), os.O_RDWR, 0)
}

// tempPath returns the name of a file that is not finished.
func (w *fileWriter) tempPath() string { return filepath.Join(w.dir, keyfile.TempPrefix+"file") }

// replaceBy makes the writer add to a file that holds a group. The file before is closed: its
// pages cannot be trusted after a failed sync.
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
