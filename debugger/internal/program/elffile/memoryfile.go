package elffile

import "io"

// fileMemory reads the memory of a process.
type fileMemory interface {
	ReadMemory(addr uint64, p []byte) error
}

// memoryFile presents the mapped start of an ELF file as a file. It has the
// headers but not the sections, which are not mapped.
type memoryFile struct {
	m     fileMemory
	start uint64
	size  int64
}

// NewMemoryFile returns a reader of the file mapped between two addresses.
func NewMemoryFile(m fileMemory, start, end uint64) *memoryFile {
	return &memoryFile{m, start, int64(min(end-start, 1<<40))}
}

// Offsets in the header of the offset and number of sections (ELF-64 object
// file format, figure 2).
const (
	sectionOffsetAt = 0x28
	sectionCountAt  = 0x3c
)

// ReadAt implements [io.ReaderAt].
func (f *memoryFile) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 || off >= f.size {
		return 0, io.EOF
	}
	n := min(int64(len(p)), f.size-off)
	if err := f.m.ReadMemory(f.start+uint64(off), p[:n]); err != nil {
		return 0, err
	}
	blank(p[:n], off, sectionOffsetAt, 8)
	blank(p[:n], off, sectionCountAt, 4)
	if n < int64(len(p)) {
		return int(n), io.EOF
	}
	return int(n), nil
}

// blank clears the bytes of a header field in a part of a file.
func blank(p []byte, off, field, size int64) {
	for i := max(field, off); i < min(field+size, off+int64(len(p))); i++ {
		p[i-off] = 0
	}
}
