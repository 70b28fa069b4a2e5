package sessiontest

import (
	"fmt"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/session"
)

// Digest describes all that a client could change: position, stops, breakpoints, registers
// and memory.
func Digest(t testing.TB, s *session.Session) string {
	t.Helper()
	_, leave, err := s.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	_, stops, _ := s.LastStop()
	regs, err := s.Target.View.Regs(0)
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("stops %d, history %+v, breakpoints %v, life %v, registers %+v", stops, *s.Timeline.Position(), s.Breakpoints.ByID, s.Inspector.Life.Err(), regs)
	for _, addr := range []uint64{regs.RIP, regs.RSP} {
		b := make([]byte, 256)
		if _, err := s.Target.View.ReadMemory(addr, b); err != nil {
			t.Fatal(err)
		}
		text += fmt.Sprintf(", memory at %#x %x", addr, b)
	}
	return text
}
