package dwarfread

import (
	"cmp"
	"debug/dwarf"
	"encoding/binary"
	"log/slog"
	"slices"
	"sort"
	"sync"

	"github.com/triptych-mcp/triptych/debugger/internal/program/elffile"
)

// Decompressing the debug information of a library takes a tenth of a second, and
// a call stack needs only a few of its units. Until all units have been read,
// single units are found by .debug_aranges and read with only the part of each
// section that they need. A unit that refers to other units cannot be read alone.

// Early reads single units of a file.
type Early struct {
	log    *slog.Logger
	file   elffile.Reader
	ranges []earlyRange // ordered by start

	mu    sync.Mutex
	parts map[string]*sectionPrefix
	units map[uint64]*Info // by offset in .debug_info; nil if the unit cannot be read alone
}

// An earlyRange is a range of code with the offset of its unit.
type earlyRange struct{ start, end, unit uint64 }

// earlySize is the size of .debug_info above which reading single units is
// faster.
const earlySize = 1 << 20

// OpenEarly returns nil if the file does not list the addresses of its units, or
// is too small to benefit.
func OpenEarly(o elffile.Reader, log *slog.Logger) *Early {
	s := o.Section(".debug_info")
	if s == nil || s.Size < earlySize || s.Size > elffile.MaxSection {
		return nil
	}
	return newEarly(o, log)
}

func newEarly(o elffile.Reader, log *slog.Logger) *Early {
	e := &Early{log: log, file: o, units: map[uint64]*Info{}, parts: map[string]*sectionPrefix{}}
	e.readRanges(o.DebugSection("aranges"))
	if len(e.ranges) == 0 {
		return nil
	}
	return e
}

// readRanges reads .debug_aranges (DWARF 5 section 6.1.2; unchanged since DWARF
// 2) up to the first damaged set.
func (e *Early) readRanges(data []byte) {
	for len(data) >= 12 {
		size := uint64(binary.LittleEndian.Uint32(data))
		if size < 8 || size > uint64(len(data)-4) {
			break
		}
		set := data[:4+size]
		data = data[4+size:]
		if set[10] != 8 || set[11] != 0 { // sizes of address and segment
			continue
		}
		unit := uint64(binary.LittleEndian.Uint32(set[6:]))
		for at := 16; at+16 <= len(set); at += 16 { // pairs are aligned to their size
			start, n := binary.LittleEndian.Uint64(set[at:]), binary.LittleEndian.Uint64(set[at+8:])
			if start != 0 && n != 0 && start+n > start {
				e.ranges = append(e.ranges, earlyRange{start, start + n, unit})
			}
		}
	}
	slices.SortFunc(e.ranges, func(a, b earlyRange) int { return cmp.Compare(a.start, b.start) })
}

