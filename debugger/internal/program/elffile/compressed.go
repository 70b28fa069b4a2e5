package elffile

import (
	"bytes"
	"compress/zlib"
	"debug/elf"
	"encoding/binary"
	"errors"
	"io"
)

// oldHead is the size of the head of a section of the old GNU form: "ZLIB", and the size of the
// contents in eight bytes, big-endian. The compressed data follows.
const oldHead = 12

// contentSize returns the size of a section's contents, decompressed, as the section gives it.
func contentSize(s *elf.Section) uint64 {
	if !isOldForm(s) {
		return s.Size
	}
	var head [oldHead]byte
	if _, err := s.ReadAt(head[:], 0); err != nil || string(head[:4]) != "ZLIB" {
		return s.Size
	}
	return binary.BigEndian.Uint64(head[4:])
}

// isOldForm reports whether a section may have the old form of compression. One that its flags
// say is compressed does not: its ReaderAt is nil, and debug/elf decompresses it.
func isOldForm(s *elf.Section) bool {
	return s.Flags&elf.SHF_COMPRESSED == 0 && len(s.Name) >= len(".zdebug") && s.Name[:len(".zdebug")] == ".zdebug"
}

// inflate reads a section of the old form, whose contents have a size.
func inflate(s *elf.Section, size uint64) ([]byte, error) {
	raw, err := s.Data()
	if err != nil {
		return nil, err
	}
	if len(raw) < oldHead || string(raw[:4]) != "ZLIB" {
		return raw, nil
	}
	z, err := zlib.NewReader(bytes.NewReader(raw[oldHead:]))
	if err != nil {
		return nil, err
	}
	defer func() { _ = z.Close() }() // reading has reported all errors
	return readSized(z, size)
}

// readSized reads contents of a size, or fewer if they end early, and needs no more memory than
// what was read and a quarter of it.
func readSized(r io.Reader, size uint64) ([]byte, error) {
	var b []byte
	for uint64(len(b)) < size {
		grown := make([]byte, min(size, uint64(max(4*len(b), 1<<20))))
		n, err := io.ReadFull(r, grown[copy(grown, b):])
		if b = grown[:len(b)+n]; errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return b, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return b, nil
}
