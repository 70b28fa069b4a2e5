package location

import (
	"encoding/binary"
	"errors"
)

var errShort = errors.New("location expression ends early")

// A reader takes operands off an expression. Its first error sticks, and what it
// returns from then on is zero.
type reader struct {
	data []byte
	err  error
}

func (r *reader) take(n uint64) []byte {
	if r.err == nil && n > uint64(len(r.data)) {
		r.err = errShort
	}
	if r.err != nil {
		return nil
	}
	p := r.data[:n]
	r.data = r.data[n:]
	return p
}

func (r *reader) fixed(size int) uint64 {
	var p [8]byte
	copy(p[:], r.take(uint64(size)))
	return binary.LittleEndian.Uint64(p[:])
}

// signed reads a number of that many bytes and extends its sign.
func (r *reader) signed(size int) int64 {
	shift := 64 - 8*size
	return int64(r.fixed(size)<<shift) >> shift
}

func (r *reader) uleb() uint64 {
	var v uint64
	for shift := uint(0); ; shift += 7 {
		b := r.fixed(1)
		if shift < 64 {
			v |= b & 0x7f << shift
		}
		if b&0x80 == 0 || r.err != nil {
			return v
		}
	}
}

func (r *reader) sleb() int64 {
	var v int64
	for shift := uint(0); ; shift += 7 {
		b := r.fixed(1)
		if shift < 64 {
			v |= int64(b&0x7f) << shift
		}
		if b&0x80 == 0 || r.err != nil {
			if b&0x40 != 0 && shift+7 < 64 {
				v |= -1 << (shift + 7)
			}
			return v
		}
	}
}

func (r *reader) block() []byte { return r.take(r.uleb()) }
