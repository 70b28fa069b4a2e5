package recording

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sort"

	"github.com/klauspost/compress/zstd"
)

// Errors of [Read].
var (
	ErrFormat  = errors.New("this is no recording")
	ErrVersion = errors.New("this version of recordings is not known")
	ErrCorrupt = errors.New("the recording is damaged")
)

// Limits of a recording. They bound the memory that a reader uses for a hostile file.
const (
	maxSize     = 2 << 30 // before compression, with blockCost for each block
	blockCost   = 32
	maxBlock    = 1 << 30
	maxFiles    = 1 << 16
	maxVector   = 1 << 16
	maxMappings = 1 << 17
	maxThreads  = 1 << 15 // at a time
	maxWrites   = 1 << 20 // of an event
	maxText     = 1 << 15
	addressEnd  = 1 << 56 // with five-level paging
	pageSize    = 1 << 12
)

// A Recording is a recording in memory, or in frames of a file.
type Recording struct {
	Files      []File
	Extensions []string // of the instruction set of the processor, see proc_cpuinfo(5)

	data   []byte
	events []entry
	size   uint64 // that was read, as maxSize counts it

	indexes map[File]int // in Files
	table   []int        // of the last segment: indexes in Files
	tables  []table      // of those before it
	segment bool         // the next event is the first state of a segment

	framed *framed // has the events, if they are in frames
}

// An entry of the table of events.
type entry struct {
	position uint64
	start    int // in data
}

// Is reports whether a file begins as a recording does.
func Is(file io.ReaderAt) bool {
	head := make([]byte, len(magic))
	_, err := file.ReadAt(head, 0)
	return err == nil && string(head) == magic
}

// Read reads a recording. If the recorder was killed, the recording has what it had
// written, and ends with an event of kind Cut.
func Read(r io.Reader) (*Recording, error) {
	head := make([]byte, len(magic)+2)
	if _, err := io.ReadFull(r, head); err != nil || string(head[:len(magic)]) != magic {
		return nil, ErrFormat
	}
	if v := binary.LittleEndian.Uint16(head[len(magic):]); v == 0 || v > ringVersion {
		return nil, fmt.Errorf("%w: %d", ErrVersion, v)
	}
	zip, err := newDecoder(r)
	if err != nil {
		return nil, err
	}
	defer zip.Close()
	rec := new(Recording)
	if err := rec.blocks(bufio.NewReader(zip)); err != nil {
		return nil, err
	}
	if len(rec.events) == 0 {
		return nil, fmt.Errorf("%w: it has no events", ErrCorrupt)
	}
	return rec, nil
}

func newDecoder(r io.Reader) (*zstd.Decoder, error) {
	return zstd.NewReader(r, zstd.WithDecoderMaxWindow(window), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
}

// blocks reads blocks until the last one, or the end of the file.
func (r *Recording) blocks(in *bufio.Reader) error {
	for {
		tag, payload, err := r.block(in)
		switch {
		case errors.Is(err, errEnds):
			return r.cut()
		case err != nil:
			return err
		}
		switch tag {
		case blockFile:
			err = r.file(payload)
		case blockExtensions:
			err = r.addExtensions(payload)
		case blockEvent:
			err = r.event(payload)
		case blockSegment:
			err = r.beginSegment(payload)
		case blockEnd:
			return r.complete(payload)
		default:
			err = ErrCorrupt
		}
		if err != nil {
			return err
		}
	}
}

// errEnds reports that the file ends in the middle.
var errEnds = errors.New("the recording ends early")

// block reads a block. Its memory grows with what is read.
func (r *Recording) block(in *bufio.Reader) (byte, []byte, error) {
	tag, err := in.ReadByte()
	if err != nil {
		return 0, nil, endsEarly(err)
	}
	n, err := binary.ReadUvarint(in)
	switch {
	case err != nil:
		return 0, nil, endsEarly(err)
	case n > maxBlock || n+blockCost > maxSize-r.size:
		return 0, nil, fmt.Errorf("%w: a block of %d bytes", ErrCorrupt, n)
	}
	r.size += n + blockCost
	start := len(r.data)
	for left := int(n); left > 0; {
		at, part := len(r.data), min(left, 1<<20)
		r.data = append(r.data, make([]byte, part)...)
		if _, err := io.ReadFull(in, r.data[at:]); err != nil {
			r.data = r.data[:start]
			return 0, nil, endsEarly(err)
		}
		left -= part
	}
	return tag, r.data[start:], nil
}

// endsEarly returns errEnds for the end of the file, and else an error about damage.
func endsEarly(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errEnds
	}
	return fmt.Errorf("%w: %w", ErrCorrupt, err)
}

