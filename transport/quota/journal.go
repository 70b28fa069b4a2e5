package quota

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/mcp/atomicfile"
)

// A line of the journal states how much of a key's windows counts as used. The last line
// of a key holds; those before it are history, and dropped when the file is rewritten.
type line struct {
	Key       string `json:"key"`
	MonthEnd  int64  `json:"month_end"` // Unix seconds
	Used      int64  `json:"used"`
	MinuteEnd int64  `json:"minute_end"` // Unix seconds
	Burst     int64  `json:"burst"`
	// Spare is the number of these that may yet be granted, in any minute.
	Spare int64 `json:"spare,omitzero"`
}

// lineOf returns the line for the state of a counter, with what it inherited. The
// counter's lock must be held.
func lineOf(key string, c *counter) line {
	return line{
		Key: key, MonthEnd: unixOf(c.monthEnd), Used: c.used, MinuteEnd: unixOf(c.minuteEnd), Burst: c.burst, Spare: c.spare,
	}
}

// unixOf returns Unix seconds, and 0 for the zero time, which has other ones.
func unixOf(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

// counter returns the counter that the line describes.
func (l line) counter() *counter {
	return &counter{
		tally: tally{
			monthEnd: time.Unix(l.MonthEnd, 0).UTC(), used: l.Used,
			minuteEnd: time.Unix(l.MinuteEnd, 0).UTC(), burst: l.Burst,
		},
		covered: l.Used,
		spare:   l.Spare,
	}
}

// growth is the size at which the journal drops the lines that no longer count.
const growth = 1 << 20

// A journal is a file of lines. A line is on disk when add returns. Lines that
// are added at the same time share one write and one sync.
//
// Locks are taken in this order: io, mu.
type journal struct {
	path string
	log  *slog.Logger

	mu   sync.Mutex
	next *batch // lines that no goroutine writes yet, nil if none

	io    sync.Mutex
	file  *os.File // nil before the first write and after a failed one
	size  int64
	limit int64           // the size from which on the file is rewritten
	live  map[string]line // the lines that hold, by key
	ended bool
}

// A batch is lines that are written together. Its result is read with the journal's io
// lock held; written becomes true once.
type batch struct {
	lines   []line
	written bool
	err     error
}

// openJournal reads what there is. The last lines may be torn: nothing was
// granted for them.
func openJournal(path string, log *slog.Logger) (*journal, error) {
	j := &journal{path: path, log: log, live: map[string]line{}}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return j, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	torn, err := j.replay(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrUnavailable, path, err)
	}
	if torn > 0 {
		log.Warn("the end of the journal of requests was torn and is dropped", "path", path, "bytes", torn)
	}
	return j, nil
}

// replay reads lines, and returns how many bytes at the end are none. A broken line
// before a good one is no torn end: then something else wrote the file, and going on
// might grant too much. So it is an error that says what to do.
func (j *journal) replay(data []byte) (torn int, err error) {
	number := 0
	for text := range bytes.Lines(data) {
		number++
		l, ok := parseLine(text)
		switch {
		case !ok:
			torn += len(text)
		case torn > 0:
			return 0, fmt.Errorf("a line before line %d is broken; restore the file, or remove it to count from zero", number)
		default:
			j.live[l.Key] = l
		}
	}
	return torn, nil
}

// parseLine parses a line with its newline. A line without one was cut off by a crash.
func parseLine(text []byte) (l line, ok bool) {
	if !bytes.HasSuffix(text, []byte("\n")) {
		return l, false
	}
	err := json.Unmarshal(text, &l)
	return l, err == nil && l.Key != "" && l.Used >= 0 && l.Burst >= 0 && l.Spare >= 0
}

// add writes a line; it is on disk when add returns nil. The first of the goroutines that
// get the io lock writes for all that have joined its batch by then; the others find the
// result. After an error the line may or may not be on disk, so the caller grants nothing
// for it.
func (j *journal) add(l line) error {
	b := j.join(l)
	j.io.Lock()
	defer j.io.Unlock()
	if !b.written { // no other goroutine wrote it meanwhile
		j.closeBatch()
		b.err = j.writeLocked(b.lines)
		b.written = true
	}
	return b.err
}

// join puts a line into the batch that is written next.
func (j *journal) join(l line) *batch {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.next == nil {
		j.next = new(batch)
	}
	j.next.lines = append(j.next.lines, l)
	return j.next
}

// closeBatch makes later lines join another batch. The caller holds the io lock and is
// about to write j.next: a batch that is not written is the one that is joined, for both
// change under that lock.
func (j *journal) closeBatch() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.next = nil
}

// writeLocked appends lines and syncs them; the io lock is held. After a failure it is
// unknown what the file holds, so it is then written anew by the next call.
func (j *journal) writeLocked(lines []line) error {
	if j.ended {
		return ErrClosed
	}
	if j.file == nil || j.size > j.limit {
		return j.rewriteLocked(lines)
	}
	data, err := encode(lines)
	if err != nil {
		return err
	}
	_, err = j.file.Write(data)
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		_ = j.file.Close() // it is given up
		j.file = nil
		return err
	}
	j.size += int64(len(data))
	j.setLive(lines)
	return nil
}

// setLive makes lines the current ones of their keys.
func (j *journal) setLive(lines []line) {
	for _, l := range lines {
		j.live[l.Key] = l
	}
}

// rewriteLocked replaces the file by the lines that hold, with those added, and opens it.
// It runs once for each growth of the file, so its cost is spread over thousands of
// lines.
func (j *journal) rewriteLocked(added []line) error {
	all := maps.Clone(j.live)
	for _, l := range added {
		all[l.Key] = l
	}
	if err := j.replaceLocked(all); err != nil {
		return err
	}
	f, err := os.OpenFile(j.path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	j.file = f
	j.live = all
	return nil
}

// replaceLocked replaces the file atomically; it is on disk when this returns nil. On
// failure the old file is still whole.
func (j *journal) replaceLocked(all map[string]line) error {
	lines := make([]line, 0, len(all))
	for _, l := range all {
		lines = append(lines, l)
	}
	data, err := encode(lines)
	if err != nil {
		return err
	}
	if j.file != nil {
		_ = j.file.Close() // every line in it is synced
		j.file = nil
	}
	if err := atomicfile.Write(j.path, data, 0o600); err != nil {
		return err
	}
	j.size = int64(len(data))
	j.limit = growth + 4*j.size
	return nil
}

// encode returns lines as they stand in the file: JSON, one a line.
func encode(lines []line) ([]byte, error) {
	var data bytes.Buffer
	enc := json.NewEncoder(&data)
	for _, l := range lines {
		if err := enc.Encode(l); err != nil {
			return nil, err
		}
	}
	return data.Bytes(), nil
}

// close replaces the file by lines that are exact, and fails all later writes with
// [ErrClosed].
func (j *journal) close(exact map[string]line) error {
	j.io.Lock()
	defer j.io.Unlock()
	j.ended = true
	if len(exact) == 0 {
		return nil
	}
	err := j.replaceLocked(exact)
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return err
}
