package inspect

import (
	"context"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols"
)

// SameFunction says whether code is of the same function, and not of what was inlined
// there.
func (s *Inspector) SameFunction(pc uint64, inside symbols.Function) bool {
	f, ok := s.Program.Function(pc)
	return ok && f.Start == inside.Start && (len(f.Inlined) == 0 || f.Inlined[0] != inside.Inlined[0])
}

// GrowsStack says whether code is where Go's functions begin that need more stack
// than there is.
func (s *Inspector) GrowsStack(pc uint64) bool {
	f, ok := s.Program.Function(pc)
	return ok && strings.HasPrefix(f.Name, "runtime.morestack")
}

// BodyOf is where the arguments of the function at an address have their
// values; the address itself when nobody knows.
func (s *Inspector) BodyOf(ctx context.Context, addr uint64) uint64 {
	f, ok := s.Program.Function(addr)
	if !ok || f.Offset != 0 {
		return addr
	}
	places, _ := s.Program.Entry(ctx, f.Name) // none is as good as an error
	for _, p := range places {
		if same, ok := s.Program.Function(p.Addr); ok && same.Start == f.Start {
			return p.Addr
		}
	}
	return addr
}

// EntryPoint is where the loader hands over to the program, 0 when nobody knows.
func (s *Inspector) EntryPoint() uint64 {
	auxv, _ := s.Process.AuxV()
	at, _ := ptrace.Auxiliary(auxv, ptrace.AuxEntry)
	return at
}

// MainFunction is where the program's own code begins, 0 when nobody knows.
func (s *Inspector) MainFunction(ctx context.Context) uint64 {
	for _, name := range []string{"main.main", "main"} {
		places, _ := s.Program.Entry(ctx, name)
		for _, at := range places {
			if images := s.Program.Images(); len(images) > 0 && at.Image == s.Executable() {
				return at.Addr
			}
		}
	}
	return 0
}
