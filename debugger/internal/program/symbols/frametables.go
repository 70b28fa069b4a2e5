package symbols

import (
	"debug/elf"
	"encoding/binary"

	"github.com/triptych-mcp/triptych/debugger/internal/program/cfi"
	"github.com/triptych-mcp/triptych/debugger/internal/program/elffile"
)

// frameTables returns tables over the file's own frame sections.
func frameTables(o elffile.Reader) []*cfi.Table {
	var out []*cfi.Table
	if s := o.Section(".eh_frame"); s != nil {
		sec := cfi.Section{Data: o.Data(".eh_frame"), Addr: s.Addr, EH: true}
		if h := o.Section(".eh_frame_hdr"); h != nil {
			sec.Hdr, sec.HdrAddr = o.Data(".eh_frame_hdr"), h.Addr
		}
		out = append(out, cfi.New(sec))
	}
	return append(out, debugFrame(o)...)
}

// maxMapped bounds the frame tables that are read from memory.
const maxMapped = 64 << 20

// mappedFrames returns a table over frame information in memory: the sorted
// table has a segment of its own, whose header gives the address of the rest.
func mappedFrames(o *elffile.File, m Memory, bias uint64) []*cfi.Table {
	for _, s := range o.ELF.Progs {
		if s.Type != elf.PT_GNU_EH_FRAME || s.Memsz > maxMapped || s.Memsz < 8 {
			continue
		}
		hdr := make([]byte, s.Memsz)
		if m.ReadMemory(bias+s.Vaddr, hdr) != nil || hdr[1] != 0x1b { // relative to itself, as linkers write it
			continue
		}
		start := s.Vaddr + 4 + uint64(int64(int32(binary.LittleEndian.Uint32(hdr[4:]))))
		for _, l := range o.ELF.Progs {
			if l.Type != elf.PT_LOAD || start < l.Vaddr || start-l.Vaddr >= l.Memsz {
				continue
			}
			data := make([]byte, min(l.Vaddr+l.Memsz-start, maxMapped))
			if m.ReadMemory(bias+start, data) == nil {
				return []*cfi.Table{cfi.New(cfi.Section{Data: data, Addr: start, EH: true, Hdr: hdr, HdrAddr: s.Vaddr})}
			}
		}
	}
	return nil
}

func debugFrame(o elffile.Reader) []*cfi.Table {
	data := o.Data(".debug_frame", ".zdebug_frame")
	if data == nil {
		return nil
	}
	return []*cfi.Table{cfi.New(cfi.Section{Data: data})}
}
