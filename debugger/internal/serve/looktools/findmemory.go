package looktools

import (
	"bytes"
	"context"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/memsearch"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

const (
	maxSearched = 1 << 30 // bytes of memory in one call
	shownMemory = 32      // bytes of memory in a finding
)

// findBytes searches memory for bytes. What is masked is not found, as a search for the
// beginning of a secret would reveal it.
func findBytes(ctx context.Context, s *session.Session, args findArgs, pattern []byte, align uint64) (found, error) {
	maps, err := s.Target.View.Maps()
	if err != nil {
		return found{}, err
	}
	search := memsearch.Search{
		Maps: maps, Bytes: pattern, Align: align, From: args.from(), Most: maxSearched,
		Read: func(addr uint64, p []byte) int {
			n, _ := s.Target.View.ReadMemory(addr, p) // what cannot be read is left out
			return n
		},
	}
	var places []uint64
	next, err := search.Run(ctx, func(addr uint64) bool {
		if len(places) == maxFound {
			return false
		}
		if bytes.HasPrefix(shownAt(s, addr, len(pattern)), pattern) {
			places = append(places, addr)
		}
		return true
	})
	answer := found{Found: []finding{}, Searched: maxSearched}
	for _, addr := range places {
		// The search may have met a whole secret behind a part of it.
		shown := shownAt(s, addr, max(len(pattern), shownMemory))
		if bytes.HasPrefix(shown, pattern) {
			answer.Found = append(answer.Found, finding{Address: plain.Hex(addr), Name: where(s, maps, addr), Memory: ascii(shown[:min(len(shown), shownMemory)])})
		}
	}
	if next != 0 {
		answer.Next = plain.Hex(next)
	}
	return answer, err
}

// shownAt returns up to n bytes of memory as they may be shown.
func shownAt(s *session.Session, addr uint64, n int) []byte {
	b := make([]byte, n)
	n, _ = s.Target.View.ReadMemory(addr, b) // fewer at the end of a mapping
	s.Target.MaskDisplayed(addr, b[:n])
	return b[:n]
}

// where names an address: by a function or variable, or by its mapping.
func where(s *session.Session, maps procfs.Maps, addr uint64) string {
	if name := s.Inspector.Symbol(addr); name != "" {
		return name
	}
	m, _ := maps.Find(addr)
	if m.Path == "" {
		return fmt.Sprintf("[anonymous]+%#x", addr-m.Start)
	}
	return fmt.Sprintf("%s+%#x", m.Path, m.Offset+addr-m.Start)
}
