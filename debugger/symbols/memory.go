package symbols

import (
	"encoding/binary"
	"io"
)

// Memory reads the memory of the program: all of p or an error.
type Memory interface {
	ReadMemory(addr uint64, p []byte) error
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

// memoryFile is a range of memory as a file, for images that have none.
type memoryFile struct {
	m     Memory
	start uint64
	size  int64
}

// ReadAt implements [io.ReaderAt].
func (f *memoryFile) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 || off >= f.size {
		return 0, io.EOF
	}
	n := min(int64(len(p)), f.size-off)
	if err := f.m.ReadMemory(f.start+uint64(off), p[:n]); err != nil {
		return 0, err
	}
	if n < int64(len(p)) {
		return int(n), io.EOF
	}
	return int(n), nil
}
