package elffile

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync/atomic"
	"time"

	"github.com/triptych-mcp/triptych/mcp/filestamp"
)

// MaxSection is the size of the largest section that is read, decompressed.
const MaxSection = 2 << 30

var errNotELF = errors.New("not a 64-bit little-endian ELF file for x86-64")

// A File is one ELF file.
type File struct {
	ELF   *elf.File
	r     io.ReaderAt
	c     io.Closer
	stamp filestamp.Stamp // from before the headers were read; zero if there is none
	extra atomic.Int32    // calls of Retain that Close has not undone; -1 when it is closed
}

// Open reads the headers of an ELF file. It does not close c when it fails.
func Open(r io.ReaderAt, c io.Closer) (o *File, err error) {
	if err := checkHeaders(r); err != nil {
		return nil, err
	}
	stamp, _ := stampOf(r)
	err = CatchPanic(func() error {
		f, err := elf.NewFile(r)
		if err != nil {
			return err
		}
		if f.Class != elf.ELFCLASS64 || f.Data != elf.ELFDATA2LSB || f.Machine != elf.EM_X86_64 {
			return errNotELF
		}
		o = &File{ELF: f, r: r, c: c, stamp: stamp}
		return nil
	})
	return o, err
}

// CatchPanic calls f and returns a panic as an error. debug/elf and
// debug/dwarf may panic on damaged files.
func CatchPanic(f func() error) (err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("damaged file: %v", x)
		}
	}()
	return f()
}

// Retain returns the file, which then has another owner: it is closed when each has
// called Close. It must not be called on a closed file, but may be on nil.
func (o *File) Retain() *File {
	if o != nil {
		o.extra.Add(1)
	}
	return o
}

// Close closes the file if no other owner has it open. It may be called on nil.
func (o *File) Close() error {
	if o == nil || o.c == nil || o.extra.Add(-1) >= 0 {
		return nil
	}
	return o.c.Close()
}

// Stamp returns the stamp of the file if it names the file alone and has not changed
// since before its headers were read, so that everything that was read belongs to it.
func (o *File) Stamp() (filestamp.Stamp, bool) {
	now, ok := stampOf(o.r)
	return now, ok && now == o.stamp && now.Unique() && now.Settled(time.Now())
}

// stampOf returns the stamp of a file, if r is one.
func stampOf(r io.ReaderAt) (filestamp.Stamp, bool) {
	f, ok := r.(interface{ Stat() (fs.FileInfo, error) })
	if !ok {
		return filestamp.Stamp{}, false
	}
	info, err := f.Stat()
	if err != nil {
		return filestamp.Stamp{}, false
	}
	return filestamp.Of(info), true
}

// Section returns the first section of the given names that has contents, nil
// when there is none.
func (o *File) Section(names ...string) *elf.Section {
	for _, n := range names {
		if s := o.ELF.Section(n); s != nil && s.Type != elf.SHT_NOBITS {
			return s
		}
	}
	return nil
}

// Data returns the contents of the first of some sections, decompressed; nil
// when it does not exist or is damaged.
func (o *File) Data(names ...string) []byte {
	return o.Within(nil).Data(names...)
}

// AllData returns the contents of all sections of a name, one after the other: .dwo
// files have one for each type unit.
func (o *File) AllData(name string) []byte { return o.Within(nil).AllData(name) }

// contents returns the contents of a section, which have a size; nil when it is damaged.
func contents(s *elf.Section, size uint64) []byte {
	var data []byte
	err := CatchPanic(func() (err error) {
		if isOldForm(s) {
			data, err = inflate(s, size)
			return err
		}
		data, err = s.Data()
		return err
	})
	if err != nil {
		return nil
	}
	return data
}

var errNotMapped = errors.New("no segment of the file is there")

