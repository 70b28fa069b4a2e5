package callstack

import (
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfread"
	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfregs"
	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
	"github.com/triptych-mcp/triptych/debugger/internal/program/location"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
)

// A function that ends by jumping to another leaves no frame. When the
// caller's debug information says that it called another function than the one
// that runs, tailSearch looks for the jumps that lead from there to here, and
// their frames are shown, as gdb does. When several sequences of jumps are
// possible, those that all have in common at either end are shown, and the gap
// between them is marked.

// maxTailCalls bounds how many functions may have jumped to one another, and
// maxTailSearch how many jumps are looked at.
const (
	maxTailCalls  = 32
	maxTailSearch = 256
)

// A tailCall is a jump at the end of a function.
type tailCall struct {
	image *symbols.Image
	site  dwarfread.CallSite
}

// throughTailCalls returns the caller of an activation: given the next
// activation that has a frame, that one or the innermost of the functions that
// jumped here.
func (a *activation) throughTailCalls(caller *activation) *activation {
	if !a.mayBeJumpedTo() || caller.signal || caller.site == nil || caller.site.Function == nil {
		return caller
	}
	call := caller.site.Call
	if call == nil || a.site.IsCalled(call.Target) {
		return caller
	}
	s := tailSearch{program: a.program, goal: a.site, active: map[uint64]bool{}}
	first := caller.callee(call)
	if first.site == nil || first.site.Start == a.site.Start {
		return caller
	}
	s.search(first, nil)
	outer, inner := s.certain()
	next := caller
	for _, c := range outer {
		next = a.jumpedFrom(c, caller, next)
	}
	for i, c := range inner {
		next = a.jumpedFrom(c, caller, next)
		next.gap = i == 0
	}
	a.gap = len(s.found) != 1 && s.jumps > 0 && len(inner) == 0
	return next
}

// mayBeJumpedTo reports whether the caller's debug information can tell how the
// function was reached. The compiler of Go makes no such jumps.
func (a *activation) mayBeJumpedTo() bool {
	return !a.interrupted() && !a.guessed && a.site != nil && a.site.Name != "" && a.site.Language() != lang.Go
}

// callee returns the function that a call of the activation goes to; without a
// site when it is not known.
func (a *activation) callee(c *dwarfread.CallSite) code {
	if c.Target != "" || c.TargetExpr == nil {
		return codeNamed(a.program, a.image, a.site.Function.Unit, c.Target)
	}
	addr, err := location.Value(c.TargetExpr, a.view().Context(a.site.Function.Unit))
	if err != nil {
		return code{}
	}
	return codeAt(a.program, addr)
}

// jumpedFrom returns the activation of a function that jumped on. It had the
// stack pointer that a was called with, and of its registers only those that
// its caller got back are known.
func (a *activation) jumpedFrom(c tailCall, caller, next *activation) *activation {
	pc, exact := c.site.Return, false
	if pc == 0 {
		pc, exact = c.site.Call, true
	}
	regs := caller.regs
	regs.Set(dwarfregs.RIP, pc+c.image.Bias)
	regs.Set(dwarfregs.RSP, a.cfa-8) // the return address is on top
	t := newActivation(a.program, regs, a.mem, exact)
	t.tail, t.callerFound, t.caller, t.cfa = true, true, next, a.cfa
	return t
}

// code is a function of an image.
type code struct {
	image *symbols.Image
	site  *symbols.Site
}

// codeAt returns the function that starts at an address.
func codeAt(p *symbols.Program, addr uint64) code {
	im := p.Image(addr)
	if im == nil {
		return code{}
	}
	if s := im.Site(addr); s.Start == addr {
		return code{im, s}
	}
	return code{}
}

// codeNamed returns the function that a name refers to in a unit.
func codeNamed(p *symbols.Program, im *symbols.Image, u *dwarfread.Unit, name string) code {
	if name == "" {
		return code{}
	}
	start := uint64(0)
	_ = u.Info.Do(func() error { // damaged: what was read counts
		if fs := u.NamedLocked(name); len(fs) > 0 {
			start = fs[0].Start() + im.Bias
		}
		return nil
	})
	if start != 0 {
		return codeAt(p, start)
	}
	for _, addr := range p.Symbols(name, im) {
		if c := codeAt(p, addr); c.site != nil {
			return c
		}
	}
	return code{}
}

// A tailSearch finds the sequences of jumps from one function to another.
type tailSearch struct {
	program *symbols.Program
	goal    *symbols.Site
	active  map[uint64]bool // functions of the sequence being built
	found   [][]tailCall
	jumps   int // examined so far
}

// search adds the sequences from a function to the goal; way leads to the
// function.
func (s *tailSearch) search(from code, way []tailCall) {
	f := from.site.Function
	if f == nil || s.active[from.site.Start] || len(way) >= maxTailCalls {
		return
	}
	s.active[from.site.Start] = true
	defer delete(s.active, from.site.Start)
	for _, c := range callsOf(f) {
		if !c.TailCall {
			continue
		}
		if s.jumps++; s.jumps > maxTailSearch {
			return
		}
		next := codeNamed(s.program, from.image, f.Unit, c.Target)
		whole := append(slices.Clip(way), tailCall{from.image, c})
		switch {
		case s.goal.IsCalled(c.Target), next.site != nil && next.site.Start == s.goal.Start:
			s.found = append(s.found, whole)
		case next.site != nil:
			s.search(next, whole)
		}
	}
}

// certain returns the jumps that all sequences have in common: at the
// beginning, and at the end if they differ in between.
func (s *tailSearch) certain() (outer, inner []tailCall) {
	if len(s.found) == 0 || s.jumps > maxTailSearch {
		return nil, nil
	}
	outer, inner = s.found[0], s.found[0]
	shortest := len(outer)
	for _, way := range s.found[1:] {
		shortest = min(shortest, len(way))
		outer, inner = outer[:common(outer, way)], inner[len(inner)-commonEnd(inner, way):]
	}
	if len(s.found) == 1 {
		return outer, nil
	}
	return outer, inner[max(0, len(outer)+len(inner)-shortest):]
}

// common returns how many jumps two sequences share at the beginning.
func common(a, b []tailCall) (n int) {
	for n < min(len(a), len(b)) && same(a[n], b[n]) {
		n++
	}
	return n
}

// commonEnd returns how many jumps two sequences share at the end.
func commonEnd(a, b []tailCall) (n int) {
	for n < min(len(a), len(b)) && same(a[len(a)-1-n], b[len(b)-1-n]) {
		n++
	}
	return n
}

func same(a, b tailCall) bool {
	return a.image == b.image && a.site.Return == b.site.Return && a.site.Call == b.site.Call
}
