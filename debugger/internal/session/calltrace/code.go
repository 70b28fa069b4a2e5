package calltrace

import (
	"context"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// codeSize is the number of cached instructions, a power of two.
const codeSize = 1 << 13

// A code caches what is known about instructions, by address.
type code struct {
	s         *stepping.Stepper
	instrs    [codeSize]instr
	branches  map[uint64]instr    // those that were translated
	functions map[uint64]function // by any address in them
	bodies    map[uint64]uint64   // ends of prologues, by the starts of functions
	lines     map[uint64]line
}

// An instr is a decoded instruction.
type instr struct {
	pc    uint64
	next  uint64 // address of the following instruction
	class x86.Class
	setSP bool // loads the stack pointer instead of adding to it
	event bool // a walk needs it: a branch to another function, or setSP
}

// A function is a function of the program.
type function struct {
	start uint64 // 0 if unknown
	name  string
}

// A line is a source line.
type line struct {
	file   string
	number int
}

func newCode(s *stepping.Stepper) *code {
	return &code{s: s, branches: map[uint64]instr{}, functions: map[uint64]function{}, bodies: map[uint64]uint64{}, lines: map[uint64]line{}}
}

// at returns the instruction at an address.
func (c *code) at(pc uint64) *instr {
	e := &c.instrs[pc&(codeSize-1)]
	if e.pc == pc && e.next != 0 {
		return e
	}
	if known, ok := c.branches[pc]; ok {
		*e = known
		return e
	}
	in := c.s.Inspector.Instruction(pc)
	*e = c.describe(&in)
	if e.pc = pc; in.Len == 0 {
		e.next = pc + 1
	}
	return e
}

// describe describes an instruction.
func (c *code) describe(in *x86.Inst) instr {
	e := instr{pc: in.PC, next: in.Next(), class: in.Class, setSP: setsStack(in)}
	switch {
	case e.setSP, in.Class&(x86.Call|x86.Return|x86.Indirect) != 0:
		e.event = true
	case in.Class.Is(x86.Jump):
		to, ok := in.Target()
		e.event = ok && c.function(to).start == to && c.function(in.PC).start != to
	}
	return e
}

// isEvent reports whether a walk needs an instruction, which it then knows although the memory of
// the current position may not have it.
func (c *code) isEvent(in *x86.Inst) (jumps, always bool) {
	e := c.describe(in)
	if e.event {
		c.branches[in.PC] = e
		c.instrs[in.PC&(codeSize-1)] = e
	}
	return e.event, false
}

// setsStack reports whether an instruction loads rsp.
func setsStack(in *x86.Inst) bool {
	if in.Len == 0 || in.ReadOnly() {
		return false
	}
	switch in.Name() {
	case "mov", "xchg", "pop":
		for n := range 2 {
			if o := in.Operand(n); o.Kind == x86.Register && o.Reg == x86.RSP {
				return true
			}
		}
	}
	return false
}

// function returns the function at an address.
func (c *code) function(pc uint64) function {
	f, known := c.functions[pc]
	if known {
		return f
	}
	if found, ok := c.s.Inspector.Program.Function(pc); ok && found.Name != "" {
		f = function{found.Start, found.Name}
	} else {
		f = function{name: c.s.Inspector.Symbol(pc)}
	}
	if f.name == "" {
		f.name = plain.Hex(pc) // a stub of the linker, for one
	}
	c.functions[pc] = f
	return f
}

// isPart reports whether an address is in a function, or in a part of it that the compiler has put
// elsewhere.
func (c *code) isPart(pc, function uint64) bool {
	f, of := c.function(pc), c.function(function)
	return f.start == of.start && f.start != 0 || f.name == of.name || strings.HasPrefix(f.name, of.name+".")
}

// body returns the end of the prologue of the function that starts at an address.
func (c *code) body(ctx context.Context, start uint64) uint64 {
	body, known := c.bodies[start]
	if !known {
		body = c.s.Inspector.BodyOf(ctx, start)
		c.bodies[start] = body
	}
	return body
}

// line returns the source line of an address.
func (c *code) line(pc uint64) line {
	l, known := c.lines[pc]
	if !known {
		l.file, l.number, _ = c.s.Inspector.Program.Line(pc)
		c.lines[pc] = l
	}
	return l
}

// copyStack returns the address of the function of Go's runtime that puts stacks elsewhere, or 0.
func (c *code) copyStack(ctx context.Context) uint64 {
	addrs, err := c.s.Inspector.Program.Lookup(ctx, "runtime.copystack")
	if err != nil || len(addrs) == 0 {
		return 0
	}
	return addrs[0]
}

// switchesStacks reports whether a function belongs to Go's runtime, which runs
// on several stacks.
func (f function) switchesStacks() bool {
	return strings.HasPrefix(f.name, "runtime.") || f.resumesGoroutine()
}

// growsStack reports whether a function is that of Go's runtime that has a larger stack made for a
// goroutine, and resumes it.
func (f function) growsStack() bool { return f.name == "runtime.newstack" }

// resumesGoroutine reports whether a function is that of Go's runtime, or its second part, that
// continues a goroutine.
func (f function) resumesGoroutine() bool { return f.name == "runtime.gogo" || f.name == "gogo" }
