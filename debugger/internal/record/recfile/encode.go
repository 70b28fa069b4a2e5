package recfile

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// magic begins a recording, before the version and the compressed blocks.
const (
	magic   = "TRIPTYCH RECORDING\n"
	version = 1
)

// Tags of blocks. A block is a tag, the length of its payload, and the payload.
const (
	blockExtensions = 'X' // of the processor
	blockFile       = 'F' // an entry of the table of files
	blockEvent      = 'E'
	blockContents   = 'C' // a piece of the contents of a file
	blockSegment    = 'S' // the first state follows, with a table of files of its own
	blockEnd        = 'Z' // everything was written
)

// A Writer writes a recording.
type Writer struct {
	zip    *zstd.Encoder
	out    *headed
	buf    []byte
	files  int
	events int64
	size   int64
	index  *Index // of a recording in frames, else nil
	segments

	contents int64 // bytes of contents, as maxContents counts them
	flushed  int64 // size up to which everything is readable
	image    int64 // size after the first state
}

// NewWriter returns a Writer of a recording to w, which gets nothing before the first event:
// entries of the table of files wait in the compressor. If w has a method Full() bool that
// returns true, the recording ends. If w is a *[Ring], the recording has segments.
func NewWriter(w io.Writer) (*Writer, error) {
	out := &headed{to: w, head: header()}
	ring, _ := w.(*Ring)
	zip, err := zstd.NewWriter(out, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window))
	return &Writer{zip: zip, out: out, segments: segments{ring: ring}}, err
}

// A headed writer writes a head before the first bytes.
type headed struct {
	to   io.Writer
	head []byte
	err  error // the first one
}

func (h *headed) Write(b []byte) (int, error) {
	if len(h.head) > 0 {
		if _, h.err = h.to.Write(h.head); h.err != nil {
			return 0, h.err
		}
		h.head = nil
	}
	n, err := h.to.Write(b)
	h.err = cmp.Or(h.err, err)
	return n, err
}

// window is the size of the compressor's window. Readers refuse a larger one.
const window = 1 << 20

// AddFile adds a file to the table and returns its index.
func (w *Writer) AddFile(f File) (int, error) {
	if w.files == maxFiles {
		return 0, errTooMany
	}
	w.buf = appendText(w.buf[:0], f.Path)
	w.buf = binary.AppendUvarint(w.buf, uint64(f.Size))
	w.buf = append(w.buf, f.Digest[:]...)
	w.files++
	if w.index != nil {
		w.index.files = append(w.index.files, f)
	}
	return w.files - 1, w.block(blockFile)
}

// Add adds an event. There is always room for one of kind Cut or Ended.
func (w *Writer) Add(e *Event) error {
	if last := e.Kind == Cut || e.Kind == Ended; last && w.index == nil && w.events > 0 {
		if err := w.Flush(); err != nil { // what is before it is readable without it
			return err
		}
	}
	w.buf = appendEvent(w.buf[:0], e)
	if e.Kind != Cut && e.Kind != Ended && w.size+int64(len(w.buf)) > MaxSize-lastRoom {
		return errTooMany
	}
	w.events++
	if err := w.block(blockEvent); err != nil || w.index == nil {
		return err
	}
	w.index.add(e.Position)
	return nil
}

// Numbers of bytes before compression after which events are made readable: a part of what follows
// the first state, so that of a short recording most is readable, too.
const (
	flushEvery = 1 << 20
	flushLeast = 4 << 10
	flushPart  = 8
)

// FlushDue makes what was added readable if it has become much. Frames begin anew
// with each flush, so that they are larger.
func (w *Writer) FlushDue() error {
	after := int64(flushEvery)
	w.flushed, w.image = min(w.flushed, w.size), min(w.image, w.size) // a segment was dropped
	if w.index == nil {
		after = min(max((w.size-w.image)/flushPart, flushLeast), flushEvery)
	}
	if w.size-w.flushed < after {
		return nil
	}
	return w.Flush()
}

// FlushFirst makes the first state readable.
func (w *Writer) FlushFirst() error {
	w.image = w.size
	if w.index != nil {
		return nil // its frame goes on
	}
	return w.Flush()
}

// lastRoom is room for the last events of a recording.
const lastRoom = 1 << 20

// Full reports whether the underlying writer has a method Full that returns true.
func (w *Writer) Full() bool {
	f, ok := w.out.to.(interface{ Full() bool })
	return ok && f.Full()
}

// End adds the reason why a recording ends before the program, and ends it. Nothing is added after
// an error of the underlying writer, which was reported, nor to a recording without events.
func (w *Writer) End(e *Event) error {
	if w.out.err != nil || w.events == 0 {
		return nil
	}
	return w.Add(e)
}

