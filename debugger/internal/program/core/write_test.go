package core_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/program/core"
)

// A dump is a core file to be written, by the layouts in the headers of Linux
// (elf.h, elfcore.h, procfs.h).
type dump struct {
	header   func(*elf.Header64) // changes it before it is written
	notes    []dumpNote
	segments []dumpSegment
	manySegs bool // say how many in a section header
	more     int  // say that there are so many more than there are
	again    int  // have so many more segments of the same notes
}

type dumpNote struct {
	owner string
	kind  uint32
	desc  []byte
}

type dumpSegment struct {
	addr, memory uint64
	flags        elf.ProgFlag
	data         []byte
}

// layout puts values one behind another.
func layout(values ...any) []byte {
	var b []byte
	for _, v := range values {
		if s, ok := v.(string); ok {
			b = append(b, s...)
			continue
		}
		b, _ = binary.Append(b, binary.LittleEndian, v) // all have a fixed size
	}
	return b
}

// status is NT_PRSTATUS of a thread.
func status(id, signal int, regs ptrace.Regs) dumpNote {
	desc := layout(int32(signal), int32(0), int32(0), int16(signal), int16(0), uint64(0), uint64(0),
		int32(id), int32(1), int32(1), int32(1), [8]uint64{}, regs, int32(1), int32(0))
	return dumpNote{"CORE", 1, desc}
}

// info is NT_PRPSINFO.
func info(pid int, name, args string) dumpNote {
	var n [16]byte
	var a [80]byte
	copy(n[:], name)
	copy(a[:], args)
	return dumpNote{"CORE", 3, layout(uint64(0), uint64(0), int32(0), int32(0), int32(pid), int32(1), int32(1), int32(1), n, a)}
}

// mapping is a row of NT_FILE; the offset counts pages.
type mapping struct {
	start, end, offset uint64
	path               string
}

func files(rows ...mapping) dumpNote {
	b := layout(uint64(len(rows)), uint64(4096))
	for _, r := range rows {
		b = append(b, layout(r.start, r.end, r.offset)...)
	}
	for _, r := range rows {
		b = append(b, r.path+"\x00"...)
	}
	return dumpNote{"CORE", 0x46494c45, b}
}

func auxv(pairs ...uint64) dumpNote { return dumpNote{"CORE", 6, layout(append(pairs, 0, 0))} }

// noteBytes are notes as a segment has them.
func noteBytes(notes []dumpNote) []byte {
	var b []byte
	for _, n := range notes {
		b = append(b, layout(uint32(len(n.owner)+1), uint32(len(n.desc)), n.kind, n.owner, uint8(0))...)
		b = append(pad(b), n.desc...)
		b = pad(b)
	}
	return b
}

func pad(b []byte) []byte { return append(b, make([]byte, -len(b)&3)...) }

// elfHeader is a good one.
func elfHeader(kind elf.Type, segments int) elf.Header64 {
	h := elf.Header64{
		Type: uint16(kind), Machine: uint16(elf.EM_X86_64), Version: 1, Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: uint16(segments),
	}
	copy(h.Ident[:], elf.ELFMAG+"\x02\x01\x01")
	return h
}

// bytes writes the file: headers, then contents.
func (d *dump) bytes() []byte {
	notes := noteBytes(d.notes)
	count := len(d.segments) + 1 + d.again
	at := uint64(64 + 56*count + 64)
	progs := []elf.Prog64{{Type: uint32(elf.PT_NOTE), Off: at, Filesz: uint64(len(notes))}}
	for range d.again {
		progs = append(progs, progs[0])
	}
	body := slices.Clone(notes)
	for _, s := range d.segments {
		progs = append(progs, elf.Prog64{
			Type: uint32(elf.PT_LOAD), Flags: uint32(s.flags), Off: at + uint64(len(body)), Vaddr: s.addr,
			Filesz: uint64(len(s.data)), Memsz: max(s.memory, uint64(len(s.data))),
		})
		body = append(body, s.data...)
	}
	h := elfHeader(elf.ET_CORE, count)
	section := elf.Section64{Info: uint32(count + d.more)}
	if d.manySegs {
		h.Phnum, h.Shoff = 0xffff, uint64(64+56*count)
	}
	if d.header != nil {
		d.header(&h)
	}
	b := layout(h)
	for _, p := range progs {
		b = append(b, layout(p)...)
	}
	return append(append(b, layout(section)...), body...)
}

// small is a core file with a bit of everything: two threads, a stack of which
// the beginning is left out, a guard page, a mapped library.
func small(path string) *dump {
	one, two := ptrace.Regs{RIP: 0x401010, RSP: 0x7000, RAX: 1, R15: 15, OrigRAX: ptrace.NoSyscall, GS: 9}, ptrace.Regs{RIP: 0x401020, RSP: 0x7800}
	var siginfo ptrace.SigInfo
	copy(siginfo[:], layout(int32(11), int32(0), int32(1), int32(0), uint64(0xdead)))
	vector := bytes.Repeat([]byte{7}, 832)
	return &dump{
		notes: []dumpNote{
			status(501, 11, one), info(500, "small", "./small --now"),
			{"CORE", 0x53494749, siginfo[:]},
			auxv(9, 0x401000, 31, 0x7ff0, 33, 0x9000),
			files(mapping{0x400000, 0x401000, 0, path}, mapping{0x401000, 0x403000, 1, path}, mapping{0x500000, 0x501000, 0, "/data"}),
			{"CORE", 2, make([]byte, 512)},
			{"LINUX", 0x202, vector},
			status(500, 0, two),
			{"CORE", 2, bytes.Repeat([]byte{3}, 512)},
			{"LINUX", 0x205, make([]byte, 16)},
			{"CORE", 99, []byte("unknown")},
		},
		segments: []dumpSegment{
			{addr: 0x7000, flags: elf.PF_R | elf.PF_W, data: []byte("stack and more"), memory: 0x1000},
			{addr: 0x8000, memory: 0x1000},
			{addr: 0x9000, flags: elf.PF_R | elf.PF_X, data: bytes.Repeat([]byte{0xcc}, 0x1000)},
			{addr: 0x401000, flags: elf.PF_R | elf.PF_X, memory: 0x2000},
			{addr: 0x400000, flags: elf.PF_R, data: library("old")[:4096]},
		},
	}
}

// library is an ELF file of three pages and a bit. The build id is in its first
// page, unless it is "".
func library(id string) []byte {
	h := elfHeader(elf.ET_DYN, 1)
	b := layout(h, elf.Prog64{Type: uint32(elf.PT_NOTE), Off: 0x200, Filesz: 0x100})
	b = append(b, make([]byte, 3*4096+100-len(b))...)
	if id != "" {
		copy(b[0x200:], noteBytes([]dumpNote{{"Go", 4, []byte("another")}, {"GNU", 3, []byte(id)}}))
	}
	for i := range b[4096:] {
		b[4096+i] = byte(i / 256)
	}
	return b
}

// read opens bytes as a core file.
func read(t testing.TB, b []byte, options core.Options) *core.File {
	t.Helper()
	f, err := core.New(bytes.NewReader(b), int64(len(b)), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}
