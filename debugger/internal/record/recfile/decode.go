package recfile

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sort"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/budget"
)

// Errors of [Read].
var (
	ErrFormat  = errors.New("this is no recording")
	ErrVersion = errors.New("this version of recordings is not known")
	ErrCorrupt = errors.New("the recording is damaged")
)

// Limits of a recording. They bound the memory that a reader uses for a hostile file.
const (
	MaxSize     = 2 << 30 // before compression, with blockCost for each block
	blockCost   = 32
	maxBlock    = 1 << 30
	maxFiles    = 1 << 16
	MaxVector   = 1 << 16
	maxMappings = 1 << 17
	MaxThreads  = 1 << 15 // at a time
	maxWrites   = 1 << 20 // of an event
	maxText     = 1 << 15
	addressEnd  = 1 << 56 // with five-level paging
	PageSize    = 1 << 12
)

// A Recording is a recording in memory, or in frames of a file.
type Recording struct {
	Files      []File
	Extensions []string // of the instruction set of the processor, see proc_cpuinfo(5)

	events eventList
	reader payloadReader
	size   uint64 // that was read, as maxSize counts it
	packed uint64 // likewise of contents, as maxContents counts it

	decoded int64 // the most bytes that an event takes when it is decoded

	indexes  map[File]int                   // in Files
	contents map[[DigestSize]byte]*contents // of Files, by their digests
	table    []int                          // of the last segment: indexes in Files
	tables   []table                        // of those before it
	segment  bool                           // the next event is the first state of a segment

	framed *framed // has the events, if they are in frames
}

// Is reports whether a file begins as a recording does.
func Is(file io.ReaderAt) bool {
	head := make([]byte, len(magic))
	_, err := file.ReadAt(head, 0)
	return err == nil && string(head) == magic
}

// Read reads a recording. If the recorder was killed, the recording has what it had
// written, and ends with an event of kind Cut. The account, which may be nil, has the memory
// that the recording takes.
func Read(r io.Reader, account *budget.Account) (*Recording, error) {
	zip, err := unpack(r)
	if err != nil {
		return nil, err
	}
	defer zip.Close()
	if err := account.Take(unpackerSize); err != nil {
		return nil, err
	}
	defer account.Give(unpackerSize)
	rec := newRecording(account)
	defer rec.reader.release()
	if err := rec.blocks(bufio.NewReaderSize(zip, readSize)); err != nil {
		return nil, err
	}
	if rec.events.n == 0 {
		return nil, fmt.Errorf("%w: it has no events", ErrCorrupt)
	}
	return rec, nil
}

// unpack reads the head of a recording and returns a reader of its blocks.
func unpack(r io.Reader) (*zstd.Decoder, error) {
	head := make([]byte, len(magic)+2)
	if _, err := io.ReadFull(r, head); err != nil || string(head[:len(magic)]) != magic {
		return nil, ErrFormat
	}
	if v := binary.LittleEndian.Uint16(head[len(magic):]); v != version {
		return nil, fmt.Errorf("%w: %d", ErrVersion, v)
	}
	return newUnpacker(r)
}

