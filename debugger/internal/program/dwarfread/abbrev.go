package dwarfread

import "encoding/binary"

// Forms of references out of a unit, and the form that has its value in the
// abbreviation (DWARF 5 section 7.5.6).
const (
	formRefAddr       = 0x10
	formRefSup4       = 0x1c
	formRefSig8       = 0x20
	formImplicitConst = 0x21
	formRefSup8       = 0x24
	formGNURefAlt     = 0x1f20
	formGNUStrpAlt    = 0x1f21
)

// scanAbbreviations scans a table (DWARF 5 section 7.5.3). It returns the
// table's size, whether all references stay inside the unit, and whether b has
// the whole table.
func scanAbbreviations(b []byte) (size int, inside, whole bool) {
	inside = true
	at := 0
	number := func() uint64 {
		v, n := binary.Uvarint(b[at:]) // LEB128
		if n <= 0 {
			at, whole = len(b), false
			return 0
		}
		at += n
		return v
	}
	for whole = true; whole; {
		if number() == 0 {
			return at, inside, whole
		}
		number() // tag
		at++     // whether there are children
		if at > len(b) {
			return at, inside, false
		}
		for attr, form := number(), number(); whole && (attr != 0 || form != 0); attr, form = number(), number() {
			switch form {
			case formImplicitConst:
				number()
			case formRefAddr, formRefSup4, formRefSig8, formRefSup8, formGNURefAlt, formGNUStrpAlt:
				inside = false
			}
		}
	}
	return at, inside, whole
}
