package field

import "encoding/binary"

// A Reader reads fields from the front of Data. After the first error, which
// it keeps in Err, all reads return zero, so that callers check once at the
// end.
type Reader struct {
	Data  []byte
	Addr  uint64 // of Data[0], where that matters
	Short error  // what Err becomes when Data ends in the middle of something
	Err   error
}

// Take returns the next n bytes, which alias Data; nil if there are fewer.
func (r *Reader) Take(n uint64) []byte {
	if r.Err == nil && n > uint64(len(r.Data)) {
		r.Err = r.Short
	}
	if r.Err != nil {
		return nil
	}
	p := r.Data[:n]
	r.Data, r.Addr = r.Data[n:], r.Addr+n
	return p
}

// Fixed reads a number of up to eight bytes.
func (r *Reader) Fixed(size int) uint64 {
	var p [8]byte
	copy(p[:], r.Take(uint64(size)))
	return binary.LittleEndian.Uint64(p[:])
}

// Signed reads a signed number of one to eight bytes.
func (r *Reader) Signed(size int) int64 {
	shift := 64 - 8*size
	return int64(r.Fixed(size)<<shift) >> shift
}

// Byte reads a byte.
func (r *Reader) Byte() byte { return byte(r.Fixed(1)) }

// ULEB reads an unsigned LEB128 number; bits above 64 are dropped.
func (r *Reader) ULEB() uint64 {
	var v uint64
	for shift := uint(0); ; shift += 7 {
		b := r.Byte()
		if shift < 64 {
			v |= uint64(b&0x7f) << shift
		}
		if b&0x80 == 0 || r.Err != nil {
			return v
		}
	}
}

// SLEB reads a signed LEB128 number; bits above 64 are dropped.
func (r *Reader) SLEB() int64 {
	var v int64
	for shift := uint(0); ; shift += 7 {
		b := r.Byte()
		if shift < 64 {
			v |= int64(b&0x7f) << shift
		}
		if b&0x80 == 0 || r.Err != nil {
			if b&0x40 != 0 && shift+7 < 64 {
				v |= -1 << (shift + 7)
			}
			return v
		}
	}
}

// Block reads a length and that many bytes.
func (r *Reader) Block() []byte { return r.Take(r.ULEB()) }

// Text reads text up to a zero byte, and the zero byte.
func (r *Reader) Text() string {
	for i, b := range r.Data {
		if b == 0 && r.Err == nil {
			return string(r.Take(uint64(i + 1))[:i])
		}
	}
	if r.Err == nil {
		r.Err = r.Short
	}
	return ""
}
