package elffile

import (
	"bytes"
	"compress/zlib"
	"debug/elf"
	"encoding/binary"
	"errors"
	"io"
)

// inflate reads a section of the old GNU form: "ZLIB", the size in eight bytes,
// big-endian, and the compressed data.
func inflate(s *elf.Section) ([]byte, error) {
	raw, err := s.Data()
	if err != nil {
		return nil, err
	}
	if len(raw) < 12 || string(raw[:4]) != "ZLIB" {
		return raw, nil
	}
	size := binary.BigEndian.Uint64(raw[4:])
	if size > MaxSection {
		return nil, errors.New("compressed section is too large")
	}
	z, err := zlib.NewReader(bytes.NewReader(raw[12:]))
	if err != nil {
		return nil, err
	}
	defer func() { _ = z.Close() }() // reading has reported all errors
	return io.ReadAll(io.LimitReader(z, int64(size)))
}
