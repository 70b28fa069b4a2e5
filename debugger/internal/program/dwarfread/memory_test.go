package dwarfread_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"debug/elf"
	"encoding/binary"
	"errors"
	"io"
	"log/slog"
	"runtime"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/budget"
	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfread"
	"github.com/triptych-mcp/triptych/debugger/internal/program/elffile"
)

// A section is one of a file that is made.
type section struct {
	name string
	data []byte
	size uint64 // that a compressed section claims; 0: its own
}

// makeFile makes an ELF file of compressed sections.
func makeFile(t *testing.T, sections ...section) *elffile.File {
	t.Helper()
	h := elf.Header64{Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: 1, Ehsize: 64, Shentsize: 64}
	copy(h.Ident[:], "\x7fELF\x02\x01\x01")
	body, names := bytes.NewBuffer(make([]byte, 64)), []byte{0}
	headers := []elf.Section64{{}}
	for _, s := range sections {
		at := body.Len()
		size := s.size
		if size == 0 {
			size = uint64(len(s.data))
		}
		_ = binary.Write(body, binary.LittleEndian, elf.Chdr64{Type: uint32(elf.COMPRESS_ZLIB), Size: size, Addralign: 1})
		z := zlib.NewWriter(body)
		_, _ = z.Write(s.data)
		_ = z.Close()
		headers = append(headers, elf.Section64{Name: uint32(len(names)), Type: uint32(elf.SHT_PROGBITS), Flags: uint64(elf.SHF_COMPRESSED), Off: uint64(at), Size: uint64(body.Len() - at), Addralign: 1})
		names = append(append(names, s.name...), 0)
	}
	headers = append(headers, elf.Section64{Name: uint32(len(names)), Type: uint32(elf.SHT_STRTAB), Off: uint64(body.Len()), Size: uint64(len(names) + 10), Addralign: 1})
	body.Write(append(names, ".shstrtab\x00"...))
	h.Shoff, h.Shnum, h.Shstrndx = uint64(body.Len()), uint16(len(headers)), uint16(len(headers)-1)
	_ = binary.Write(body, binary.LittleEndian, headers)
	file := body.Bytes()
	if _, err := binary.Encode(file, binary.LittleEndian, &h); err != nil {
		t.Fatal(err)
	}
	o, err := elffile.Open(bytes.NewReader(file), io.NopCloser(nil))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestCompressedTwice reads sections whose names say that they have the old form of compression,
// and whose flags say that they have the other one, which they have.
func TestCompressedTwice(t *testing.T) {
	info := unit(0, []byte{1, 0})
	o := makeFile(t, section{name: ".zdebug_info", data: info}, section{name: ".zdebug_abbrev", data: abbreviations()})
	if got := o.DebugSection("info"); !bytes.Equal(got, info) {
		t.Errorf("the section has the contents %x, want %x", got, info)
	}
	if got := o.AllData(".zdebug_info"); !bytes.Equal(got, info) {
		t.Errorf("the sections have the contents %x, want %x", got, info)
	}
	if _, err := dwarfread.Open(o.Within(nil), dwarfread.Files{}, slog.New(slog.DiscardHandler)); err != nil {
		t.Error(err)
	}
}

// TestAllDataTakesOnce: sections of one name take their memory once, together.
func TestAllDataTakesOnce(t *testing.T) {
	info := unit(0, []byte{1, 0})
	o := makeFile(t, section{name: ".debug_info.dwo", data: info}, section{name: ".debug_info.dwo", data: info})
	account := budget.New(1 << 20).Open("anna")
	defer account.Close()
	if got := o.Within(account).AllData(".debug_info.dwo"); len(got) != 2*len(info) || account.Taken() != int64(len(got)) {
		t.Errorf("%d bytes took %d, want %d of both", len(got), account.Taken(), 2*len(info))
	}
}

// unit returns a unit of DWARF 4 with some entries and an offset of its abbreviations.
func unit(abbrev int, entries []byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(7+len(entries)))
	b = binary.LittleEndian.AppendUint16(b, 4)
	b = binary.LittleEndian.AppendUint32(b, uint32(abbrev))
	return append(append(b, 8), entries...)
}

// Abbreviations: 1 is a unit with children; 2 a namespace with children, 3 a structure, both
// with a name of .debug_str; 4 a variable with its name and location in the abbreviation and a
// hundred flags.
func abbreviations() []byte {
	b := []byte{1, 0x11, 1, 0, 0, 2, 0x39, 1, 0x03, 0x0e, 0, 0, 3, 0x13, 0, 0x03, 0x0e, 0, 0, 4, 0x34, 0, 0x03, 0x08, 0x1c, 0x0b}
	for range 100 {
		b = append(b, 0x3f, 0x19)
	}
	return append(b, 0, 0, 0)
}

// TestMemory opens small files of much debug information: there is an error of the budget, and
// not many times the budget is allocated.
func TestMemory(t *testing.T) {
	const limit = 8 << 20
	variables := bytes.Repeat([]byte{4, 'v', 0, 1}, 1<<20)
	nested := append(bytes.Repeat([]byte{2, 0, 0, 0, 0}, 20), bytes.Repeat([]byte{3, 0, 0, 0, 0}, 10_000)...)
	var empty, shifted []byte
	for n := range 200_000 {
		empty = append(empty, unit(0, []byte{0})...)
		if n < 2000 {
			shifted = append(shifted, unit(n*3, []byte{0})...)
		}
	}
	table := bytes.Repeat([]byte{1, 0x34, 0}, 1<<15) // each abbreviation is followed by attributes
	for i := range table {
		if i%3 == 2 {
			table[i] = 1
		}
	}
	for name, sections := range map[string][]section{
		"a large section":     {{name: ".debug_info", data: make([]byte, 200<<20)}},
		"a false size":        {{name: ".debug_info", data: unit(0, []byte{0}), size: 1 << 30}},
		"many sections":       {{name: ".debug_info", data: make([]byte, 3<<20)}, {name: ".debug_str", data: make([]byte, 3<<20)}, {name: ".debug_line", data: make([]byte, 3<<20)}},
		"entries of a byte":   {{name: ".debug_info", data: unit(0, append([]byte{1}, variables...))}, {name: ".debug_abbrev", data: abbreviations()}},
		"names in namespaces": {{name: ".debug_info", data: unit(0, append([]byte{1}, nested...))}, {name: ".debug_abbrev", data: abbreviations()}, {name: ".debug_str", data: append(bytes.Repeat([]byte{'n'}, 40<<10), 0)}},
		"empty units":         {{name: ".debug_info", data: empty}, {name: ".debug_abbrev", data: abbreviations()}},
		"overlapping tables":  {{name: ".debug_info", data: shifted}, {name: ".debug_abbrev", data: table}},
	} {
		t.Run(name, func(t *testing.T) {
			file := makeFile(t, sections...)
			memory := budget.New(limit)
			account := memory.Open("anna")
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			d, err := dwarfread.Open(file.Within(account), dwarfread.Files{}, slog.New(slog.DiscardHandler))
			if err == nil {
				err = d.LoadAll(context.Background())
			}
			runtime.ReadMemStats(&after)
			if full := (*budget.Error)(nil); !errors.As(err, &full) {
				t.Errorf("got %v, want an error of the budget", err)
			}
			if taken := after.TotalAlloc - before.TotalAlloc; taken > 8*limit {
				t.Errorf("%d MiB were allocated", taken>>20)
			}
			account.Close()
			if own, _ := memory.Taken("anna"); own != 0 {
				t.Errorf("%d bytes are left", own)
			}
		})
	}
}
