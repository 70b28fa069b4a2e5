package inspect

import (
	"encoding/binary"
)

// A Level is the call depth of a thread, or in Go of a goroutine. Deeper calls
// have a greater depth.
type Level struct{ Owner, Depth uint64 }

// Outside reports whether a level is of the same owner as another one and at
// most as deep.
func (l Level) Outside(of Level) bool { return l.Owner == of.Owner && l.Depth <= of.Depth }

// LevelOf returns the level of a thread with its stack pointer at sp; 0 is the
// current one. As stacks of goroutines move, their depth is measured from the
// end of the stack.
func (s *Inspector) LevelOf(thread int, sp uint64) (Level, error) {
	return s.DepthOf(thread, sp, s.IsGo())
}

// DepthOf is LevelOf for callers that know whether the program is a Go
// program.
func (s *Inspector) DepthOf(thread int, sp uint64, isGo bool) (Level, error) {
	regs, err := s.Target.View.Regs(thread)
	if err != nil {
		return Level{}, err
	}
	if sp == 0 {
		sp = regs.RSP
	}
	if isGo {
		if g, top, ok := s.goroutine(regs.FSBase); ok {
			return Level{g, top - sp}, nil
		}
	}
	return Level{uint64(thread), ^sp}, nil
}

// IsGo reports whether the program has Go's runtime.
func (s *Inspector) IsGo() bool {
	found, err := s.Program.Lookup(s.Life, "runtime.allgs")
	return err == nil && len(found) > 0
}

// goroutine returns the goroutine that a thread runs, and the top of its
// stack. Its descriptor is found through the thread pointer and begins with
// the stack's bounds (runtime.g in runtime2.go; tls_g in the linker).
func (s *Inspector) goroutine(fsBase uint64) (g, top uint64, ok bool) {
	var b [8]byte
	if _, err := s.Target.View.ReadMemory(fsBase-8, b[:]); err != nil {
		return 0, 0, false
	}
	g = binary.LittleEndian.Uint64(b[:])
	if _, err := s.Target.View.ReadMemory(g+8, b[:]); g == 0 || err != nil {
		return 0, 0, false
	}
	return g, binary.LittleEndian.Uint64(b[:]), true
}