// ReadMapped reads the contents of the file at one of its addresses. Bytes
// that no segment has are zero; it fails if no segment has any.
func (o *File) ReadMapped(addr uint64, p []byte) error {
	clear(p)
	for _, s := range o.ELF.Progs {
		if s.Type != elf.PT_LOAD || addr >= s.Vaddr+s.Filesz || addr+uint64(len(p)) <= s.Vaddr {
			continue
		}
		skip := max(addr, s.Vaddr) - addr
		_, err := s.ReadAt(p[skip:], int64(addr+skip-s.Vaddr))
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return err
	}
	return errNotMapped
}

// BuildID returns the build id, nil when there is none.
func (o *File) BuildID() []byte {
	p := o.small(".note.gnu.build-id")
	if p == nil {
		p = o.noteSegment()
	}
	for len(p) >= 12 {
		name := align4(binary.LittleEndian.Uint32(p))
		desc := binary.LittleEndian.Uint32(p[4:])
		kind := binary.LittleEndian.Uint32(p[8:])
		p = p[12:]
		if uint64(name)+uint64(desc) > uint64(len(p)) {
			return nil
		}
		if kind == 3 && string(p[:name]) == "GNU\x00" {
			return p[name : name+desc]
		}
		p = p[min(uint64(name)+uint64(align4(desc)), uint64(len(p))):]
	}
	return nil
}

// small returns the contents of a section that is small in real files, else nil.
func (o *File) small(name string) []byte {
	if s := o.Section(name); s != nil && contentSize(s) <= maxSmall {
		return contents(s, s.Size)
	}
	return nil
}

// maxSmall is larger than any note or link to a debug file.
const maxSmall = 1 << 16

func align4(n uint32) uint32 { return (n + 3) &^ 3 }

// noteSegment reads the notes of an image that has no sections.
func (o *File) noteSegment() []byte {
	for _, s := range o.ELF.Progs {
		if s.Type == elf.PT_NOTE && s.Filesz < 1<<16 {
			p := make([]byte, s.Filesz)
			if _, err := s.ReadAt(p, 0); err == nil {
				return p
			}
		}
	}
	return nil
}

// Bias returns the difference between addresses of the process and of the
// file, given the file's first mapping.
func (o *File) Bias(start, offset uint64) (uint64, error) {
	const page = 4096
	for _, s := range o.ELF.Progs {
		if s.Type != elf.PT_LOAD {
			continue
		}
		if s.Off&^(page-1) <= offset && offset < s.Off+max(s.Filesz, 1) {
			return start - offset - (s.Vaddr - s.Off), nil
		}
	}
	return 0, errors.New("no segment of the file is mapped there")
}

// End returns the end of the last loaded segment, an address of the file. It is
// beyond what the file has if there is data that begins as zero (.bss).
func (o *File) End() uint64 {
	var end uint64
	for _, s := range o.ELF.Progs {
		if s.Type == elf.PT_LOAD && s.Vaddr+s.Memsz >= s.Vaddr { // else the file is damaged
			end = max(end, s.Vaddr+s.Memsz)
		}
	}
	return end
}

// DebugSection returns the contents of a debug section by its name without .debug_,
// as Data does.
func (o *File) DebugSection(name string) []byte {
	return o.Data(".debug_"+name, ".zdebug_"+name)
}

// Dynamic returns strings of the dynamic section; none when it is damaged.
func (o *File) Dynamic(tag elf.DynTag) []string {
	var out []string
	_ = CatchPanic(func() (err error) { // damaged: nothing is known to be needed
		out, err = o.ELF.DynString(tag)
		return err
	})
	return out
}

// Relocated returns the contents of a section with the addresses that the
// loader would fill in relative to the file.
func (o *File) Relocated(s *elf.Section) []byte {
	data := o.Data(s.Name)
	list := o.Data(".rela.dyn", ".rela")
	for ; len(list) >= 24; list = list[24:] { // Elf64_Rela: where, how, what
		at := binary.LittleEndian.Uint64(list) - s.Addr
		relative := binary.LittleEndian.Uint64(list[8:]) == uint64(elf.R_X86_64_RELATIVE)
		if relative && len(data) >= 8 && at <= uint64(len(data)-8) {
			copy(data[at:], list[16:24])
		}
	}
	return data
}
