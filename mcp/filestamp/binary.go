package filestamp

import (
	"encoding/binary"
	"errors"
)

// binarySize is the length of a stamp in bytes.
const binarySize = 5 * 8

// AppendBinary appends the stamp to b, so that it can be stored. It never fails.
func (s Stamp) AppendBinary(b []byte) ([]byte, error) {
	for _, v := range [...]uint64{uint64(s.size), uint64(s.modified), uint64(s.changed), s.device, s.inode} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b, nil
}

// UnmarshalBinary sets s to a stamp that AppendBinary has written.
func (s *Stamp) UnmarshalBinary(b []byte) error {
	if len(b) != binarySize {
		return errors.New("a stamp has 40 bytes")
	}
	at := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	*s = Stamp{size: int64(at(0)), modified: int64(at(1)), changed: int64(at(2)), device: at(3), inode: at(4)}
	return nil
}
