package valuetrace

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/session/locals"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// place describes the code at an address.
func (t *tracer) place(position, pc uint64) Place {
	p := Place{Position: position}
	p.Function, p.File, p.Line = t.s.Inspector.Place(pc)
	if p.File != "" {
		p.Source = locals.Short(t.files.Line(p.File, p.Line))
	}
	return p
}

// through adds a line that computed the value of the current hop, unless the line
// is that of the hop or was the last one added.
func (t *tracer) through(position, pc uint64) {
	if t.pointing {
		return
	}
	h := &t.result.Hops[t.hop]
	p := t.place(position, pc)
	same := func(o *Place) bool { return o.File == p.File && o.Line == p.Line && o.Function == p.Function }
	if p.File == "" || same(&h.Place) || len(h.Through) == maxThroughLines {
		return
	}
	for i := range h.Through {
		if same(&h.Through[i]) {
			return
		}
	}
	h.Through = append(h.Through, p)
}

// Limits of the description of a hop.
const (
	maxThroughLines = 6
	stackFrames     = 4
	nameFrames      = 3
)

// stack returns the callers of a thread's function, innermost first.
func (t *tracer) stack(thread int) []string {
	frames, _ := t.s.Inspector.Frames(thread, stackFrames+1) // without a stack, the rest of the hop is still useful
	var all []string
	for i := range frames {
		if i == 0 && frames[i].Function == "main" {
			break
		}
		if i == 0 || frames[i].Function == "" {
			continue
		}
		text := frames[i].Function
		if frames[i].Line > 0 {
			text += fmt.Sprintf(":%d", frames[i].Line)
		}
		all = append(all, text)
		if frames[i].Function == "main" {
			break
		}
	}
	return all
}

// nameOf returns a name for memory at the current position: that of a variable in
// a frame, of a global variable, that of the question, or its address.
func (t *tracer) nameOf(from source) string {
	if from.mask != nil && len(t.result.Hops) == 0 {
		return t.result.Expression
	}
	if leaf, ok := t.variable(from); ok {
		return leaf.Name
	}
	name := t.s.Inspector.Symbol(from.addr)
	switch {
	case from.mask != nil:
		return bitsName(from.mask, cmp.Or(name, plain.Hex(from.addr)))
	case name != "":
		return name
	}
	if len(t.result.Hops) == 0 { // the variable's block may begin behind the write, as in Rust
		return t.result.Expression
	}
	return fmt.Sprintf("*(%d bytes) %s", from.size, plain.Hex(from.addr))
}

// variable returns the variable in a frame, or the global one, that memory is at the current
// position, or the part of one.
func (t *tracer) variable(from source) (locals.Leaf, bool) {
	frames, err := t.s.Inspector.Frames(0, nameFrames)
	for i := range frames {
		if leaf, ok := locals.Read(frames[i:i+1]).At(from.addr, from.mask); ok && err == nil {
			return leaf, true
		}
	}
	return locals.GlobalAt(t.ctx, t.s.Inspector.Program, t.s.Target.Memory(), from.addr, from.mask)
}

// valueAt returns the value of memory at the current position as a number, or as
// bytes, or that it is masked.
func (t *tracer) valueAt(from source) string {
	b := make([]byte, from.size)
	if n, _ := t.s.Target.View.ReadMemory(from.addr, b); n < len(b) {
		return "unreadable"
	}
	shown := slices.Clone(b)
	if t.s.Target.MaskDisplayed(from.addr, shown); !slices.Equal(shown, b) {
		return target.Masked
	}
	if from.mask != nil {
		return stepping.MaskedBits(b, from.mask)
	}
	const small = 1 << 24
	switch from.size {
	case 1, 2, 4, 8:
		bits := 64 - 8*from.size
		signed := int64(number(b)<<bits) >> bits
		if signed > -small && signed < small {
			return fmt.Sprint(signed)
		}
		return plain.Hex(number(b))
	}
	return fmt.Sprintf("% x", b[:min(len(b), 16)])
}
