package dwarfread

import "encoding/binary"

// Forms of attributes (DWARF 5 section 7.5.6), and GNU's indexes of DWARF 4.
const (
	formAddr         = 0x01
	formData2        = 0x05
	formData4        = 0x06
	formData8        = 0x07
	formString       = 0x08
	formData1        = 0x0b
	formFlag         = 0x0c
	formSdata        = 0x0d
	formStrp         = 0x0e
	formUdata        = 0x0f
	formSecOffset    = 0x17
	formFlagPresent  = 0x19
	formStrx         = 0x1a
	formAddrx        = 0x1b
	formGNUAddrIndex = 0x1f01
	formGNUStrIndex  = 0x1f02
)

// An abbreviation is one definition of a table (DWARF 5 section 7.5.3).
type abbreviation struct {
	code, tag uint64
	children  byte
	fields    []abbrevField
}

// An abbrevField is an attribute of an abbreviation; value is that of
// DW_FORM_implicit_const.
type abbrevField struct {
	attr, form uint64
	value      int64
}

// appendTo appends the definition to a table.
func (a abbreviation) appendTo(table []byte) []byte {
	table = binary.AppendUvarint(table, a.code)
	table = binary.AppendUvarint(table, a.tag)
	table = append(table, a.children)
	for _, f := range a.fields {
		table = binary.AppendUvarint(table, f.attr)
		table = binary.AppendUvarint(table, f.form)
		if f.form == formImplicitConst {
			table = appendSLEB(table, f.value)
		}
	}
	return append(table, 0, 0)
}

// appendSLEB appends a signed number (DWARF 5 section 7.6).
func appendSLEB(b []byte, v int64) []byte {
	for {
		low := byte(v & 0x7f)
		v >>= 7
		if v == 0 && low&0x40 == 0 || v == -1 && low&0x40 != 0 {
			return append(b, low)
		}
		b = append(b, low|0x80)
	}
}

// An abbrevScanner reads a table. ok is false after its end.
type abbrevScanner struct {
	data []byte
	at   int
	ok   bool
}

func (s *abbrevScanner) number() uint64 {
	v, n := binary.Uvarint(s.data[s.at:]) // LEB128
	if n <= 0 {
		s.at, s.ok = len(s.data), false
		return 0
	}
	s.at += n
	return v
}

// signed reads a signed number.
func (s *abbrevScanner) signed() int64 {
	var v int64
	for shift := 0; s.at < len(s.data) && shift < 64; shift += 7 {
		b := s.data[s.at]
		s.at++
		v |= int64(b&0x7f) << shift
		if b&0x80 == 0 {
			if b&0x40 != 0 && shift+7 < 64 {
				v |= -1 << (shift + 7)
			}
			return v
		}
	}
	s.ok = false
	return 0
}

// next reads a definition; its code is 0 at the end of the table. Forms of GNU that
// DWARF 5 has under other numbers are replaced in the data by those of DWARF 5.
func (s *abbrevScanner) next() abbreviation {
	a := abbreviation{code: s.number()}
	if a.code == 0 {
		return a
	}
	a.tag = s.number()
	if s.at >= len(s.data) {
		s.ok = false
		return a
	}
	a.children = s.data[s.at]
	s.at++
	for s.ok {
		f := s.field()
		if f.attr == 0 && f.form == 0 {
			break
		}
		a.fields = append(a.fields, f)
	}
	return a
}

func (s *abbrevScanner) field() abbrevField {
	f := abbrevField{attr: s.number()}
	start := s.at
	switch f.form = s.number(); f.form {
	case formImplicitConst:
		f.value = s.signed()
	case formGNUAddrIndex:
		f.form = s.replaceForm(start, formAddrx)
	case formGNUStrIndex:
		f.form = s.replaceForm(start, formStrx)
	}
	return f
}

// replaceForm replaces the form that was read from an offset by a smaller one, which
// is written with as many bytes.
func (s *abbrevScanner) replaceForm(start int, form byte) uint64 {
	for i := start; i < s.at-1; i++ {
		s.data[i] = 0x80
	}
	s.data[start], s.data[s.at-1] = 0x80|form, 0
	return uint64(form)
}

// splitAbbreviations returns a copy of a table, without the zero at its end and with
// the forms of DWARF 5, and the definition of one code.
func splitAbbreviations(data []byte, code uint64) (table []byte, root abbreviation, ok bool) {
	size, _, whole := scanAbbreviations(data)
	if !whole {
		return nil, root, false
	}
	s := abbrevScanner{data: append([]byte(nil), data[:size]...), ok: true}
	for s.ok {
		a := s.next()
		if a.code == 0 {
			break
		}
		if a.code == code {
			root = a
		}
	}
	return s.data[:max(size-1, 0)], root, s.ok && root.code != 0
}

// formSize returns the size of a value of the forms that the first entry of a unit
// has, and false for others.
func formSize(form uint64, data []byte) (int, bool) {
	switch form {
	case formFlagPresent, formImplicitConst:
		return 0, true
	case formData1, formFlag:
		return 1, true
	case formData2:
		return 2, true
	case formData4, formStrp, formSecOffset:
		return 4, true
	case formData8, formAddr:
		return 8, true
	case formUdata, formSdata, formStrx, formAddrx:
		_, n := binary.Uvarint(data)
		return n, n > 0
	case formString:
		for i, c := range data {
			if c == 0 {
				return i + 1, true
			}
		}
	}
	return 0, false
}
