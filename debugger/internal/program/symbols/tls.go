package symbols

import (
	"debug/elf"
	"encoding/binary"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfregs"
	"github.com/triptych-mcp/triptych/debugger/internal/program/location"
)

// ThreadLocal returns the address of a thread-local variable from its offset
// in the image's block. The executable's block ends at the thread pointer (ELF
// handling for thread-local storage, variant II). Blocks of libraries are
// found through the module number that the loader assigned, as libthread_db
// finds them.
func (im *Image) ThreadLocal(off uint64, regs *dwarfregs.Registers, mem Memory) (uint64, error) {
	fs, ok := regs.Get(dwarfregs.FSBase)
	if !ok {
		return 0, location.ErrUnavailable
	}
	if im.executable() {
		for _, s := range im.main.ELF.Progs {
			if s.Type == elf.PT_TLS {
				align := max(s.Align, 1)
				return fs - (s.Memsz+align-1)/align*align + off, nil
			}
		}
		return 0, location.ErrUnavailable
	}
	return im.Program.libraryTLS(im, fs, off, mem)
}

// executable reports whether the image is the program itself: it names a
// loader or has fixed addresses.
func (im *Image) executable() bool {
	if im.static() {
		return true
	}
	for _, s := range im.main.ELF.Progs {
		if s.Type == elf.PT_INTERP {
			// Some libraries can be run and name a loader too.
			return im.main.Section(".gnu.version_d") == nil
		}
	}
	return false
}

// libraryTLS returns the address in the thread's block for a library.
func (p *Program) libraryTLS(im *Image, fs, off uint64, mem Memory) (uint64, error) {
	field, err := p.modidOffset(mem)
	if err != nil {
		return 0, err
	}
	link, err := p.linkMap(im, mem)
	if err != nil {
		return 0, err
	}
	modid, err := ReadWord(mem, link+field)
	if err != nil || modid == 0 || modid > 1<<20 {
		return 0, fmt.Errorf("thread-local storage of %s: %w", im.Path, location.ErrUnavailable)
	}
	dtv, err := ReadWord(mem, fs+8)
	if err != nil {
		return 0, err
	}
	block, err := ReadWord(mem, dtv+16*modid)
	if err != nil {
		return 0, err
	}
	if block == ^uint64(0) { // this thread has not touched it yet
		return 0, location.ErrUnavailable
	}
	return block + off, nil
}

// modidOffset returns the offset of the module number in the loader's records.
// The C library publishes it for debuggers as the last of three words.
func (p *Program) modidOffset(mem Memory) (uint64, error) {
	for _, im := range p.Images() {
		found := im.symbols().Named("_thread_db_link_map_l_tls_modid")
		if len(found) == 0 {
			continue
		}
		var b [12]byte
		if err := mem.ReadMemory(found[0].Addr+im.Bias, b[:]); err != nil {
			return 0, err
		}
		return uint64(binary.LittleEndian.Uint32(b[8:])), nil
	}
	return 0, location.ErrUnavailable
}

// maxLinks bounds the loader's list of libraries.
const maxLinks = 1 << 14

// linkMap returns the loader's record of an image, from the list that the
// executable's dynamic section refers to.
func (p *Program) linkMap(im *Image, mem Memory) (uint64, error) {
	link, err := p.firstLink(mem)
	for n := 0; err == nil && link != 0 && n < maxLinks; n++ {
		var bias uint64
		if bias, err = ReadWord(mem, link); err == nil && bias == im.Bias {
			return link, nil
		}
		if err == nil {
			link, err = ReadWord(mem, link+24)
		}
	}
	return 0, fmt.Errorf("%s is not in the loader's list: %w", im.Path, location.ErrUnavailable)
}

// firstLink returns the head of the loader's list: r_debug.r_map.
func (p *Program) firstLink(mem Memory) (uint64, error) {
	for _, im := range p.Images() {
		if !im.executable() {
			continue
		}
		for _, s := range im.main.ELF.Progs {
			if s.Type != elf.PT_DYNAMIC {
				continue
			}
			for at := uint64(0); at+16 <= s.Memsz; at += 16 {
				tag, err := ReadWord(mem, im.Bias+s.Vaddr+at)
				if err != nil || tag == uint64(elf.DT_NULL) {
					break
				}
				if tag == uint64(elf.DT_DEBUG) {
					debug, err := ReadWord(mem, im.Bias+s.Vaddr+at+8)
					if err != nil {
						return 0, err
					}
					return ReadWord(mem, debug+8)
				}
			}
		}
	}
	return 0, location.ErrUnavailable
}
