package symbolstest

import (
	"bytes"
	"cmp"
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfregs"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
)

// A CoreFile is a core file as memory, with the files that it leaves out.
type CoreFile struct {
	segments []segment
	Maps     []symbols.Mapping
	Regs     dwarfregs.Registers
}

// A segment is read when it is asked for: cores of Go programs are large.
type segment struct {
	addr, size uint64
	file       *os.File
	at         int64
}

var errNotInCore = errors.New("not in the core file")

// ReadMemory implements symbols.Memory.
func (c *CoreFile) ReadMemory(addr uint64, p []byte) error {
	for len(p) > 0 {
		n := 0
		for _, s := range c.segments {
			if addr < s.addr || addr-s.addr >= s.size {
				continue
			}
			n = int(min(uint64(len(p)), s.size-(addr-s.addr)))
			if _, err := s.file.ReadAt(p[:n], s.at+int64(addr-s.addr)); err != nil {
				return err
			}
			break
		}
		if n == 0 {
			return errNotInCore
		}
		p, addr = p[n:], addr+uint64(n)
	}
	return nil
}

func openCore(path string) (*CoreFile, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	file, err := os.Open(path)       // stays open as long as the test
	if err != nil {
		return nil, err
	}
	c := &CoreFile{}
	for _, p := range f.Progs {
		switch {
		case p.Type == elf.PT_LOAD && p.Filesz > 0:
			c.segments = append(c.segments, segment{p.Vaddr, p.Filesz, file, int64(p.Off)})
		case p.Type == elf.PT_NOTE:
			data := make([]byte, p.Filesz)
			if _, err := p.ReadAt(data, 0); err != nil && len(data) > 0 {
				return nil, err
			}
			c.notes(data)
		}
	}
	slices.SortFunc(c.Maps, func(a, b symbols.Mapping) int { return cmp.Compare(a.Start, b.Start) })
	for _, m := range c.Maps { // what the core leaves out is as in the file
		file, err := os.Open(m.Path)
		if err != nil {
			continue
		}
		if info, err := file.Stat(); err == nil && m.Offset < uint64(info.Size()) {
			size := min(m.End-m.Start, uint64(info.Size())-m.Offset)
			c.segments = append(c.segments, segment{m.Start, size, file, int64(m.Offset)})
		}
	}
	return c, nil
}

// Notes of core files.
const (
	notePrStatus = 1
	noteFPRegs   = 2
	noteAuxv     = 6
	noteFile     = 0x46494c45
	registersAt  = 112
	auxVDSO      = 33
)

func (c *CoreFile) notes(p []byte) {
	first := true
	for len(p) >= 12 {
		name, size := binary.LittleEndian.Uint32(p), binary.LittleEndian.Uint32(p[4:])
		kind := binary.LittleEndian.Uint32(p[8:])
		p = p[12+(name+3)&^3:]
		desc := p[:size]
		p = p[(size+3)&^3:]
		switch {
		case kind == notePrStatus && first:
			first = false
			c.registers(desc[registersAt:])
		case kind == noteFPRegs:
			c.vectors(desc)
		case kind == noteFile:
			c.files(desc)
		case kind == noteAuxv:
			c.vdso(desc)
		}
	}
}

// registers reads struct user_regs_struct.
func (c *CoreFile) registers(p []byte) {
	r := func(i int) uint64 { return binary.LittleEndian.Uint64(p[8*i:]) }
	c.Regs = dwarfregs.NewRegisters([17]uint64{
		r(10), r(12), r(11), r(5), r(13), r(14), r(4), r(19),
		r(9), r(8), r(7), r(6), r(3), r(2), r(1), r(0), r(16),
	}, r(21))
}

func (c *CoreFile) vectors(p []byte) {
	var xmm [16][16]byte
	for i := range xmm {
		copy(xmm[i][:], p[160+16*i:])
	}
	c.Regs = c.Regs.WithVectors(&xmm)
}

func (c *CoreFile) files(p []byte) {
	n := binary.LittleEndian.Uint64(p)
	page := binary.LittleEndian.Uint64(p[8:])
	names := bytes.Split(p[16+24*n:], []byte{0})
	for i := range n {
		e := p[16+24*i:]
		c.Maps = append(c.Maps, symbols.Mapping{
			Start: binary.LittleEndian.Uint64(e), End: binary.LittleEndian.Uint64(e[8:]),
			Offset: binary.LittleEndian.Uint64(e[16:]) * page, Path: string(names[i]),
		})
	}
}

func (c *CoreFile) vdso(p []byte) {
	for ; len(p) >= 16; p = p[16:] {
		if binary.LittleEndian.Uint64(p) == auxVDSO {
			at := binary.LittleEndian.Uint64(p[8:])
			c.Maps = append(c.Maps, symbols.Mapping{Start: at, End: at + 0x2000, Path: "[vdso]"})
		}
	}
}
