package race

import (
	"context"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfregs"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
	"github.com/triptych-mcp/triptych/debugger/internal/record/races"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// A place describes the code of an access.
type place struct {
	line    string // file:line, or the address where that is not known
	library bool   // it is in the C library or in the dynamic linker
	wide    bool   // and reads more at once than the program may have asked for
	runtime bool   // it is in the runtime of Go
	copies  bool   // and copies memory of the program, or is a map
}

// counts reports whether a race of two accesses is one of the program.
func (p place) counts(other place) bool {
	switch {
	case p.library && other.library, p.wide, other.wide:
		return false
	case p.runtime && !p.copies, other.runtime && !other.copies:
		return false
	}
	return !p.runtime || !other.runtime || p.copies && other.copies
}

// A code describes code by its addresses.
type code struct {
	s      *stepping.Stepper
	isGo   bool
	places map[uint64]place
}

func newCode(s *stepping.Stepper) code {
	return code{s: s, isGo: s.Inspector.IsGo(), places: map[uint64]place{}}
}

// libraries begin the names of files whose accesses to memory of their own are not those of the program.
var libraries = []string{"/libc.so", "/libc-", "/ld-linux", "/ld-musl", "/libpthread", "/libgcc_s"}

// wideRead is the size from which a read of the C library may be one of a string's end, which also
// reads what is around the string.
const wideRead = 16

// place returns the place of an access.
func (c *code) place(a *races.Side) place {
	p, ok := c.places[a.PC]
	if ok {
		return p
	}
	program := c.s.Inspector.Program
	if im := program.Image(a.PC); im != nil {
		for _, name := range libraries {
			p.library = p.library || strings.Contains(im.Path, name)
		}
	}
	p.library = p.library && !a.Kernel
	p.wide = p.library && !a.Write && a.Memory.Len >= wideRead
	function, file, line := c.s.Inspector.Place(a.PC)
	if p.line = plain.Hex(a.PC); line > 0 {
		p.line = fmt.Sprintf("%s:%d", file, line)
	}
	if name, ok := goRuntime(function); c.isGo && ok {
		p.runtime = true
		p.copies = strings.HasPrefix(name, "mem") || strings.HasPrefix(name, "typedmem") || strings.HasPrefix(name, "map")
	}
	c.places[a.PC] = p
	return p
}

// goRuntime returns the name of a function of Go's runtime in its package.
func goRuntime(function string) (name string, ok bool) {
	for _, prefix := range []string{"runtime.", "internal/runtime/", "runtime/", "sync.", "sync/", "internal/sync."} {
		if name, ok = strings.CutPrefix(function, prefix); ok {
			return name, true
		}
	}
	return "", false
}

// learn adds to the options what of the races is atomic, and reports whether something is.
func (c *code) learn(ctx context.Context, all []*races.Race, o *races.Options) (more bool) {
	if o.Ordered == nil {
		o.Ordered = map[uint64]bool{}
	}
	for _, r := range all {
		for _, pc := range []uint64{r.Before.PC, r.After.PC} {
			if !o.Ordered[pc] && c.atomic(pc) {
				o.Ordered[pc], more = true, true
			}
		}
		if c.ofAtomicType(ctx, r.Shared.Addr) && !known(o, r.Shared) {
			o.Synchronizes, more = append(o.Synchronizes, r.Shared), true
		}
	}
	return more
}

func known(o *races.Options, memory x86.Span) bool {
	for _, s := range o.Synchronizes {
		if s.Addr <= memory.Addr && memory.Addr < s.Addr+s.Len {
			return true
		}
	}
	return false
}

// atomic reports whether an instruction is of a function that is atomic, by the names in the
// libraries of C++, Rust and Go.
func (c *code) atomic(pc uint64) bool {
	f, _ := c.s.Inspector.Program.Function(pc)
	for _, name := range append(f.Inlined, f.Name) {
		if isAtomic(name) {
			return true
		}
	}
	return false
}

// isAtomic reports whether the name of a function or type is one of those of the libraries.
func isAtomic(name string) bool {
	for _, part := range []string{"std::atomic", "std::__atomic", "core::sync::atomic", "sync/atomic.", "runtime/atomic."} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// maxParts bounds how deep an atomic variable is in a global one.
const maxParts = 8

// ofAtomicType reports whether an address is in a global variable of an atomic type, or in such a part
// of one.
func (c *code) ofAtomicType(ctx context.Context, addr uint64) bool {
	name, _, ok := c.s.Inspector.Program.Variable(addr)
	if !ok {
		return false
	}
	v, err := values.Global(ctx, c.s.Inspector.Program, name, c.s.Target.Memory(), dwarfregs.Registers{})
	for n := 0; err == nil && n < maxParts; n++ {
		if hasAtomic(v.Type) {
			return true
		}
		if v, _, ok = v.PartAt(addr); !ok {
			return false
		}
	}
	return false
}

// hasAtomic reports whether a type is atomic.
func hasAtomic(t *types.Type) bool {
	for range types.MaxRenames {
		switch t.Kind {
		case types.KindAtomic:
			return true
		case types.KindTypedef, types.KindConst, types.KindVolatile, types.KindRestrict:
			t = t.Elem()
			continue
		}
		return isAtomic(t.String())
	}
	return false
}