// At returns the debug information of the unit that contains an address of the
// file, or nil if the unit cannot be read alone.
func (e *Early) At(pc uint64) *Info {
	i := sort.Search(len(e.ranges), func(i int) bool { return e.ranges[i].start > pc }) - 1
	if i < 0 || pc >= e.ranges[i].end {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	offset := e.ranges[i].unit
	d, ok := e.units[offset]
	if !ok {
		d, _ = e.open(offset) // the error will be returned when all units are read
		e.units[offset] = d
	}
	return d
}

// open reads the unit at an offset of .debug_info.
func (e *Early) open(offset uint64) (*Info, error) {
	others := e.prefetch(offset)
	defer others.Wait()
	head, err := e.section("info").slice(offset, 12)
	if err != nil {
		return nil, err
	}
	size := uint64(binary.LittleEndian.Uint32(head)) + 4
	if size < 12 || size > maxEarly {
		return nil, errNotEarly
	}
	info, err := e.section("info").slice(offset, size)
	if err != nil {
		return nil, err
	}
	others.Wait()
	at, ok := abbrevOffset(info)
	if !ok {
		return nil, errNotEarly
	}
	abbrev, err := e.abbreviations(at)
	if err != nil {
		return nil, err
	}
	sec, err := e.sharedSections()
	if err != nil {
		return nil, err
	}
	sec["info"], sec["abbrev"] = slices.Clone(info), abbrev
	d, err := newDebugInfo(sec, e.file, e.log)
	if err != nil || len(d.units) != 1 {
		return nil, cmp.Or(err, errNotEarly)
	}
	// The first entry has the offset of the line table.
	u := d.units[0]
	if err := u.HeadLocked(); err != nil {
		return nil, err
	}
	if _, split := u.skeleton(); split {
		return nil, errNotEarly
	}
	if at, ok := u.entry.Val(dwarf.AttrStmtList).(int64); ok {
		sec["line"] = e.lineSection(uint64(at))
	}
	return newDebugInfo(sec, e.file, e.log)
}

// abbrevOffset returns the offset of a unit's abbreviations, and false if it is
// not a compilation unit (DWARF 5 section 7.5.1.1).
func abbrevOffset(info []byte) (uint64, bool) {
	switch version := binary.LittleEndian.Uint16(info[4:]); {
	case version >= 2 && version <= 4:
		return uint64(binary.LittleEndian.Uint32(info[6:])), true
	case version == 5 && info[6] == 1: // DW_UT_compile
		return uint64(binary.LittleEndian.Uint32(info[8:])), true
	}
	return 0, false
}

// lineSection returns .debug_line up to the end of the line table at an offset.
func (e *Early) lineSection(offset uint64) []byte {
	p := e.section("line")
	head, err := p.slice(offset, 4)
	if err != nil {
		return nil
	}
	_, err = p.slice(offset, uint64(binary.LittleEndian.Uint32(head))+4)
	if err != nil {
		return nil
	}
	return p.data
}

// sharedNames lists the sections in which a unit may refer to any offset.
var sharedNames = [...]string{"str", "line_str", "addr", "str_offsets", "rnglists", "ranges"}

// prefetch starts reading the sections that a unit needs besides .debug_info,
// which mostly have the order of the units. The caller must wait for the group
// before it uses them.
func (e *Early) prefetch(offset uint64) *sync.WaitGroup {
	var all sync.WaitGroup
	info := e.section("info")
	for _, name := range [...]string{"line", "abbrev"} {
		p := e.section(name)
		n := min(p.size, uint64(float64(p.size)*float64(offset)/float64(max(info.size, 1)))+readAhead)
		all.Go(func() { _, _ = p.slice(0, n) }) // errors are returned when the section is used
	}
	for _, name := range sharedNames {
		p := e.section(name)
		all.Go(func() { _, _ = p.slice(0, p.size) })
	}
	return &all
}

// sharedSections returns the sections in sharedNames.
func (e *Early) sharedSections() (map[string][]byte, error) {
	sec := map[string][]byte{}
	for _, name := range sharedNames {
		p := e.section(name)
		data, err := p.slice(0, p.size)
		if err != nil {
			return nil, err
		}
		sec[name] = data
	}
	return sec, nil
}

// section returns a section by its name without .debug_. It is empty if the file
// does not have the section.
func (e *Early) section(name string) *sectionPrefix {
	p := e.parts[name]
	if p == nil {
		p = &sectionPrefix{}
		if s := e.file.Section(".debug_" + name); s != nil && s.Size <= elffile.MaxSection {
			p = &sectionPrefix{section: s, size: s.Size, account: e.file.Account}
		}
		e.parts[name] = p
	}
	return p
}

// abbreviations returns .debug_abbrev up to the end of the table at an offset. It
// returns an error if the unit may refer to other units.
func (e *Early) abbreviations(offset uint64) ([]byte, error) {
	p := e.section("abbrev")
	for n := uint64(4096); ; n *= 2 {
		n = min(n, p.size-min(offset, p.size))
		b, err := p.slice(offset, n)
		if err != nil {
			return nil, err
		}
		size, inside, whole := scanAbbreviations(b)
		switch {
		case whole && !inside:
			return nil, errNotEarly
		case whole:
			return p.data[:offset+uint64(size)], nil
		case offset+n == p.size:
			return nil, errNotEarly
		}
	}
}
