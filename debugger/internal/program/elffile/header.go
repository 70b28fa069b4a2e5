package elffile

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Limits of the headers of a file. debug/elf reads all of them, and the names of sections, when
// it opens a file. No linker writes so many: the kernel loads programs of some 70 segments, and
// sections of object files are merged.
const (
	maxSections   = 1 << 16
	maxSegments   = 1 << 12
	maxNames      = 16 << 20
	headerSize    = 64
	sectionSize   = 64
	manySections  = 0xffff // SHN_XINDEX
	compressedBit = uint64(elf.SHF_COMPRESSED)
)

var errHeaders = errors.New("the ELF file has more headers, or longer names of sections, than any program")

// checkHeaders refuses a file whose headers take much memory.
func checkHeaders(r io.ReaderAt) error {
	var h elf.Header64
	if err := readAt(r, 0, headerSize, &h); err != nil || string(h.Ident[:4]) != elf.ELFMAG {
		return errNotELF
	}
	if elf.Class(h.Ident[elf.EI_CLASS]) != elf.ELFCLASS64 || elf.Data(h.Ident[elf.EI_DATA]) != elf.ELFDATA2LSB {
		return errNotELF
	}
	if h.Phnum > maxSegments {
		return errHeaders
	}
	if h.Shoff == 0 {
		return nil
	}
	count, names := uint64(h.Shnum), uint64(h.Shstrndx)
	if count == 0 || names == manySections { // they are in the first section
		var first elf.Section64
		if err := readAt(r, h.Shoff, sectionSize, &first); err != nil {
			return fmt.Errorf("headers of sections: %w", err)
		}
		if count == 0 {
			count = first.Size
		}
		if names == manySections {
			names = uint64(first.Link)
		}
	}
	if count > maxSections {
		return errHeaders
	}
	if names == 0 || names >= count || h.Shentsize != sectionSize {
		return nil // debug/elf refuses it, or reads no names
	}
	var s elf.Section64
	if err := readAt(r, h.Shoff+names*sectionSize, sectionSize, &s); err != nil {
		return fmt.Errorf("names of sections: %w", err)
	}
	if s.Size > maxNames || s.Flags&compressedBit != 0 {
		return errHeaders
	}
	return nil
}

// readAt reads a structure of a size.
func readAt(r io.ReaderAt, at uint64, size int, into any) error {
	if at > 1<<62 {
		return io.ErrUnexpectedEOF
	}
	b := make([]byte, size)
	if n, err := r.ReadAt(b, int64(at)); n < size {
		return errors.Join(io.ErrUnexpectedEOF, err)
	}
	_, err := binary.Decode(b, binary.LittleEndian, into)
	return err
}