func newUnpacker(r io.Reader) (*zstd.Decoder, error) {
	return zstd.NewReader(r, zstd.WithDecoderMaxWindow(window), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
}

// unpackerSize is the memory that an unpacker takes, and a buffer behind it.
const (
	unpackerSize = 2*window + readSize
	readSize     = 64 << 10
)

// newRecording returns a Recording without events.
func newRecording(memory Room) *Recording {
	return &Recording{events: eventList{room: memory}, reader: payloadReader{room: memory}}
}

// blocks reads blocks until the last one, or the end of the file.
func (r *Recording) blocks(in *bufio.Reader) error {
	for {
		tag, p, err := r.block(in)
		switch {
		case errors.Is(err, errEnds):
			return r.cut()
		case err != nil:
			return err
		}
		switch tag {
		case blockFile:
			err = r.file(p)
		case blockExtensions:
			err = r.addExtensions(p)
		case blockEvent:
			err = r.event(p)
		case blockContents:
			err = r.addContents(p)
		case blockSegment:
			err = r.beginSegment(p)
		case blockEnd:
			return r.complete(p)
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

// block reads a block. The payload is valid until the next one is read.
func (r *Recording) block(in *bufio.Reader) (byte, payload, error) {
	tag, n, err := r.blockHead(in)
	if err != nil {
		return 0, payload{}, err
	}
	p, err := r.payload(in, n)
	return tag, p, err
}

// blockHead reads the tag of a block and the length of its payload.
func (r *Recording) blockHead(in *bufio.Reader) (tag byte, n uint64, err error) {
	if tag, err = in.ReadByte(); err != nil {
		return 0, 0, endsEarly(err)
	}
	n, err = binary.ReadUvarint(in)
	switch {
	case err != nil:
		return 0, 0, endsEarly(err)
	case n > maxBlock || !r.count(tag, n+blockCost):
		return 0, 0, fmt.Errorf("%w: a block of %d bytes", ErrCorrupt, n)
	}
	return tag, n, nil
}

// payload reads a payload of n bytes. Its memory grows with what is read.
func (r *Recording) payload(in *bufio.Reader, n uint64) (payload, error) {
	p, err := r.reader.read(in, n)
	if full := (*budget.Error)(nil); err != nil && !errors.As(err, &full) {
		err = endsEarly(err)
	}
	return p, err
}

// count counts the bytes of a block, and reports whether a recording may have so many.
func (r *Recording) count(tag byte, n uint64) bool {
	size, most := &r.size, uint64(MaxSize)
	if tag == blockContents {
		size, most = &r.packed, maxContents
	}
	*size += n
	return *size <= most
}

// endsEarly returns errEnds for the end of the file, and else an error about damage.
func endsEarly(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errEnds
	}
	return fmt.Errorf("%w: %w", ErrCorrupt, err)
}

func (r *Recording) file(p payload) error {
	d := newDecoder(p, nil)
	f := File{Path: d.text(), Size: int64(d.uvarint() & (1<<62 - 1))}
	copy(f.Digest[:], d.bytes(uint64(len(f.Digest))))
	if d.bad || d.left() > 0 || len(r.table) == maxFiles || len(r.Files) == maxFiles || !filepath.IsAbs(f.Path) {
		return fmt.Errorf("%w: file %d", ErrCorrupt, len(r.table))
	}
	return r.addFile(f)
}

func (r *Recording) event(p payload) error {
	e, err := decodeEvent(p, r.table)
	if err != nil {
		return fmt.Errorf("event %d: %w", r.events.n, err)
	}
	if n := e.decodedSize(); n > r.decoded {
		if err := r.events.room.Take(n - r.decoded); err != nil {
			return err
		}
		r.decoded = n
	}
	first := r.events.n == 0
	if r.segment && !first {
		return r.skipState(&e)
	}
	r.segment = false
	switch {
	case first && (e.Kind != Image || e.Number != 0):
		return fmt.Errorf("%w: it does not begin with a program", ErrCorrupt)
	case !first && (e.Position < r.events.at(r.events.n-1).position || e.Kind == Image && e.Number == 0):
		return fmt.Errorf("%w: event %d is before the one before it", ErrCorrupt, r.events.n)
	case r.final():
		return fmt.Errorf("%w: an event after the end", ErrCorrupt)
	}
	return r.events.add(e.Position, &r.reader)
}

// final reports whether the last event ends the recording.
func (r *Recording) final() bool {
	if r.events.n == 0 {
		return false
	}
	kind := r.events.kind(r.events.n - 1)
	return kind == Ended || kind == Cut
}

// complete checks that the recording has an end.
func (r *Recording) complete(p payload) error {
	if !r.final() || p.size() > 0 {
		return fmt.Errorf("%w: it has no end", ErrCorrupt)
	}
	return nil
}

// cut ends a recording that ends in the middle at its last event.
func (r *Recording) cut() error {
	if r.events.n == 0 || r.final() {
		return nil
	}
	last := r.Event(r.events.n - 1)
	e := cutAfter(&last)
	if err := r.events.append(entry{}); err != nil {
		return err
	}
	r.events.set(r.events.n-1, e.Position, appendEvent(nil, &e))
	return nil
}

// noRemap is the Remap of an event that has none, as it is read.
var noRemap = Remap{Mapping: Mapping{File: -1}}

// cutAfter returns the end of a recording whose last event is e.
func cutAfter(e *Event) Event {
	return Event{Kind: Cut, Position: e.Position + e.Positions(), Immediate: true, Reason: "the recorder has ended there", Remap: noRemap}
}

// EndAt moves the end of a recording that ends in the middle to a later position.
func (r *Recording) EndAt(position uint64) {
	if r.framed != nil {
		r.framed.endAt(position)
		return
	}
	n := r.events.n - 1
	if last := r.Event(n); last.Kind == Cut && last.Position < position {
		r.events.set(n, position, appendEvent(nil, &Event{Kind: Cut, Position: position, Reason: last.Reason}))
	}
}

// Memory takes the memory of the recording, and what else is for it.
func (r *Recording) Memory() Room { return r.events.room }

// Len returns the number of events.
func (r *Recording) Len() int {
	if r.framed != nil {
		return r.framed.before + 1
	}
	return r.events.n
}

// Event returns an event. Its data is part of the recording.
func (r *Recording) Event(n int) Event {
	if r.framed != nil {
		return r.framed.at(n)
	}
	e, err := decodeEvent(r.events.payload(n), r.tableOf(n))
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
	return r.events.at(r.events.n - 1).position
}

// Last returns the last event.
func (r *Recording) Last() Event { return r.Event(r.Len() - 1) }

// Process returns the process id of the recorded program.
func (r *Recording) Process() int {
	e := r.Event(0)
	return max(1, e.Status&(1<<31-1))
}

// Begins returns why the recording does not begin earlier.
func (r *Recording) Begins() string {
	if r.Event(0).Position > 0 {
		return "older records made room: a larger --max-size of triptych record keeps more in the file of -o"
	}
	return "recording began there"
}

// After returns the number of the first event at a position or after it.
func (r *Recording) After(position uint64) int {
	if r.framed != nil {
		return r.framed.after(position)
	}
	return sort.Search(r.events.n, func(n int) bool { return r.events.at(n).position >= position })
}

// Program returns the path of the program with which the recording begins: the file with the lowest
// address, which is the program on Linux.
func (r *Recording) Program() string {
	first := r.Event(0)
	for _, m := range first.Mappings {
		if strings.HasPrefix(m.Name, "/") {
			return m.Name
		}
	}
	return ""
}
