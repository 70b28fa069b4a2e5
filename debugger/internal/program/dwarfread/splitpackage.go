package dwarfread

import (
	"encoding/binary"

	"github.com/triptych-mcp/triptych/debugger/internal/program/elffile"
)

// A .dwp file has the sections of many .dwo files one after the other, and two
// indexes that say which parts belong to a unit (DWARF 5 section 7.3.5, and GNU's
// version 2 of it).

// packageColumns are the sections of an index by the numbers of their columns, in
// version 2 and 5.
var packageColumns = map[uint32]map[uint32]string{
	2: {1: "info", 3: "abbrev", 5: "loc", 6: "str_offsets"},
	5: {1: "info", 3: "abbrev", 5: "loclists", 6: "str_offsets", 8: "rnglists"},
}

// addPackage appends the units of a .dwp file.
func (m *merger) addPackage(f elffile.Reader) {
	strings := m.appendStrings(f)
	for _, index := range []string{"cu_index", "tu_index"} {
		for _, c := range readIndex(f.DebugSection(index), f) {
			m.add(c, strings)
		}
	}
}

// contributionSize is the size of a contribution.
const contributionSize = 160

// maxColumns is more than the sections that there are.
const maxColumns = 16

// readIndex returns the contributions that an index lists, none when it is damaged.
func readIndex(index []byte, f elffile.Reader) []contribution {
	if len(index) < 16 {
		return nil
	}
	word := func(n uint64) uint32 { return binary.LittleEndian.Uint32(index[n*4:]) }
	names := packageColumns[word(0)]
	columns, rows, slots := uint64(word(1)), uint64(word(2)), uint64(word(3))
	if names == nil || columns > maxColumns {
		return nil
	}
	ids := 4 + slots*3 // after the ids and the numbers of their rows
	if rows > slots || (ids+columns+2*rows*columns)*4 > uint64(len(index)) {
		return nil
	}
	sections := map[uint32][]byte{}
	for id, name := range names {
		sections[id] = dwoSection(f, name)
	}
	if f.Account.Take(int64(rows*contributionSize)) != nil {
		return nil
	}
	out := make([]contribution, rows)
	for row := range rows {
		for column := range columns {
			id := word(ids + column)
			offset := word(ids + columns + row*columns + column)
			size := word(ids + columns + (rows+row)*columns + column)
			out[row].set(names[id], slice(sections[id], offset, size))
		}
	}
	return out
}

// slice returns a part of a section, nil when the section ends before it.
func slice(data []byte, offset, size uint32) []byte {
	if uint64(offset)+uint64(size) > uint64(len(data)) {
		return nil
	}
	return data[offset : offset+size : offset+size]
}

// set sets the part of a section.
func (c *contribution) set(name string, data []byte) {
	switch name {
	case "info":
		c.info = data
	case "abbrev":
		c.abbrev = data
	case "loc":
		c.loc = data
	case "loclists":
		c.loclists = data
	case "str_offsets":
		c.offsets = data
	case "rnglists":
		c.rnglists = data
	}
}
