package symbols

import (
	"encoding/binary"
	"io"
)

// Memory reads the memory of the program: all of p or an error. It may also have
// a method ReadPart, which reads as much as can be read and says how much.
type Memory interface {
	ReadMemory(addr uint64, p []byte) error
}

type partMemory interface {
	ReadPart(addr uint64, p []byte) int
}

// stackWindow is how much of the stack is read in one piece before an unwind.
const stackWindow = 8 << 10

// A window is memory with one part of it read beforehand.
type window struct {
	Memory
	start uint64
	data  []byte
}

// newWindow reads ahead from an address. When that fails, as at the end of a
// stack, less is read, down to nothing.
func newWindow(m Memory, start uint64) *window {
	w := &window{Memory: m, start: start, data: make([]byte, stackWindow)}
	if m, ok := m.(partMemory); ok {
		w.data = w.data[:m.ReadPart(start, w.data)]
		return w
	}
	for len(w.data) >= 64 {
		if m.ReadMemory(start, w.data) == nil {
			return w
		}
		w.data = w.data[:len(w.data)/2]
	}
	w.data = nil
	return w
}

// ReadMemory implements [Memory].
func (w *window) ReadMemory(addr uint64, p []byte) error {
	if at := addr - w.start; addr >= w.start && at < uint64(len(w.data)) && uint64(len(p)) <= uint64(len(w.data))-at {
		copy(p, w.data[at:])
		return nil
	}
	return w.Memory.ReadMemory(addr, p)
}

// readWord reads eight bytes.
func readWord(m Memory, addr uint64) (uint64, error) {
	var p [8]byte
	err := m.ReadMemory(addr, p[:])
	return binary.LittleEndian.Uint64(p[:]), err
}

// memoryFile is the mapped start of an ELF file as a file: the headers, without
// the sections, which are not mapped.
type memoryFile struct {
	m     Memory
	start uint64
	size  int64
}

func newMemoryFile(m Memory, g Mapping) *memoryFile {
	return &memoryFile{m, g.Start, int64(min(g.End-g.Start, 1<<40))}
}

// Where the header says that the sections are, and how many (ELF-64 object file
// format, figure 2).
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

// blank zeroes the bytes of a field in a part of a file.
func blank(p []byte, off, field, size int64) {
	for i := max(field, off); i < min(field+size, off+int64(len(p))); i++ {
		p[i-off] = 0
	}
}
