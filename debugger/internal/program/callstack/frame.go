package callstack

import (
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/cfi"
	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfread"
	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfregs"
	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
)

// A Frame is one call on the stack. Functions that were inlined have frames of
// their own, with the PC, CFA and registers of the function they are in.
type Frame struct {
	PC  uint64
	CFA uint64 // the stack pointer before the call; 0 when not known

	Function string // qualified, without parameters; empty when not known
	Offset   int64  // of PC from the function's first instruction; cold parts may lie before it
	File     string // empty when not known
	Line     int
	Image    string // path of the file the code is in
	Language lang.Lang

	Inlined bool
	Signal  bool // made by the kernel to call a signal handler
	Guessed bool // found by the frame pointer, without call frame information

	// TailCall reports that the function jumped to that of the frame before and had
	// no frame of its own any more. It is known from the debug information.
	TailCall bool
	// Gap reports that functions which left by tail calls are missing between this
	// frame and the next: the debug information allows several of them, or none.
	Gap bool

	act   *activation
	level int
}

// An activation is a call with a frame of its own. Functions that were inlined
// into it share it.
type activation struct {
	program     *symbols.Program
	image       *symbols.Image
	mem         symbols.Memory
	regs        dwarfregs.Registers
	cfa         uint64
	lookupPC    uint64 // the address that is looked up: pc, or the byte before a return address
	site        *symbols.Site
	row         *cfi.Row
	caller      *activation
	callerFound bool // caller is set
	guessed     bool
	crossed     crossings
	signal      bool
	tail        bool // see Frame.TailCall
	gap         bool // see Frame.Gap
}

// signalName is the name of frames that the kernel made.
const signalName = "<signal handler called>"

// String returns the frame as a line of a stack trace, without its number.
func (f *Frame) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%#x", f.PC)
	switch {
	case f.Signal:
		b.WriteString(" " + signalName)
	case f.Inlined:
		b.WriteString(" " + f.Function)
	case f.Function != "":
		fmt.Fprintf(&b, " %s%+#x", f.Function, f.Offset)
	default:
		b.WriteString(" ??")
	}
	if f.File != "" {
		fmt.Fprintf(&b, " %s:%d", f.File, f.Line)
	}
	if f.TailCall {
		b.WriteString(" (tail call)")
	}
	if f.Gap {
		b.WriteString(" (callers by tail calls are not known)")
	}
	return b.String()
}

// Registers returns the frame's registers. In outer frames some are not known.
func (f *Frame) Registers() dwarfregs.Registers { return f.act.regs }

// Described reports whether debug information describes the frame's function,
// with all names that it sees.
func (f *Frame) Described() bool {
	return !f.Signal && f.act != nil && f.act.function() != nil
}

// function returns the function that debug information describes, nil when
// there is none.
func (a *activation) function() *dwarfread.Subprogram {
	if a.site == nil {
		return nil
	}
	if a.site.Early && a.site.Function == nil {
		a.site = a.image.WholeSite(a.lookupPC)
	}
	return a.site.Function
}

// frames appends the frames of an activation, innermost first.
func (a *activation) frames(out []Frame, limit int) []Frame {
	f := Frame{PC: a.regs.PC(), CFA: a.cfa, Guessed: a.guessed, act: a}
	if a.image != nil {
		f.Image = a.image.Path
	}
	if a.signal {
		f.Signal, f.Function = true, signalName
		return append(out, f)
	}
	if a.site == nil {
		return append(out, f)
	}
	if a.site.Name != "" {
		f.Offset = int64(f.PC - a.site.Start)
	}
	f.Language = a.site.Language()
	for i, l := range a.site.Levels {
		if len(out) >= limit {
			break
		}
		f.level, f.Function, f.File, f.Line, f.Inlined = i, l.Name, l.File, l.Line, l.Inlined
		f.TailCall, f.Gap = a.tail && !l.Inlined, a.gap && !l.Inlined
		out = append(out, f)
	}
	return out
}
