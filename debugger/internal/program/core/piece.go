package core

import (
	"cmp"
	"debug/elf"
	"slices"
	"sort"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// A piece is a range of memory of which all is known from one place.
type piece struct {
	start, end           uint64
	read, write, execute bool
	at, dumped           uint64 // where in the core file, and how much; 0 when it leaves it out
	path                 string // of the mapped file, or [stack] and the like
	offset               uint64 // of start in that file
	file                 bool   // path is of a file
}

// pieces are in the order of their addresses.
type pieces []piece

// find returns the piece with an address.
func (all pieces) find(addr uint64) (*piece, bool) {
	i := sort.Search(len(all), func(i int) bool { return all[i].end > addr })
	if i == len(all) || all[i].start > addr {
		return nil, false
	}
	return &all[i], true
}

// A mapped range is a row of the note about files.
type mapped struct {
	start, end, offset uint64
	path               string
}

// The note about files: a count, the unit of offsets, rows of three numbers, and
// the paths one behind another.
const (
	fileHead = 16
	fileRow  = 24
)

func (f *File) readFiles(n note) error {
	if n.size > maxFileNote {
		return malformed("its note about files has %d bytes", n.size)
	}
	if err := f.memory.Take(int64(n.size) * 2); err != nil { // the paths are copied
		return err
	}
	b, err := n.contents(f.r, fileHead, maxFileNote)
	if err != nil {
		return err
	}
	table := field(b)
	count, unit := table.uint64(0), table.uint64(8)
	if count > (n.size-fileHead)/fileRow {
		return malformed("its note about files has %d bytes for %d of them", n.size, count)
	}
	if f.files != nil {
		return malformed("it has two notes about files")
	}
	if err := f.memory.Take(int64(count) * listedCost); err != nil {
		return err
	}
	names := table[fileHead+fileRow*count:]
	for row := table[fileHead : fileHead+fileRow*count]; len(row) > 0; row = row[fileRow:] {
		m := mapped{start: row.uint64(0), end: row.uint64(8), offset: row.uint64(16) * unit}
		m.path = names.text(0, len(names))
		names = names[min(len(names), len(m.path)+1):]
		f.files = append(f.files, m)
	}
	return nil
}

// assemble puts the pieces together: segments have permissions and contents,
// the note has files. Each may lack what the other has.
func (f *File) assemble(segments []elf.Prog64) error {
	segments = slices.DeleteFunc(segments, func(p elf.Prog64) bool { return elf.ProgType(p.Type) != elf.PT_LOAD || p.Memsz == 0 })
	slices.SortFunc(segments, func(a, b elf.Prog64) int { return cmp.Compare(a.Vaddr, b.Vaddr) })
	slices.SortFunc(f.files, func(a, b mapped) int { return cmp.Compare(a.start, b.start) })
	if err := f.check(segments); err != nil {
		return err
	}
	files := f.files
	borders := bordersOf(segments, files)
	for i := range len(borders) - 1 {
		p := piece{start: borders[i], end: borders[i+1], read: true} // what has no segment is of a file
		for len(segments) > 0 && segments[0].Vaddr+segments[0].Memsz <= p.start {
			segments = segments[1:]
		}
		for len(files) > 0 && files[0].end <= p.start {
			files = files[1:]
		}
		inSegment := len(segments) > 0 && segments[0].Vaddr <= p.start
		if inSegment {
			p.segment(&segments[0])
		}
		inFile := len(files) > 0 && files[0].start <= p.start
		if inFile {
			p.path, p.offset, p.file = files[0].path, files[0].offset+(p.start-files[0].start), true
		}
		if inSegment || inFile {
			f.pieces = append(f.pieces, p)
		}
	}
	f.nameSpecial()
	return nil
}

// bordersOf are the addresses at which a piece may begin or end, in order.
func bordersOf(segments []elf.Prog64, files []mapped) []uint64 {
	var all []uint64
	for _, s := range segments {
		all = append(all, s.Vaddr, s.Vaddr+s.Memsz)
	}
	for _, m := range files {
		all = append(all, m.start, m.end)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// segment takes over what a segment says about the piece, which is inside.
func (p *piece) segment(s *elf.Prog64) {
	flags := elf.ProgFlag(s.Flags)
	p.read, p.write, p.execute = flags&elf.PF_R != 0, flags&elf.PF_W != 0, flags&elf.PF_X != 0
	skip := p.start - s.Vaddr
	if skip < s.Filesz {
		p.at, p.dumped = s.Off+skip, min(s.Filesz-skip, p.end-p.start)
	}
}

// check refuses ranges that overlap or go over the end of memory.
func (f *File) check(segments []elf.Prog64) error {
	last := uint64(0)
	for _, s := range segments {
		end := s.Vaddr + s.Memsz
		if s.Vaddr < last || end < s.Vaddr || s.Filesz > s.Memsz || s.Off+s.Filesz < s.Off {
			return malformed("its segment at %#x overlaps another one, or makes no sense", s.Vaddr)
		}
		last = end
	}
	last = 0
	for _, m := range f.files {
		if m.start < last || m.end <= m.start {
			return malformed("its mapping of a file at %#x overlaps another one, or makes no sense", m.start)
		}
		last = m.end
	}
	return nil
}

// Keys of the auxiliary vector for what lies on the stack.
const auxExecFN = 31

// nameSpecial names the ranges that are not of files as /proc/PID/maps does.
func (f *File) nameSpecial() {
	const vsyscall = 0xffffffffff600000
	stack, _ := ptrace.Auxiliary(f.auxv, auxExecFN)
	vdso, _ := ptrace.Auxiliary(f.auxv, ptrace.AuxVDSO)
	for _, special := range []struct {
		addr uint64
		name string
	}{{stack, "[stack]"}, {vdso, "[vdso]"}, {vsyscall, "[vsyscall]"}} {
		if p, ok := f.pieces.find(special.addr); ok && !p.file && p.path == "" {
			p.path = special.name
		}
	}
}

// Maps are the ranges of memory that the core file tells of. Whether they were
// shared, and devices and inodes, are not known; nor are permissions of what
// gdb left out.
func (f *File) Maps() procfs.Maps {
	maps := make(procfs.Maps, len(f.pieces))
	for i, p := range f.pieces {
		maps[i] = procfs.Map{
			Start: p.start, End: p.end, Read: p.read, Write: p.write, Execute: p.execute,
			Offset: p.offset, Path: p.path,
		}
	}
	return maps
}
