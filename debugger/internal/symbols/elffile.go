package symbols

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/symbols/cfi"
)

// maxSection is the largest section that is read, decompressed.
const maxSection = 2 << 30

var errNotELF = errors.New("not a 64-bit little-endian ELF file for x86-64")

// An elfFile is one ELF file.
type elfFile struct {
	f *elf.File
	c io.Closer
}

// openELF reads the headers. It does not close c when it fails.
func openELF(r io.ReaderAt, c io.Closer) (o *elfFile, err error) {
	err = shield(func() error {
		f, err := elf.NewFile(r)
		if err != nil {
			return err
		}
		if f.Class != elf.ELFCLASS64 || f.Data != elf.ELFDATA2LSB || f.Machine != elf.EM_X86_64 {
			return errNotELF
		}
		o = &elfFile{f, c}
		return nil
	})
	return o, err
}

// shield runs code of debug/elf and debug/dwarf, which may panic on files that
// lie. It is the only place that recovers.
func shield(f func() error) (err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("damaged file: %v", x)
		}
	}()
	return f()
}

// close closes the file. A nil one has none.
func (o *elfFile) close() error {
	if o == nil || o.c == nil {
		return nil
	}
	return o.c.Close()
}

// section returns the first of some sections that the file has contents for.
func (o *elfFile) section(names ...string) *elf.Section {
	for _, n := range names {
		if s := o.f.Section(n); s != nil && s.Type != elf.SHT_NOBITS {
			return s
		}
	}
	return nil
}

// data reads a section, decompressed; nil when it is not there or damaged.
func (o *elfFile) data(names ...string) []byte {
	s := o.section(names...)
	if s == nil || s.Size > maxSection {
		return nil
	}
	var data []byte
	err := shield(func() (err error) {
		if strings.HasPrefix(s.Name, ".zdebug") {
			data, err = inflate(s)
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

// readMapped reads what the file has at one of its addresses. What no segment
// has is zero; nothing at all is an error.
func (o *elfFile) readMapped(addr uint64, p []byte) error {
	clear(p)
	for _, s := range o.f.Progs {
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

// buildID returns the note that names this very build, nil when there is none.
func (o *elfFile) buildID() []byte {
	p := o.data(".note.gnu.build-id")
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

func align4(n uint32) uint32 { return (n + 3) &^ 3 }

// noteSegment reads the notes of an image that has no sections.
func (o *elfFile) noteSegment() []byte {
	for _, s := range o.f.Progs {
		if s.Type == elf.PT_NOTE && s.Filesz < 1<<16 {
			p := make([]byte, s.Filesz)
			if _, err := s.ReadAt(p, 0); err == nil {
				return p
			}
		}
	}
	return nil
}

// bias finds out how far from its own addresses the file was loaded, by the
// segment that the lowest mapping shows.
func (o *elfFile) bias(g Mapping) (uint64, error) {
	const page = 4096
	for _, s := range o.f.Progs {
		if s.Type != elf.PT_LOAD {
			continue
		}
		if s.Off&^(page-1) <= g.Offset && g.Offset < s.Off+max(s.Filesz, 1) {
			return g.Start - g.Offset - (s.Vaddr - s.Off), nil
		}
	}
	return 0, errors.New("no segment of the file is mapped there")
}

// frameTables returns tables over the file's own frame sections.
func (o *elfFile) frameTables() []*cfi.Table {
	var out []*cfi.Table
	if s := o.section(".eh_frame"); s != nil {
		sec := cfi.Section{Data: o.data(".eh_frame"), Addr: s.Addr, EH: true}
		if h := o.section(".eh_frame_hdr"); h != nil {
			sec.Hdr, sec.HdrAddr = o.data(".eh_frame_hdr"), h.Addr
		}
		out = append(out, cfi.New(sec))
	}
	return append(out, o.debugFrame()...)
}

// maxMapped bounds the frame tables that are read from memory.
const maxMapped = 64 << 20

// mappedFrames returns a table over the frame information that is mapped: the
// sorted table has a segment of its own and says where the rest begins.
func (o *elfFile) mappedFrames(m Memory, bias uint64) []*cfi.Table {
	for _, s := range o.f.Progs {
		if s.Type != elf.PT_GNU_EH_FRAME || s.Memsz > maxMapped || s.Memsz < 8 {
			continue
		}
		hdr := make([]byte, s.Memsz)
		if m.ReadMemory(bias+s.Vaddr, hdr) != nil || hdr[1] != 0x1b { // relative to itself, as linkers write it
			continue
		}
		start := s.Vaddr + 4 + uint64(int64(int32(binary.LittleEndian.Uint32(hdr[4:]))))
		for _, l := range o.f.Progs {
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

func (o *elfFile) debugFrame() []*cfi.Table {
	data := o.data(".debug_frame", ".zdebug_frame")
	if data == nil {
		return nil
	}
	return []*cfi.Table{cfi.New(cfi.Section{Data: data})}
}

// findDebugFile looks for the file that the debug information was moved to: by
// build id, then by the name that the file itself gives. Nil when there is none.
func (o *elfFile) findDebugFile(path string, cfg Config) *elfFile {
	id := o.buildID()
	for _, dir := range cfg.DebugDirs {
		if len(id) < 2 {
			break
		}
		name := fmt.Sprintf("%x/%x.debug", id[:1], id[1:])
		if d := openDebug(filepath.Join(dir, ".build-id", name)); d != nil {
			if string(d.buildID()) == string(id) {
				return d
			}
			_ = d.close() // opened for reading only
		}
	}
	return o.linkedDebugFile(path, cfg)
}

// linkedDebugFile follows .gnu_debuglink: a name and the checksum of the file.
func (o *elfFile) linkedDebugFile(path string, cfg Config) *elfFile {
	link := o.data(".gnu_debuglink")
	i := strings.IndexByte(string(link), 0)
	if i <= 0 || len(link) < int(align4(uint32(i+1)))+4 {
		return nil
	}
	name := string(link[:i])
	if name != filepath.Base(name) {
		return nil
	}
	sum := binary.LittleEndian.Uint32(link[align4(uint32(i+1)):])
	dir := filepath.Dir(path)
	candidates := []string{filepath.Join(dir, name), filepath.Join(dir, ".debug", name)}
	for _, d := range cfg.DebugDirs {
		candidates = append(candidates, filepath.Join(d, dir, name))
	}
	for _, c := range candidates {
		if c != path && checksum(c) == sum {
			return openDebug(c)
		}
	}
	return nil
}

// checksum is the CRC-32 of a file, 0 when it cannot be read.
func checksum(path string) uint32 {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer func() { _ = f.Close() }() // it was only read
	h := crc32.NewIEEE()
	if _, err := io.Copy(h, f); err != nil {
		return 0
	}
	return h.Sum32()
}

func openDebug(path string) *elfFile {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	o, err := openELF(f, f)
	if err != nil {
		_ = f.Close() // opened for reading only
		return nil
	}
	return o
}
