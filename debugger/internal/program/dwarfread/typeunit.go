package dwarfread

import (
	"debug/dwarf"
	"encoding/binary"
	"slices"
)

// Type units describe one type each, which other units refer to by a
// signature. In DWARF 5 they are in .debug_info. In DWARF 4 they have a
// section of their own, which debug/dwarf cannot iterate over. Their header is
// that of an ordinary unit, followed by the signature and an offset. With
// those overwritten by zeroes, which read as empty entries, they are read as
// ordinary units.

// appendTypeUnits returns .debug_info followed by .debug_types. It records the
// signatures, and in d.typesAt the offset of the type units.
func (d *Info) appendTypeUnits(info, types []byte) []byte {
	d.typesAt = len(info)
	if len(types) == 0 {
		return info
	}
	out := slices.Concat(info, types)
	for at := len(info); at+24 <= len(out); {
		h := out[at:]
		size, n, word := uint64(binary.LittleEndian.Uint32(h)), 4, 4
		if size == 0xffffffff {
			size, n, word = binary.LittleEndian.Uint64(h[4:]), 12, 8
		}
		// Version, offset of abbreviations, and size of addresses come first.
		extra := n + 2 + word + 1
		if size > uint64(len(h)-n) || uint64(extra+8+word-n) > size {
			return out[:at]
		}
		var typ [8]byte
		copy(typ[:], h[extra+8:extra+8+word])
		sig := binary.LittleEndian.Uint64(h[extra:])
		d.sigs[sig] = dwarf.Offset(at) + dwarf.Offset(binary.LittleEndian.Uint64(typ[:]))
		clear(h[extra : extra+8+word])
		at += n + int(size)
	}
	return out
}

// Ref returns the entry that an attribute refers to, by its offset or by its
// signature.
func (d *Info) Ref(v any) (dwarf.Offset, bool) {
	switch v := v.(type) {
	case dwarf.Offset:
		return v, true
	case uint64:
		off, ok := d.sigs[v]
		return off, ok
	}
	return 0, false
}
