package dwarfread

import (
	"debug/dwarf"
	"encoding/binary"
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/budget"
)

// What is read from sections can be many times larger than the sections: a function of a byte has
// all attributes of its abbreviation, units may share a table of abbreviations, and names repeat
// those around them. So memory is taken for it, too.

// The memory of a unit, of a byte of a table of abbreviations once it is parsed, of an entry, and
// of each of its attributes and ranges, with the indexes that have them.
const (
	unitCost   = 600
	abbrevCost = 24
	entryCost  = 300
	fieldCost  = 48
	rangeCost  = 48
	lineCost   = 32
)

// takeEvery is the number of bytes that are taken together.
const takeEvery = 64 << 10

// A meter takes the memory of what is read. After it has failed nothing more is read.
type meter struct {
	account *budget.Account
	due     int // bytes that were not taken yet
	full    error
}

// take counts bytes, or returns an error if there is no memory for them.
func (m *meter) take(n int) error {
	if m.full != nil {
		return m.full
	}
	if m.due += n; m.due >= takeEvery {
		m.full = m.account.Take(int64(m.due))
		m.due = 0
	}
	return m.full
}

// takeEntry counts an entry that is kept.
func (m *meter) takeEntry(e *dwarf.Entry, ranges int, names ...string) error {
	n := entryCost + len(e.Field)*fieldCost + ranges*rangeCost
	for _, name := range names {
		n += len(name)
	}
	for i := range e.Field {
		switch v := e.Field[i].Val.(type) {
		case string:
			n += len(v)
		case []byte:
			n += len(v)
		}
	}
	return m.take(n)
}

// takeUnits counts the units of .debug_info and their tables of abbreviations, before they are
// parsed (DWARF 5 section 7.5.1.1).
func (m *meter) takeUnits(info, abbrev []byte) error {
	seen := map[uint64]bool{}
	for len(info) >= 12 {
		size, head, word := uint64(binary.LittleEndian.Uint32(info)), 4, 4
		if size == 0xffffffff {
			size, head, word = binary.LittleEndian.Uint64(info[4:]), 12, 8
		}
		if size > uint64(len(info)-head) || size < 8 {
			break
		}
		body := info[head : head+int(size)]
		info = info[head+int(size):]
		at := 2
		if binary.LittleEndian.Uint16(body) >= 5 {
			at = 4
		}
		var offset [8]byte
		copy(offset[:], body[min(at, len(body)):min(at+word, len(body))])
		if err := m.takeTable(abbrev, binary.LittleEndian.Uint64(offset[:]), seen); err != nil {
			return err
		}
	}
	return m.flush()
}

// takeTable counts a unit, and its table of abbreviations if no unit before it has the table.
func (m *meter) takeTable(abbrev []byte, offset uint64, seen map[uint64]bool) error {
	n := unitCost
	if !seen[offset] && offset < uint64(len(abbrev)) {
		seen[offset] = true
		size, _, _ := scanAbbreviations(abbrev[offset:])
		n += size * abbrevCost
	}
	return m.take(n)
}

// flush takes what is due.
func (m *meter) flush() error {
	if m.full == nil && m.due > 0 {
		m.full = m.account.Take(int64(m.due))
		m.due = 0
	}
	return m.full
}

// maxName is the longest qualified name that is read: each name is that of its scope and its own.
const maxName = 1 << 20

var errLongName = errors.New("a name is too long")
