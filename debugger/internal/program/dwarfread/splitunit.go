package dwarfread

import (
	"bytes"
	"debug/dwarf"
	"encoding/binary"
	"slices"
)

// A splitUnit is a unit of a .dwo file. References within a unit count from its
// header, so the size of its first entry must not change: what the skeleton
// knows becomes constants of the abbreviation (DW_FORM_implicit_const).
type splitUnit struct {
	data  []byte
	table []byte // abbreviations, without the terminating zero
	root  abbreviation
	code  []byte // of the first entry's abbreviation, as it is encoded
	id    uint64 // that of the skeleton, or the signature of a type
	typed bool   // it is a type unit
	gnu   bool   // it is GNU's form of DWARF 4
	idAt  int    // offset of the id in the first entry; gnu only
	idN   int    // index of the id in the attributes; gnu only
}

// parseSplitUnit reads the header and the first entry of a unit of at least 24 bytes.
func parseSplitUnit(abbrev, unit []byte) (*splitUnit, bool) {
	u := &splitUnit{data: unit}
	head, offset := 11, uint64(binary.LittleEndian.Uint32(unit[6:]))
	switch binary.LittleEndian.Uint16(unit[4:]) {
	case 4:
		u.gnu = true
	case 5:
		head, offset = 20, uint64(binary.LittleEndian.Uint32(unit[8:]))
		u.id = binary.LittleEndian.Uint64(unit[12:])
		if u.typed = unit[6] == unitSplitType; u.typed {
			head = 24
		}
	default:
		return nil, false
	}
	code, n := binary.Uvarint(unit[head:])
	if n <= 0 || offset > uint64(len(abbrev)) {
		return nil, false
	}
	u.code = unit[head : head+n]
	var ok bool
	if u.table, u.root, ok = splitAbbreviations(abbrev[offset:], code); !ok {
		return nil, false
	}
	return u, !u.gnu || u.findID(head+n)
}

// findID finds the id among the attributes of the first entry, which begin at an
// offset.
func (u *splitUnit) findID(at int) bool {
	for i, f := range u.root.fields {
		if f.attr == uint64(attrGNUDwoID) && f.form == formData8 && at+8 <= len(u.data) {
			u.idAt, u.idN, u.id = at, i, binary.LittleEndian.Uint64(u.data[at:])
			return true
		}
		n, ok := formSize(f.form, u.data[at:])
		if !ok || n > len(u.data)-at {
			return false
		}
		at += n
	}
	return false
}

// attrPadding is an attribute that nothing reads.
const attrPadding = 0x3ff0

// abbreviations returns the table with a further definition of the first entry's
// abbreviation, which replaces the one before. The skeleton is nil for a type unit.
func (u *splitUnit) abbreviations(s *skeleton, b bases) []byte {
	root := abbreviation{code: u.root.code, tag: u.root.tag, children: u.root.children}
	root.fields = slices.Clone(u.root.fields)
	switch {
	case u.gnu: // the id becomes padding that has a byte less
		root.fields = slices.Replace(root.fields, u.idN, u.idN+1,
			abbrevField{attr: attrPadding, form: formData4}, abbrevField{attr: attrPadding + 1, form: formData2}, abbrevField{attr: attrPadding + 2, form: formData1})
	case !u.typed:
		root.fields = slices.Insert(root.fields, 0, abbrevField{attr: uint64(dwarf.AttrLowpc), form: formAddr})
	}
	constant := func(attr dwarf.Attr, value uint64) {
		root.fields = append(root.fields, abbrevField{uint64(attr), formImplicitConst, int64(value)})
	}
	constant(dwarf.AttrStrOffsetsBase, b.offsets)
	constant(dwarf.AttrRnglistsBase, b.rnglists)
	constant(dwarf.AttrLoclistsBase, b.loclists)
	if s != nil {
		constant(dwarf.AttrAddrBase, uint64(s.addrBase))
		if s.line >= 0 {
			constant(dwarf.AttrStmtList, uint64(s.line))
		}
	}
	return append(root.appendTo(slices.Clone(u.table)), 0)
}

// rewritten returns the unit as one of the program: a whole unit of DWARF 5, whose
// header is 8 bytes shorter than a split one's, and a byte longer than DWARF 4's.
func (u *splitUnit) rewritten(abbrev uint32, s *skeleton) []byte {
	if u.typed {
		out := bytes.Clone(u.data)
		binary.LittleEndian.PutUint32(out[8:], abbrev)
		return out
	}
	out := make([]byte, 0, len(u.data))
	out = append(out, u.data[:4]...)
	out = append(out, 5, 0, unitCompile, 8)
	out = binary.LittleEndian.AppendUint32(out, abbrev)
	out = append(out, u.code...)
	if !u.gnu {
		out = binary.LittleEndian.AppendUint64(out, s.low)
		return append(out, u.data[len(out):]...)
	}
	out = append(out, u.data[11+len(u.code):u.idAt]...)
	out = append(out, make([]byte, 7)...)
	return append(out, u.data[len(out):]...)
}
