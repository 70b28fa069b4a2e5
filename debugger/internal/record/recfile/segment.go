package recfile

import (
	"errors"
	"fmt"
	"slices"
)

// segments is the part of a Writer that begins segments of a [Ring].
type segments struct {
	ring   *Ring   // nil if the recording has no segments
	sizes  []int64 // of the segments in the file before the last one, before compression
	before int64   // their sum
	filed  int     // files of the table of the segment before the last one
}

// maxSegment limits the bytes of a segment before compression: readers read two of them.
const maxSegment = (MaxSize - lastRoom) / 2

// maxState limits the bytes of a segment's first state before compression.
const maxState = maxSegment / 2

// SegmentDue reports whether another segment is to begin.
func (w *Writer) SegmentDue() bool {
	return w.ring != nil && (w.ring.due() || w.size-w.before >= maxSegment-maxState && w.ring.size >= w.ring.retryAt)
}

// BeginSegment begins a segment. What follows is its first state.
func (w *Writer) BeginSegment() error {
	if err := w.zip.Close(); err != nil {
		return err
	}
	w.zip.Reset(w.out)
	w.ring.begin()
	w.sizes, w.before = append(w.sizes, w.size-w.before), w.size
	w.filed, w.files, w.contents, w.buf = w.files, 0, 0, w.buf[:0]
	return w.block(blockSegment)
}

// FullError returns why the recording ends when its writer is full.
func (w *Writer) FullError() error {
	if w.ring != nil {
		return errRingFull
	}
	return errFull
}

// ErrNoRoom reports that the first state of a segment takes too much of it.
var ErrNoRoom = errors.New("a state of the program takes too much of the file")

// EndState ends the first state of a segment, and drops segments that need not be kept.
func (w *Writer) EndState() error {
	if err := w.zip.Flush(); err != nil {
		return err
	}
	if !w.ring.fits() || w.size-w.before > maxState {
		return ErrNoRoom
	}
	if err := w.ring.shed(); err != nil {
		return errors.Join(ErrNoRoom, err) // the disk may be full
	}
	for len(w.sizes) > 1 {
		w.size, w.before = w.size-w.sizes[0], w.before-w.sizes[0]
		w.sizes = w.sizes[1:]
	}
	return nil
}

// CancelSegment removes the segment that has begun last. The one before it goes on.
func (w *Writer) CancelSegment() error {
	err := w.zip.Close()
	w.zip.Reset(w.out)
	last := len(w.sizes) - 1
	w.size, w.files = w.before, w.filed
	w.before -= w.sizes[last]
	w.sizes = w.sizes[:last]
	return errors.Join(err, w.ring.cancel())
}

// A table is the table of files of the events before one, from another table's on.
type table struct {
	end   int
	files []int // indexes in Recording.Files
}

// BeginSegment begins a segment. Its first state is needed only if nothing was read before.
func (r *Recording) beginSegment(p payload) error {
	if p.size() > 0 || r.final() || r.segment {
		return fmt.Errorf("%w: a segment after event %d", ErrCorrupt, r.events.n)
	}
	if err := r.events.room.Take(int64(cap(r.table))*8 + 4*sliceSize); err != nil {
		return err
	}
	r.tables = append(r.tables, table{r.events.n, r.table})
	r.table, r.segment = nil, true
	return nil
}

// skipState skips the first state of a segment.
func (r *Recording) skipState(e *Event) error {
	if e.Kind != Image || e.Number != 0 || e.Position < r.End() {
		return fmt.Errorf("%w: the segment after event %d does not begin with a state", ErrCorrupt, r.events.n)
	}
	r.segment = false
	return nil
}

// tableOf returns the table of files of an event.
func (r *Recording) tableOf(event int) []int {
	n, _ := slices.BinarySearchFunc(r.tables, event+1, func(t table, event int) int { return t.end - event })
	if n < len(r.tables) {
		return r.tables[n].files
	}
	return r.table
}

// AddFile adds a file to the table of the segment. Segments have files in common.
func (r *Recording) addFile(f File) error {
	n, ok := r.indexes[f]
	if !ok {
		if r.indexes == nil {
			r.indexes, r.contents = make(map[File]int), make(map[[DigestSize]byte]*contents)
		}
		if err := r.events.room.Take(fileCost + 2*int64(len(f.Path))); err != nil {
			return err
		}
		n = len(r.Files)
		r.indexes[f] = n
		r.Files = append(r.Files, f)
		if r.contents[f.Digest] == nil {
			r.contents[f.Digest] = &contents{size: uint64(f.Size)}
		}
	}
	r.table = append(r.table, n)
	return nil
}

// fileCost is the memory that a file takes in the table and the index, without its path.
const fileCost = 512
