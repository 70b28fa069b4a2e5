// Package memsearch searches the memory of a program for bytes.
package memsearch

import (
	"bytes"
	"context"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
)

// A Search describes what to search, and where.
type Search struct {
	Maps  procfs.Maps
	Read  func(addr uint64, p []byte) int // as much of p as is readable, and how many bytes that is
	Bytes []byte                          // at least one
	Align uint64                          // of the addresses that are found; 1 for any
	From  uint64                          // the lowest address
	Most  uint64                          // bytes to search
}

// Limits of reading.
const (
	chunkSize = 1 << 20
	pageSize  = 4 << 10
)

// Run calls found with the addresses of all occurrences, in order, until it returns
// false. It returns the address to continue from, 0 if all was searched. After found
// has returned false, that is the address which it was called with.
func (s *Search) Run(ctx context.Context, found func(addr uint64) bool) (next uint64, err error) {
	chunk := make([]byte, chunkSize+len(s.Bytes)-1)
	left := s.Most
	for _, m := range s.Maps {
		if !m.Read || m.End <= s.From || strings.HasPrefix(m.Path, "[vvar") || m.Path == "[vsyscall]" {
			continue
		}
		for at := max(m.Start, s.From); at < m.End; {
			if left == 0 || ctx.Err() != nil {
				return at, ctx.Err()
			}
			whole := chunk[:min(uint64(len(chunk)), m.End-at)]
			n := max(0, s.Read(at, whole))
			if hit, more := s.occurrences(at, whole[:n], found); !more {
				return hit, nil
			}
			step := uint64(chunkSize)
			if n < len(whole) { // go on behind the page that cannot be read
				step = min(step, (at+uint64(n))&^(pageSize-1)+pageSize-at)
			}
			at += step
			left -= min(left, step)
		}
	}
	return 0, nil
}

// occurrences calls found with the addresses of the occurrences in memory that was
// read at an address. If found returns false, so does occurrences, with the address.
func (s *Search) occurrences(at uint64, memory []byte, found func(uint64) bool) (hit uint64, more bool) {
	for from := 0; ; {
		i := bytes.Index(memory[from:], s.Bytes)
		if i < 0 || from+i >= chunkSize {
			return 0, true
		}
		if addr := at + uint64(from+i); addr%s.Align == 0 && !found(addr) {
			return addr, false
		}
		from += i + 1
	}
}
