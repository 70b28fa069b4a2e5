package dwarfread

import (
	"bytes"
	"cmp"
	"debug/dwarf"
	"encoding/binary"
	"path/filepath"

	"github.com/triptych-mcp/triptych/debugger/internal/program/elffile"
)

// With -gsplit-dwarf the debug information is in files of its own, .dwo, which dwp
// collects in one, .dwp. The program has a skeleton of each unit: its ranges, its line
// table, and the name of its file (DWARF 5 section 3.1.2, and GNU's form of it in
// DWARF 4). debug/dwarf cannot read such files. So their sections are appended to
// those of the program, and the first entry of each unit gets what the skeleton
// knows; then debug/dwarf reads them as units of the program.

// Files finds the files that the debug information of a program names.
type Files struct {
	Path string                          // of the program
	Open func(path string) *elffile.File // nil when the file cannot be read
}

// Attributes of skeletons (GNU's belong to DWARF 4).
const (
	attrDwoName       dwarf.Attr = 0x76
	attrGNUDwoName    dwarf.Attr = 0x2130
	attrGNUDwoID      dwarf.Attr = 0x2131
	attrGNURangesBase dwarf.Attr = 0x2132
	attrGNUAddrBase   dwarf.Attr = 0x2133
)

// A skeleton is the part of a unit in another file that the program itself has.
type skeleton struct {
	unit       dwarf.Offset // of the header
	id         uint64
	name, dir  string // of the .dwo file
	line       int64  // -1 if there is no line table
	addrBase   int64
	rangesBase int64 // in .debug_ranges; DWARF 4 only
	low        uint64
}

// A splitPart says which skeleton a unit from another file belongs to. DWARF 4 has
// its lists at offsets that count from the parts of its file and its skeleton.
type splitPart struct {
	skeleton
	gnu      bool   // the unit is GNU's form of DWARF 4, but for its header
	loc      uint64 // where the lists of its file begin
	original *Unit  // the skeleton
}

// skeletons returns the skeletons of units that are in other files.
func (d *Info) skeletons(abbrev []byte) []skeleton {
	gnu := bytes.Contains(abbrev, binary.AppendUvarint(nil, uint64(attrGNUDwoID)))
	var out []skeleton
	for _, u := range d.units {
		if !u.skeletal && (!gnu || u.version != 4) {
			continue
		}
		if s, ok := u.skeleton(); ok {
			out = append(out, s)
		}
	}
	return out
}

// skeleton returns what a unit says of its other file, and false if it is a whole
// unit.
func (u *Unit) skeleton() (skeleton, bool) {
	if u.HeadLocked() != nil || u.entry == nil {
		return skeleton{}, false
	}
	s := skeleton{unit: u.Offset, id: u.id, dir: u.dir, low: u.low, addrBase: u.addrBase, line: -1}
	s.name, _ = u.entry.Val(attrDwoName).(string)
	if name, ok := u.entry.Val(attrGNUDwoName).(string); ok {
		id, _ := u.entry.Val(attrGNUDwoID).(int64)
		s.name, s.id = name, uint64(id)
		s.addrBase, _ = u.entry.Val(attrGNUAddrBase).(int64)
		s.rangesBase, _ = u.entry.Val(attrGNURangesBase).(int64)
	}
	if line, ok := u.entry.Val(dwarf.AttrStmtList).(int64); ok {
		s.line = line
	}
	return s, s.name != ""
}

// readSplit appends the units of other files to the sections of a program. It returns
// what belongs to the units, by the offsets of their headers.
func readSplit(sec map[string][]byte, o elffile.Reader, skeletons []skeleton, files Files) map[dwarf.Offset]*splitPart {
	m := newMerger(sec, o, skeletons)
	if f := files.open(files.Path + ".dwp"); f != nil {
		read := o.Account.Another() // what is appended is counted by itself
		m.addPackage(f.Within(read))
		read.Close()
		_ = f.Close() // it was only read
	}
	seen := map[string]bool{}
	for _, s := range skeletons {
		path := filepath.Join(s.dir, s.name)
		if filepath.IsAbs(s.name) {
			path = s.name
		}
		if m.wanted[s.id] == nil || seen[path] {
			continue
		}
		seen[path] = true
		if f := files.openNear(path); f != nil {
			read := o.Account.Another()
			m.add(wholeFile(f.Within(read)), m.appendStrings(f.Within(read)))
			read.Close()
			_ = f.Close() // it was only read
		}
	}
	return m.parts
}

func (f Files) open(path string) *elffile.File {
	if f.Open == nil {
		return nil
	}
	return f.Open(path)
}

// openNear opens a file by the path that the compiler wrote, or beside the program.
func (f Files) openNear(path string) *elffile.File {
	if o := f.open(path); o != nil {
		return o
	}
	return f.open(filepath.Join(filepath.Dir(f.Path), filepath.Base(path)))
}

// attachSplit connects units of other files with their skeletons.
func (d *Info) attachSplit(parts map[dwarf.Offset]*splitPart) {
	for _, u := range d.units {
		part := parts[u.Offset]
		if part == nil {
			continue
		}
		part.original = d.UnitAtLocked(part.unit)
		u.split, part.original.replacement = part, u
	}
}

// headSplit completes the first entry of a unit of another file.
func (u *Unit) headSplit() {
	u.dir, u.low = cmp.Or(u.dir, u.split.dir), u.split.low
	if u.entry.Val(dwarf.AttrCompDir) == nil {
		u.entry.Field = append(u.entry.Field, dwarf.Field{Attr: dwarf.AttrCompDir, Val: u.dir, Class: dwarf.ClassString})
	}
}

// rangesLocked returns the ranges of an entry's code.
func (u *Unit) rangesLocked(e *dwarf.Entry) ([][2]uint64, error) {
	if at, ok := e.Val(dwarf.AttrRanges).(int64); ok && u.split != nil && u.split.gnu {
		return u.Info.gnuRanges(uint64(at+u.split.rangesBase), u.split.low), nil
	}
	return u.Info.data.Ranges(e)
}

// gnuRanges reads a list of .debug_ranges (DWARF 4 section 2.17.3) up to its damage.
func (d *Info) gnuRanges(at, base uint64) [][2]uint64 {
	var out [][2]uint64
	for at+16 <= uint64(len(d.ranges4)) {
		start, end := binary.LittleEndian.Uint64(d.ranges4[at:]), binary.LittleEndian.Uint64(d.ranges4[at+8:])
		at += 16
		switch {
		case start == 0 && end == 0:
			return out
		case start == ^uint64(0):
			base = end
		case start < end:
			out = append(out, [2]uint64{base + start, base + end})
		}
	}
	return out
}