// Finish is Close unless an error of the underlying writer was reported, or nothing was added.
func (w *Writer) Finish() error {
	if w.out.err != nil || w.events == 0 {
		return nil
	}
	return w.Close()
}

// Events returns the number of events.
func (w *Writer) Events() int64 { return w.events }

// Index returns the index of a recording in frames, else nil.
func (w *Writer) Index() *Index { return w.index }

// Size returns the number of bytes before compression.
func (w *Writer) Size() int64 { return w.size }

// Flush makes everything readable that was added so far.
func (w *Writer) Flush() error {
	w.flushed = w.size
	if w.index != nil {
		return w.endFrame()
	}
	return w.zip.Flush()
}

// Close ends the recording. It does not close the underlying writer.
func (w *Writer) Close() error {
	w.buf = w.buf[:0]
	if err := w.block(blockEnd); err != nil || w.index == nil {
		return errors.Join(err, w.zip.Close())
	}
	return w.endFrame()
}

// block writes the buffer as a block.
func (w *Writer) block(tag byte) error {
	if len(w.buf) > maxBlock {
		return fmt.Errorf("an event of %d bytes: %w", len(w.buf), errTooMany)
	}
	size := w.size + int64(len(w.buf)) + blockCost
	if size > MaxSize {
		return errTooMany
	}
	w.size = size
	return w.writeBlock(tag)
}

// writeBlock writes the buffer as a block of which the size is counted.
func (w *Writer) writeBlock(tag byte) error {
	if _, err := w.zip.Write(binary.AppendUvarint([]byte{tag}, uint64(len(w.buf)))); err != nil {
		return err
	}
	_, err := w.zip.Write(w.buf)
	if cap(w.buf) > maxKept {
		w.buf = nil // that of an image is as large as the process
	}
	return err
}

// maxKept is the largest buffer that is kept for the next event.
const maxKept = 1 << 20

// Parts of an event, in the order in which they follow its head.
const (
	partImmediate = 1 << iota
	partWrites
	partVector
	partRemap
	partMappings
	partThreads
	partCurrent
)

func appendEvent(b []byte, e *Event) []byte {
	parts := byte(0)
	for n, on := range [...]bool{
		e.Immediate, len(e.Writes) > 0, e.Vector != nil, e.Remap.Kind != NoRemap, len(e.Mappings) > 0,
		len(e.Threads) > 0, e.Current != 0,
	} {
		if on {
			parts |= 1 << n
		}
	}
	b = append(b, byte(e.Kind), parts)
	b = binary.AppendUvarint(b, e.Position)
	b = binary.AppendUvarint(b, e.Number)
	b = binary.LittleEndian.AppendUint64(b, e.Hash)
	b = binary.AppendVarint(b, int64(e.Status))
	b = appendText(b, e.Reason)
	b = appendRegisters(b, e.Registers)
	if parts&partWrites != 0 {
		b = appendWrites(b, e.Writes)
	}
	if parts&partVector != 0 {
		b = appendText(b, string(e.Vector))
	}
	if parts&partRemap != 0 {
		b = appendMapping(append(b, byte(e.Remap.Kind)), e.Remap.Mapping)
		b = binary.AppendUvarint(b, e.Remap.To)
		b = binary.AppendUvarint(b, e.Remap.ToLen)
	}
	if parts&partMappings != 0 {
		b = binary.AppendUvarint(b, uint64(len(e.Mappings)))
		for _, m := range e.Mappings {
			b = appendMapping(b, m)
		}
	}
	if parts&partThreads != 0 {
		b = binary.AppendUvarint(b, uint64(len(e.Threads)))
		for _, t := range e.Threads {
			b = appendRegisters(binary.AppendUvarint(b, uint64(t.ID)), t.Registers)
			b = appendText(b, string(t.Vector))
		}
	}
	if parts&partCurrent != 0 {
		b = binary.AppendUvarint(b, uint64(e.Current))
	}
	return b
}

func appendRegisters(b []byte, list []Register) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, r := range list {
		b = binary.AppendUvarint(append(b, r.Number), r.Value)
	}
	return b
}

func appendWrites(b []byte, writes []Write) []byte {
	b = binary.AppendUvarint(b, uint64(len(writes)))
	for _, w := range writes {
		b = binary.AppendUvarint(b, w.Address)
		b = binary.AppendUvarint(b, uint64(len(w.Data)))
		b = append(b, w.Data...)
	}
	return b
}

func appendMapping(b []byte, m Mapping) []byte {
	b = binary.AppendUvarint(b, m.Start)
	b = binary.AppendUvarint(b, m.Length)
	b = binary.AppendUvarint(b, uint64(m.Protection))
	b = binary.AppendUvarint(b, uint64(m.File+1))
	b = binary.AppendUvarint(b, m.Offset)
	return appendText(b, m.Name)
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}
