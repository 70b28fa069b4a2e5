package recfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"sort"

	"github.com/klauspost/compress/zstd"
)

// The recording of a process that a debugger has is compressed in frames, each by itself and with a checksum. A
// reader has the frame that it needs in memory, and not the others.

// An index says where the events of a recording are.
type Index struct {
	frames     []frame
	events     int
	end        int64 // of the last frame, in the file
	files      []File
	extensions []string
	open       bool // the last frame has not ended
	size       func() int64
}

// A frame has events that follow each other.
type frame struct {
	start    int64 // in the file
	first    int   // number of its first event
	position uint64
}

// frameCost is the size of a frame in an index.
const frameCost = 24

// NewFrameWriter returns a Writer of a recording with an index.
func NewFrameWriter(to *Store) (*Writer, error) {
	w, err := NewWriter(to)
	if err == nil {
		w.index = &Index{size: to.Len, end: int64(len(w.out.head))}
	}
	return w, err
}

// endFrame makes everything readable that was added so far.
func (w *Writer) endFrame() error {
	if err := w.zip.Close(); err != nil {
		return err
	}
	w.zip.Reset(w.out)
	w.index.end, w.index.open = max(w.index.end, w.index.size()), false
	return nil
}

// add notes an event that is written.
func (x *Index) add(position uint64) {
	if !x.open {
		x.frames = append(x.frames, frame{x.end, x.events, position})
	}
	x.open = true
	x.events++
}

// Bytes returns how much memory the index takes, without names.
func (x *Index) Bytes() int { return len(x.frames) * frameCost }

// A framed has the events of a Recording in a file with an index.
type framed struct {
	file   io.ReaderAt
	index  Index
	end    Event // the last one
	before int   // number of events before it
	table  []int
	zip    *zstd.Decoder
	loaded [2]loadedFrame // the last one first
	err    error          // a frame could not be read
}

// A loadedFrame is a frame in memory.
type loadedFrame struct {
	first  int // number of its first event
	events eventList
}

// maxIdle is the size of a frame up to which it is kept for a while.
const maxIdle = 4 << 20

// OpenFrames returns a Recording whose frames are read when they are needed.
func OpenFrames(file io.ReaderAt, x *Index) (*Recording, error) {
	f := &framed{file: file, index: *x, before: x.events}
	for n := range x.files {
		f.table = append(f.table, n)
	}
	if x.events == 0 {
		return nil, fmt.Errorf("%w: it has no events", ErrCorrupt)
	}
	f.end = f.event(x.events - 1)
	if f.end.Kind == Cut || f.end.Kind == Ended {
		f.before--
	} else {
		f.end = cutAfter(&f.end)
	}
	return &Recording{Files: x.files, Extensions: x.extensions, framed: f}, f.err
}

// event returns an event of the index. If it cannot be read, the event ends the recording,
// and err is set.
func (f *framed) event(n int) Event {
	l, err := f.load(n)
	if err == nil {
		var e Event
		if e, err = decodeEvent(l.events.payload(n-l.first), f.table); err == nil {
			return e
		}
	}
	f.err = errors.Join(f.err, fmt.Errorf("read the recording: %w", err))
	return Event{Kind: Cut, Reason: err.Error(), Remap: noRemap}
}

// load returns the frame of an event.
func (f *framed) load(event int) (*loadedFrame, error) {
	for n := range f.loaded {
		if l := &f.loaded[n]; event >= l.first && event < l.first+l.events.n {
			return l, nil
		}
	}
	l, err := f.read(sort.Search(len(f.index.frames), func(n int) bool { return f.index.frames[n].first > event }) - 1)
	if err != nil {
		return nil, err
	}
	if f.loaded[1] = f.loaded[0]; f.loaded[1].events.largest() > maxIdle {
		f.loaded[1] = loadedFrame{}
	}
	f.loaded[0] = l
	return &f.loaded[0], nil
}

// read reads a frame and checks it.
func (f *framed) read(n int) (loadedFrame, error) {
	here, end, after := f.index.frames[n], f.index.end, f.index.events
	if n+1 < len(f.index.frames) {
		end, after = f.index.frames[n+1].start, f.index.frames[n+1].first
	}
	in := io.NewSectionReader(f.file, here.start, end-here.start)
	var err error
	if f.zip == nil {
		f.zip, err = newUnpacker(in)
	} else {
		err = f.zip.Reset(in)
	}
	if err != nil {
		return loadedFrame{}, err
	}
	l := loadedFrame{first: here.first}
	if err := l.blocks(bufio.NewReader(f.zip)); err != nil {
		return l, err
	}
	if l.events.n != after-here.first {
		return l, fmt.Errorf("%w: %d events and not %d after event %d", ErrCorrupt, l.events.n, after-here.first, here.first)
	}
	return l, nil
}

// blocks reads the events of a frame, up to its end.
func (l *loadedFrame) blocks(in *bufio.Reader) error {
	r := newRecording(unlimited{}) // the history of the process has a limit of its own
	l.events.room = unlimited{}
	for {
		tag, _, err := r.block(in)
		switch {
		case errors.Is(err, errEnds):
			return nil
		case err != nil:
			return err
		case tag != blockEvent:
			continue // the index has it
		}
		if err := l.events.add(0, &r.reader); err != nil {
			return err
		}
	}
}

// at returns an event, or the last one.
func (f *framed) at(n int) Event {
	if n == f.before {
		return f.end
	}
	return f.event(n)
}

// After returns the number of the first event at a position or after it.
func (f *framed) after(position uint64) int {
	frames := f.index.frames
	n := sort.Search(len(frames), func(n int) bool { return frames[n].position >= position })
	if n == 0 {
		return 0
	}
	first, end := frames[n-1].first, f.before
	if n < len(frames) {
		end = min(end, frames[n].first)
	}
	for first < end && f.event(first).Position < position {
		first++
	}
	if first == f.before && f.end.Position < position {
		return first + 1
	}
	return first
}

// endAt is that of Recording.
func (f *framed) endAt(position uint64) {
	if f.end.Kind == Cut && f.end.Position < position {
		f.end = Event{Kind: Cut, Position: position, Reason: f.end.Reason, Remap: noRemap}
	}
}

// Failure returns why an event could not be read, or nil.
func (r *Recording) Failure() error {
	if r.framed == nil {
		return nil
	}
	return r.framed.err
}
