package recfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// contents are the contents of a file of the table that the recording has, in pieces that follow
// each other.
type contents struct {
	size   uint64 // of the file
	pieces [][]byte
	have   uint64 // bytes in pieces
}

// Sizes of contents.
const (
	maxContents = 2 << 30         // of all files, with blockCost for each block; events are counted by themselves
	pieceSize   = maxKept - 1<<10 // with a head, the buffer for it is used again
	DigestSize  = 32
)

// complete reports whether all of a file is there.
func (c *contents) complete() bool { return c != nil && c.have == c.size }

// read returns the contents as a stream.
func (c *contents) read() io.Reader {
	list := make([]io.Reader, 0, len(c.pieces))
	for _, b := range c.pieces {
		list = append(list, bytes.NewReader(b))
	}
	return io.MultiReader(list...)
}

// AddContents reads a piece of the contents of a file of the table.
func (r *Recording) addContents(p payload) error {
	c, d, err := r.piece(p)
	if err != nil || c == nil {
		return err
	}
	most := 2*int64(len(d.zeros)) + int64(d.left()/uint64(len(zeros))) + 2
	if err := r.events.room.Take(2 * most * sliceSize); err != nil {
		return err
	}
	for d.left() > 0 && !d.bad {
		c.pieces = append(c.pieces, d.piece(d.left()))
	}
	r.reader.detach() // the pieces have its memory, which stays taken
	return nil
}

// piece counts a piece of the contents of a file of the table, and returns the contents that it belongs
// to and what has it. Segments have files in common, so that a piece may be there already: the contents
// are nil then.
func (r *Recording) piece(p payload) (*contents, decoder, error) {
	d := newDecoder(p, nil)
	var digest [DigestSize]byte
	copy(digest[:], d.bytes(DigestSize))
	at := d.uvarint()
	c := r.contents[digest]
	if d.bad || c == nil || at > c.have || d.left() > c.size-at {
		return nil, d, fmt.Errorf("%w: the contents of a file", ErrCorrupt)
	}
	if at < c.have {
		return nil, d, nil
	}
	c.have += d.left()
	return c, d, nil
}

// kept returns the contents of a file if the recording has them, else nil.
func (r *Recording) kept(f *File) *contents {
	if c := r.contents[f.Digest]; c.complete() && c.size == uint64(f.Size) {
		return c
	}
	return nil
}

// Contents returns the contents of a file, or nil if the recording has not all of them.
func (r *Recording) Contents(f *File) io.Reader {
	if c := r.kept(f); c != nil {
		return c.read()
	}
	return nil
}

// Lacking returns the files that the recording has not the contents of: a replay needs them
// where they were.
func (r *Recording) Lacking() []File {
	var list []File
	for n := range r.Files {
		if r.kept(&r.Files[n]) == nil {
			list = append(list, r.Files[n])
		}
	}
	return list
}

// AddContents adds the contents of a file of the table.
func (w *Writer) AddContents(f *File, data io.Reader) error {
	for at := int64(0); at < f.Size; at += pieceSize {
		n := min(f.Size-at, pieceSize)
		if w.contents += n + DigestSize + maxNumber + blockCost; w.contents > maxContents {
			return errTooMany
		}
		w.buf = append(w.buf[:0], f.Digest[:]...)
		w.buf = binary.AppendUvarint(w.buf, uint64(at))
		head := len(w.buf)
		w.buf = slices.Grow(w.buf, int(n))[:head+int(n)]
		if _, err := io.ReadFull(data, w.buf[head:]); err != nil {
			return fmt.Errorf("read %s: %w", f.Path, err)
		}
		if err := w.writeBlock(blockContents); err != nil {
			return err
		}
	}
	return nil
}

// Sizes of the contents that are kept while a program is recorded.
const (
	contentsRoom = 32 << 20 // of all in a segment
	contentsPart = 16       // or this part of what the file may have
)

// ContentsRoom returns how many bytes of contents may be added while a program is recorded.
func (w *Writer) ContentsRoom() int64 {
	if w.index != nil {
		return 0 // the files of a recording in frames are there when it is replayed
	}
	if limited, ok := w.out.to.(interface{ Limit() int64 }); ok && limited.Limit() > 0 {
		return min(contentsRoom, limited.Limit()/contentsPart)
	}
	return contentsRoom
}
