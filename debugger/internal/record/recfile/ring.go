package recfile

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"slices"
)

// A Ring is a file that keeps the newest part of a recording. The recording has segments,
// each of which begins with a state of the program and can be replayed without those before
// it. When the last one has its share of what the file may have, another one begins, and all
// but these two are dropped. So the file has at least one share.
//
// At any time the file is a recording: one without the segments that are dropped is written
// beside it, and takes its place.
type Ring struct {
	file    *os.File
	path    string
	limit   int64 // of the file, in bytes; 0 means that only the format has one
	share   int64 // of a segment; 0 likewise
	size    int64
	starts  []int64     // of the segments, in the file
	begun   int         // segments in all, after the first
	refused bool        // the last attempt to begin one has failed
	retryAt int64       // size of the file at which a state is tried again that could not be recorded
	dueWhen func() bool // or nil
}

// NewRing returns a Ring with a regular file that is open for reading and writing, and the
// most bytes that it may have, or 0. The former contents stay until the first write. The
// path may not lead to a symbolic link.
func NewRing(file *os.File, path string, limit int64) *Ring {
	return &Ring{file: file, path: path, limit: limit, share: limit / 16 * 7, starts: []int64{0}}
}

// Write implements io.Writer.
func (g *Ring) Write(b []byte) (int, error) {
	if g.size == 0 {
		if err := g.file.Truncate(0); err != nil {
			return 0, err
		}
	}
	n, err := g.file.WriteAt(b, g.size)
	g.size += int64(n)
	return n, err
}

// Close closes the file.
func (g *Ring) Close() error { return g.file.Close() }

// Limit returns how many bytes the file may have, or 0.
func (g *Ring) Limit() int64 { return g.limit }

// Size returns the bytes of the file.
func (g *Ring) Size() int64 { return g.size }

// DueWhen makes another segment begin when a function reports true, and not when the last one has its
// share.
func (g *Ring) DueWhen(due func() bool) { g.dueWhen = due }

// Begun returns the number of segments that have begun after the first one.
func (g *Ring) Begun() int { return g.begun }

// Segments returns the offsets of the segments in the file. The first one has the head of the file.
func (g *Ring) Segments() []int64 { return slices.Clone(g.starts) }

// Full reports whether the recording is to end because of its size: no other segment can
// begin. While threads run, it may only be too early for one.
func (g *Ring) Full() bool {
	return g.limit > 0 && (g.size >= g.limit && g.refused || g.size >= 2*g.limit)
}

// due reports whether the last segment has its share of the file, or two have theirs.
func (g *Ring) due() bool {
	if g.dueWhen != nil {
		return g.dueWhen()
	}
	last := g.size - g.starts[len(g.starts)-1]
	return g.share > 0 && g.size >= g.retryAt && (last >= g.share || len(g.starts) > 1 && g.size >= 2*g.share)
}

// tries is the number of times that a state is tried while a share is written.
const tries = 16

// begin begins a segment.
func (g *Ring) begin() {
	g.starts, g.refused = append(g.starts, g.size), false
	g.begun++
}

// fits reports whether the first state of the last segment leaves room in it.
func (g *Ring) fits() bool { return g.limit == 0 || g.size-g.starts[len(g.starts)-1] <= g.share/2 }

// cancel removes the last segment, which has no more than its first state.
func (g *Ring) cancel() error {
	last := len(g.starts) - 1
	g.size, g.starts = g.starts[last], g.starts[:last]
	g.refused = true
	g.retryAt = g.size + max(g.share/tries, flushEvery)
	return g.file.Truncate(g.size)
}

// shed drops all segments but the last two.
func (g *Ring) shed() error {
	if len(g.starts) <= 2 {
		return nil
	}
	from := g.starts[len(g.starts)-2]
	file, err := g.copyFrom(from)
	if err != nil {
		return err
	}
	err = g.file.Close()
	moved := from - int64(len(header()))
	g.file, g.size = file, g.size-moved
	g.starts = []int64{0, g.starts[len(g.starts)-1] - moved}
	return err
}

// beside is added to the name of a file that is going to take the place of another one.
const beside = ".new"

// copyFrom replaces the file by one with the segments from an offset on.
func (g *Ring) copyFrom(from int64) (*os.File, error) {
	name := g.path + beside
	_ = os.Remove(name) // a recorder was killed
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = file.Write(header())
	if err == nil {
		_, err = g.file.Seek(from, io.SeekStart)
	}
	if err == nil {
		_, err = io.Copy(file, io.LimitReader(g.file, g.size-from))
	}
	if err == nil {
		err = os.Rename(name, g.path)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close(), os.Remove(name))
	}
	return file, nil
}

// header returns what a file begins with.
func header() []byte { return binary.LittleEndian.AppendUint16([]byte(magic), version) }
