package dwarfread

import (
	"cmp"
	"debug/dwarf"
	"encoding/binary"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/budget"
	"github.com/triptych-mcp/triptych/debugger/internal/program/elffile"
)

// A merger appends units of other files to the sections of a program.
type merger struct {
	sec     map[string][]byte
	wanted  map[uint64]*skeleton // skeletons whose units are missing, by id
	types   map[uint64]bool      // signatures of the type units that were added
	parts   map[dwarf.Offset]*splitPart
	size    int // of what was appended
	account *budget.Account
	taken   map[string]int // from the account, by section that has grown
}

// splitNames lists the sections that units of other files are appended to.
var splitNames = [...]string{"info", "abbrev", "str", "str_offsets", "rnglists", "loclists", "splitloc"}

// newMerger adds the missing sections to sec. They will hold lists of locations, which
// are else read on first use.
func newMerger(sec map[string][]byte, o elffile.Reader, skeletons []skeleton) *merger {
	m := &merger{account: o.Account, sec: sec, taken: map[string]int{}, wanted: map[uint64]*skeleton{}, types: map[uint64]bool{}, parts: map[dwarf.Offset]*splitPart{}}
	sec["loclists"] = o.DebugSection("loclists")
	for _, n := range splitNames {
		sec[n] = slices.Clip(sec[n])
	}
	// debug/dwarf reads strings of a unit's first entry once before it knows where
	// their offsets are: the length of the first table is then taken for an offset.
	if short := len(sec["str_offsets"]) + 1 - len(sec["str"]); short > 0 {
		sec["str"] = append(sec["str"], make([]byte, short)...)
	}
	for i := range skeletons {
		m.wanted[skeletons[i].id] = &skeletons[i]
	}
	return m
}

// A contribution is the part of each section that belongs to some units.
type contribution struct {
	info, abbrev, offsets   []byte
	loc, loclists, rnglists []byte
}

// wholeFile returns the contribution of a .dwo file.
func wholeFile(f elffile.Reader) contribution {
	return contribution{
		info: f.AllData(".debug_info.dwo"), abbrev: dwoSection(f, "abbrev"), offsets: dwoSection(f, "str_offsets"),
		loc: dwoSection(f, "loc"), loclists: dwoSection(f, "loclists"), rnglists: dwoSection(f, "rnglists"),
	}
}

func dwoSection(f elffile.Reader, name string) []byte { return f.DebugSection(name + ".dwo") }

// maxSplit limits the bytes that are appended to the sections of a program.
const maxSplit = 1 << 30

// appendTo appends data to a section and returns where it begins there. Beyond the
// limit nothing is appended, so what refers to it is damaged.
func (m *merger) appendTo(name string, data []byte) uint64 {
	at := len(m.sec[name])
	if m.size += len(data); m.size > maxSplit {
		return uint64(at)
	}
	if grown := at + len(data); grown > cap(m.sec[name]) {
		grown = max(grown, at+at/4)
		if m.account.Take(int64(grown)) != nil {
			m.size = maxSplit // no more is appended
			return uint64(at)
		}
		m.account.Give(int64(cmp.Or(m.taken[name], at)))
		m.taken[name] = grown
		m.sec[name] = append(make([]byte, 0, grown), m.sec[name]...)
	}
	m.sec[name] = append(m.sec[name], data...)
	return uint64(at)
}

// appendStrings appends the strings of a file and returns where they begin.
func (m *merger) appendStrings(f elffile.Reader) uint64 {
	return m.appendTo("str", dwoSection(f, "str"))
}

// appendOffsets appends offsets of strings and returns where they begin. They count
// from where the strings of their file begin.
func (m *merger) appendOffsets(offsets []byte, strings uint64) uint64 {
	if len(offsets) >= 8 && int(binary.LittleEndian.Uint32(offsets)) == len(offsets)-4 && binary.LittleEndian.Uint16(offsets[4:]) == 5 {
		offsets = offsets[8:] // a header (DWARF 5 section 7.26)
	}
	moved := make([]byte, 0, len(offsets))
	for ; len(offsets) >= 4; offsets = offsets[4:] {
		n := uint64(binary.LittleEndian.Uint32(offsets)) + strings
		moved = binary.LittleEndian.AppendUint32(moved, uint32(n))
	}
	return m.appendTo("str_offsets", moved)
}

// listHeader is the size of the header of .debug_loclists and .debug_rnglists, after
// which the table of offsets begins (DWARF 5 section 7.28).
const listHeader = 12

// bases says where the parts of a contribution were appended.
type bases struct{ offsets, rnglists, loclists, loc uint64 }

// add appends the units of a contribution that belong to skeletons, and its type
// units. Strings is the offset at which the strings of its file begin.
func (m *merger) add(c contribution, strings uint64) {
	units := splitUnits(c.info)
	if !slices.ContainsFunc(units, m.wants) {
		return
	}
	b := bases{
		offsets:  m.appendOffsets(c.offsets, strings),
		rnglists: m.appendTo("rnglists", c.rnglists) + listHeader,
		loclists: m.appendTo("loclists", c.loclists) + listHeader,
		loc:      m.appendTo("splitloc", c.loc),
	}
	for _, unit := range units {
		m.addUnit(c.abbrev, unit, b)
	}
}

// splitUnits divides .debug_info.dwo into units, up to the first damaged one. Units of
// the 64-bit format are too large for this.
func splitUnits(info []byte) [][]byte {
	var out [][]byte
	for len(info) >= 24 {
		size := uint64(binary.LittleEndian.Uint32(info)) + 4
		if size < 24 || size > uint64(len(info)) {
			break
		}
		out = append(out, info[:size])
		info = info[size:]
	}
	return out
}

// wants reports whether a unit is to be added.
func (m *merger) wants(unit []byte) bool {
	if binary.LittleEndian.Uint16(unit[4:]) != 5 {
		return true
	}
	id := binary.LittleEndian.Uint64(unit[12:])
	if unit[6] == unitSplitType {
		return !m.types[id]
	}
	return unit[6] == unitSplit && m.wanted[id] != nil
}

// addUnit appends a unit, with a table of abbreviations of its own in which the first
// entry has the attributes of the skeleton.
func (m *merger) addUnit(abbrev, unit []byte, b bases) {
	if !m.wants(unit) {
		return
	}
	u, ok := parseSplitUnit(abbrev, unit)
	if !ok {
		return
	}
	s := m.wanted[u.id]
	switch {
	case u.typed:
		m.types[u.id] = true
	case s == nil:
		return
	default:
		delete(m.wanted, u.id)
		m.parts[dwarf.Offset(len(m.sec["info"]))] = &splitPart{skeleton: *s, gnu: u.gnu, loc: b.loc}
	}
	at := m.appendTo("abbrev", u.abbreviations(s, b))
	m.appendTo("info", u.rewritten(uint32(at), s))
}
