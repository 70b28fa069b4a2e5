package heap

import (
	"encoding/binary"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
)

// A State says whether a chunk is in use.
type State int

// States of a chunk. Only one that was merged into free memory is certainly free: the lists of
// free chunks of a thread, and those of small ones, leave the chunks marked as used.
const (
	NotKnown State = iota
	Free
)

// maxChunks bounds the chunks of a heap that are walked.
const maxChunks = 200_000

// Chunk returns the block that an address is in by the headers of glibc's main heap at the
// current position, and false if they do not lead to it from the beginning of the heap.
func Chunk(s *stepping.Stepper, addr uint64) (Block, State, bool) {
	maps, err := s.Target.View.Maps()
	if err != nil || !isGlibc(s) {
		return Block{}, NotKnown, false
	}
	m, ok := maps.Find(addr)
	if !ok || m.Path != "[heap]" {
		return Block{}, NotKnown, false
	}
	for at, n := m.Start, 0; n < maxChunks; n++ {
		size, ok := chunkSize(s.Target.Memory(), at, m.End)
		if !ok {
			break
		}
		next := at + size
		if addr >= next+header {
			at = next
			continue
		}
		state := NotKnown
		if used, ok := flags(s.Target.Memory(), next); ok && next < m.End && used&previousInUse == 0 || next == m.End {
			state = Free
		}
		return Block{Address: at + 2*header, Size: size - header}, state, addr >= at+2*header
	}
	return Block{}, NotKnown, false
}

// The header of a chunk of glibc is the size of the chunk before it, if that is free, and its
// own size with flags. The size of a chunk is a multiple of 16.
const (
	header        = 8
	previousInUse = 1
	otherArena    = 2 | 4 // mapped by itself, or of another arena
	smallestChunk = 32
)

func chunkSize(m symbols.Memory, at, end uint64) (uint64, bool) {
	size, ok := flags(m, at)
	if !ok || size&otherArena != 0 {
		return 0, false
	}
	size &^= previousInUse
	return size, size >= smallestChunk && size%16 == 0 && size <= end-at
}

// flags reads the size of a chunk, with its flags.
func flags(m symbols.Memory, at uint64) (uint64, bool) {
	var b [8]byte
	if m.ReadMemory(at+header, b[:]) != nil {
		return 0, false
	}
	return binary.LittleEndian.Uint64(b[:]), true
}

// isGlibc reports whether the allocator of the target is glibc's.
func isGlibc(s *stepping.Stepper) bool {
	for _, addr := range s.Inspector.Program.Symbols("malloc", nil) {
		if im := s.Inspector.Program.Image(addr); im != nil && strings.Contains(im.Path, "/libc.so.6") {
			return len(s.Inspector.Program.Symbols("malloc", nil)) == 1
		}
	}
	return false
}
