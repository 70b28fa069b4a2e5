package cfi

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// errShort means that the section ends in the middle of something.
var errShort = errors.New("frame information ends early")

// A reader takes fields off the front of data. Its first error sticks, and what
// it returns from then on is zero, so callers check once at the end.
type reader struct {
	data []byte
	addr uint64 // of data[0]
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
	r.data, r.addr = r.data[n:], r.addr+n
	return p
}

func (r *reader) fixed(size int) uint64 {
	var p [8]byte
	copy(p[:], r.take(uint64(size)))
	return binary.LittleEndian.Uint64(p[:])
}

func (r *reader) byte() byte { return byte(r.fixed(1)) }

// uleb reads a variable-length number; bits above 64 are dropped.
func (r *reader) uleb() uint64 {
	var v uint64
	for shift := uint(0); ; shift += 7 {
		b := r.byte()
		if shift < 64 {
			v |= uint64(b&0x7f) << shift
		}
		if b&0x80 == 0 || r.err != nil {
			return v
		}
	}
}

func (r *reader) sleb() int64 {
	var v int64
	for shift := uint(0); ; shift += 7 {
		b := r.byte()
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

// cstring reads up to and over a zero byte.
func (r *reader) cstring() string {
	for i, b := range r.data {
		if b == 0 && r.err == nil {
			return string(r.take(uint64(i + 1))[:i])
		}
	}
	r.err = errShort
	return ""
}

// block reads a length and that many bytes.
func (r *reader) block() []byte { return r.take(r.uleb()) }

// Pointer encodings of .eh_frame (Linux Standard Base 5.0, table 10.5 and 10.6).
const (
	encAbsolute = 0x00
	encOmit     = 0xff
	encIndirect = 0x80
	encFormat   = 0x0f
	encBase     = 0x70
)

// formats says how each pointer format is stored: bytes, and whether signed.
// Zero bytes stand for the variable-length numbers.
var formats = map[byte]struct {
	size   int
	signed bool
}{
	0x00: {8, false}, 0x01: {0, false}, 0x02: {2, false}, 0x03: {4, false}, 0x04: {8, false},
	0x09: {0, true}, 0x0a: {2, true}, 0x0b: {4, true}, 0x0c: {8, true},
}

// bases are what relative pointers are relative to, beside their own place.
type bases struct{ data, function uint64 }

// pointer reads an encoded address. One that is indirect comes back as it is:
// its value lives in the process, and no field we need is of that sort.
func (r *reader) pointer(enc byte, b bases) uint64 {
	if enc == encOmit {
		return 0
	}
	at := r.addr
	v := r.raw(enc)
	switch enc & encBase {
	case encAbsolute:
	case 0x10: // relative to the field itself
		v += at
	case 0x30: // relative to .eh_frame_hdr
		v += b.data
	case 0x40: // relative to the function
		v += b.function
	default:
		r.fail("pointer encoding %#x", enc)
	}
	return v
}

// raw reads the number of an encoded pointer.
func (r *reader) raw(enc byte) uint64 {
	f, ok := formats[enc&encFormat]
	switch {
	case !ok:
		r.fail("pointer format %#x", enc)
		return 0
	case f.size == 0 && f.signed:
		return uint64(r.sleb())
	case f.size == 0:
		return r.uleb()
	}
	v := r.fixed(f.size)
	if shift := 64 - 8*f.size; f.signed {
		return uint64(int64(v<<shift) >> shift)
	}
	return v
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}
