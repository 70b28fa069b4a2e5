package callstack

import (
	"encoding/binary"

	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
)

// stackWindow is the number of bytes of the stack that are read at once before
// an unwind.
const stackWindow = 8 << 10

type partMemory interface {
	ReadPart(addr uint64, p []byte) int
}

// A window is memory with a part of it read beforehand.
type window struct {
	symbols.Memory
	start uint64
	data  []byte
}

// newWindow reads ahead from an address. If that fails, as at the end of a
// stack, it reads less.
func newWindow(m symbols.Memory, start uint64) *window {
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

// ReadWord reads eight bytes, for [symbols.ReadWord].
func (w *window) ReadWord(addr uint64) (uint64, error) {
	if at := addr - w.start; addr >= w.start && at < uint64(len(w.data)) && uint64(len(w.data))-at >= 8 {
		return binary.LittleEndian.Uint64(w.data[at:]), nil
	}
	return symbols.ReadWord(w.Memory, addr)
}

// Displayed returns the memory from which values are shown, for [symbols.Displayed].
func (w *window) Displayed() (symbols.Memory, bool) { return symbols.Displayed(w.Memory) }
