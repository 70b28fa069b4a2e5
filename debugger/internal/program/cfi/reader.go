package cfi

import (
	"errors"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/program/field"
)

// errShort is returned when the section ends within an entry.
var errShort = errors.New("frame information ends early")

// A reader reads fields and pointers of a section.
type reader struct{ field.Reader }

// read returns a reader of data at an address.
func read(data []byte, addr uint64) reader {
	return reader{field.Reader{Data: data, Addr: addr, Short: errShort}}
}

// Pointer encodings of .eh_frame (Linux Standard Base 5.0, table 10.5 and 10.6).
const (
	encAbsolute = 0x00
	encOmit     = 0xff
	encIndirect = 0x80
	encFormat   = 0x0f
	encBase     = 0x70
)

// formats holds the size of each pointer format and whether it is signed. Size
// 0 means a variable length.
var formats = map[byte]struct {
	size   int
	signed bool
}{
	0x00: {8, false}, 0x01: {0, false}, 0x02: {2, false}, 0x03: {4, false}, 0x04: {8, false},
	0x09: {0, true}, 0x0a: {2, true}, 0x0b: {4, true}, 0x0c: {8, true},
}

// bases are the addresses that relative pointers refer to, beside their own.
type bases struct{ data, function uint64 }

// pointer reads an encoded address. An indirect one is returned as it is: its
// target is in the process, and no needed field is of that form.
func (r *reader) pointer(enc byte, b bases) uint64 {
	if enc == encOmit {
		return 0
	}
	at := r.Addr
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
		return uint64(r.SLEB())
	case f.size == 0:
		return r.ULEB()
	}
	if f.signed {
		return uint64(r.Signed(f.size))
	}
	return r.Fixed(f.size)
}

func (r *reader) fail(format string, args ...any) {
	if r.Err == nil {
		r.Err = fmt.Errorf(format, args...)
	}
}