func (r *Recording) file(payload []byte) error {
	d := decoder{b: payload}
	f := File{Path: d.text(), Size: int64(d.uvarint() & (1<<62 - 1))}
	copy(f.Digest[:], d.bytes(uint64(len(f.Digest))))
	if d.bad || len(d.b) > 0 || len(r.table) == maxFiles || len(r.Files) == maxFiles || !filepath.IsAbs(f.Path) {
		return fmt.Errorf("%w: file %d", ErrCorrupt, len(r.table))
	}
	r.addFile(f)
	r.data = r.data[:len(r.data)-len(payload)]
	return nil
}

func (r *Recording) event(payload []byte) error {
	e, err := decodeEvent(payload, r.table)
	if err != nil {
		return fmt.Errorf("event %d: %w", len(r.events), err)
	}
	first := len(r.events) == 0
	if r.segment && !first {
		return r.skipState(&e, payload)
	}
	r.segment = false
	switch {
	case first && (e.Kind != Image || e.Number != 0):
		return fmt.Errorf("%w: it does not begin with a program", ErrCorrupt)
	case !first && (e.Position < r.events[len(r.events)-1].position || e.Kind == Image && e.Number == 0):
		return fmt.Errorf("%w: event %d is before the one before it", ErrCorrupt, len(r.events))
	case r.final():
		return fmt.Errorf("%w: an event after the end", ErrCorrupt)
	}
	r.events = append(r.events, entry{e.Position, len(r.data) - len(payload)})
	return nil
}

// final reports whether the last event ends the recording.
func (r *Recording) final() bool {
	if len(r.events) == 0 {
		return false
	}
	kind := Kind(r.data[r.events[len(r.events)-1].start])
	return kind == Ended || kind == Cut
}

// complete checks that the recording has an end.
func (r *Recording) complete(payload []byte) error {
	if !r.final() || len(payload) > 0 {
		return fmt.Errorf("%w: it has no end", ErrCorrupt)
	}
	return nil
}

// cut ends a recording that ends in the middle at its last event.
func (r *Recording) cut() error {
	if len(r.events) == 0 || r.final() {
		return nil
	}
	last := r.Event(len(r.events) - 1)
	e := cutAfter(&last)
	start := len(r.data)
	r.data = appendEvent(r.data, &e)
	r.events = append(r.events, entry{e.Position, start})
	return nil
}

// noRemap is the Remap of an event that has none, as it is read.
var noRemap = Remap{Mapping: Mapping{File: -1}}

// cutAfter returns the end of a recording whose last event is e.
func cutAfter(e *Event) Event {
	return Event{Kind: Cut, Position: e.Position + e.duration(), Immediate: true, Reason: "the recorder has ended there", Remap: noRemap}
}

// endAt moves the end of a recording that ends in the middle to a later position.
func (r *Recording) endAt(position uint64) {
	if r.framed != nil {
		r.framed.endAt(position)
		return
	}
	n := len(r.events) - 1
	if last := r.Event(n); last.Kind == Cut && last.Position < position {
		r.data = appendEvent(r.data[:r.events[n].start], &Event{Kind: Cut, Position: position, Reason: last.Reason})
		r.events[n].position = position
	}
}

// Len returns the number of events.
func (r *Recording) Len() int {
	if r.framed != nil {
		return r.framed.before + 1
	}
	return len(r.events)
}

// Event returns an event. Its data is part of the recording.
func (r *Recording) Event(n int) Event {
	if r.framed != nil {
		return r.framed.at(n)
	}
	end := len(r.data)
	if n+1 < len(r.events) {
		end = r.events[n+1].start
	}
	e, err := decodeEvent(r.data[r.events[n].start:end], r.tableOf(n))
	if err != nil {
		panic(err) // it was checked
	}
	return e
}

// End returns the last position.
func (r *Recording) End() uint64 {
	if r.framed != nil {
		return r.framed.end.Position
	}
	return r.events[len(r.events)-1].position
}

// Last returns the last event.
func (r *Recording) Last() Event { return r.Event(r.Len() - 1) }

// Process returns the process id of the recorded program.
func (r *Recording) Process() int {
	e := r.Event(0)
	return max(1, e.Status&(1<<31-1))
}

// begins returns why the recording does not begin earlier.
func (r *Recording) begins() string {
	if r.Event(0).Position > 0 {
		return "older records made room: a larger --max-size of triptych record keeps more in the file of -o"
	}
	return "recording began there"
}

// after returns the number of the first event at a position or after it.
func (r *Recording) after(position uint64) int {
	if r.framed != nil {
		return r.framed.after(position)
	}
	return sort.Search(len(r.events), func(n int) bool { return r.events[n].position >= position })
}
