package inspect

import (
	"context"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
)

// SameFunction reports whether an address belongs to the same function as
// inside, but not to the function that was inlined there.
func (s *Inspector) SameFunction(pc uint64, inside symbols.Function) bool {
	f, ok := s.Program.Function(pc)
	return ok && f.Start == inside.Start && (len(f.Inlined) == 0 || f.Inlined[0] != inside.Inlined[0])
}

// GrowsStack reports whether an address is in Go's runtime.morestack, which
// Go's prologues call to get a larger stack.
func (s *Inspector) GrowsStack(pc uint64) bool {
	f, ok := s.Program.Function(pc)
	return ok && strings.HasPrefix(f.Name, "runtime.morestack")
}

// BodyOf returns the end of the prologue of the function that starts at an
// address, or the address itself if it is not known.
func (s *Inspector) BodyOf(ctx context.Context, addr uint64) uint64 {
	f, ok := s.Program.Function(addr)
	if !ok || f.Offset != 0 {
		return addr
	}
	places, _ := s.Program.Entry(ctx, f.Name) // no entry is like an error
	for _, p := range places {
		if same, ok := s.Program.Function(p.Addr); ok && same.Start == f.Start {
			return p.Addr
		}
	}
	return addr
}

// EntryPoint returns the program's entry point, 0 if it is not known.
func (s *Inspector) EntryPoint() uint64 {
	auxv, _ := s.Target.Process.AuxV()
	at, _ := ptrace.Auxiliary(auxv, ptrace.AuxEntry)
	return at
}

// MainFunction returns the address of the program's main function, 0 if it is
// not known.
func (s *Inspector) MainFunction(ctx context.Context) uint64 {
	for _, name := range []string{"main.main", "main"} {
		places, _ := s.Program.Entry(ctx, name)
		for _, at := range places {
			if images := s.Program.Images(); len(images) > 0 && at.Image == s.Target.Executable() {
				return at.Addr
			}
		}
	}
	return 0
}
