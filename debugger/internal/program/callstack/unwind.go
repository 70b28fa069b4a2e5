package callstack

import (
	"bytes"
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/program/cfi"
	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfregs"
	"github.com/triptych-mcp/triptych/debugger/internal/program/location"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
)

// maxFrames bounds a stack trace when the caller does not.
const maxFrames = 10_000

var errNoPC = errors.New("program counter is not known")

// Unwind walks the stack of a stopped thread and returns its frames, innermost
// first, at most limit of them (0: ten thousand). It stops at the end of the
// stack, where memory cannot be read, and where the stack would loop; the
// frames found by then are returned. The error is for registers without a
// program counter.
func Unwind(p *symbols.Program, regs dwarfregs.Registers, mem symbols.Memory, limit int) ([]Frame, error) {
	if limit <= 0 || limit > maxFrames {
		limit = maxFrames
	}
	if _, ok := regs.Get(dwarfregs.RIP); !ok {
		return nil, errNoPC
	}
	stack := mem
	if sp, ok := regs.Get(dwarfregs.RSP); ok {
		stack = newWindow(mem, sp)
	}
	a := newActivation(p, regs, stack, true)
	out := make([]Frame, 0, min(limit, 32))
	for a != nil {
		next := a.up()
		out = a.frames(out, limit)
		if len(out) >= limit {
			break
		}
		a = next
	}
	return out, nil
}

// newActivation returns the call that registers belong to. In the innermost
// call, and in one that a signal interrupted, the program counter is exact; in
// others it is a return address, which may lie after the last instruction of
// its function.
func newActivation(p *symbols.Program, regs dwarfregs.Registers, mem symbols.Memory, exact bool) *activation {
	a := &activation{program: p, mem: mem, regs: regs, lookupPC: regs.PC()}
	if !exact {
		a.lookupPC--
	}
	if a.image = p.Image(a.lookupPC); a.image == nil {
		return a
	}
	a.site = a.image.Site(a.lookupPC)
	if a.row = a.site.Row; a.row != nil {
		return a
	}
	row, err := a.image.UnwindRow(a.lookupPC)
	if err == nil {
		a.row, a.signal = row, row.Signal
	}
	return a
}

// up returns the caller's activation, nil at the end of the stack. The first
// call also sets this one's CFA.
func (a *activation) up() *activation {
	if a.callerFound {
		return a.caller
	}
	a.callerFound = true
	regs, ok := a.unwind()
	if !ok || regs.PC() == 0 {
		return nil
	}
	caller := newActivation(a.program, regs, a.mem, a.interrupted())
	caller.guessed, caller.crossed = a.guessed, a.crossed
	a.caller = a.throughTailCalls(caller)
	return a.caller
}

// unwind returns the caller's registers by the first method that applies.
func (a *activation) unwind() (dwarfregs.Registers, bool) {
	if a.returnsElsewhere() && a.sigreturn() {
		return a.unwindSignal()
	}
	if regs, ok, sure := a.unwindGo(); sure {
		return regs, ok
	}
	if a.row != nil {
		return a.unwindByRow()
	}
	return a.unwindByFramePointer()
}

// unwindByRow applies call frame information (DWARF 5 section 6.4.3).
func (a *activation) unwindByRow() (dwarfregs.Registers, bool) {
	cfa, err := a.address(&a.row.CFA)
	if err != nil {
		return dwarfregs.Registers{}, false
	}
	a.cfa = cfa
	out := a.regs
	out = out.WithVectors(nil) // no function saves them
	for i := range a.row.Reg {
		a.recover(&out, i)
	}
	// The stack pointer is the CFA unless a rule says otherwise, as in signal
	// frames.
	if k := a.row.Reg[dwarfregs.RSP].Kind; k == cfi.Unspecified {
		out.Set(dwarfregs.RSP, cfa)
	}
	ret := int(a.row.Ret)
	if ret >= cfi.Columns || a.row.Reg[ret].Kind == cfi.Undefined {
		return out, false
	}
	pc, ok := out.Get(uint64(ret))
	out.Set(dwarfregs.RIP, pc)
	return out, ok && a.advances(&out)
}

// advances reports whether the caller's frame lies further out, so that the
// walk ends. Signal frames may switch stacks, and a leaf function may have no
// frame.
func (a *activation) advances(next *dwarfregs.Registers) bool {
	sp, _ := a.regs.Get(dwarfregs.RSP)
	to, ok := next.Get(dwarfregs.RSP)
	if a.signal {
		return ok && (to != sp || next.PC() != a.regs.PC())
	}
	return ok && to > sp
}

// calleeSaved are the registers that a function preserves for its caller
// (System V ABI for AMD64 version 1.0, figure 3.4). Others are lost unless a
// rule recovers them.
var calleeSaved = [cfi.Columns]bool{dwarfregs.RBX: true, dwarfregs.RBP: true, dwarfregs.RSP: true, dwarfregs.R12: true, dwarfregs.R13: true, dwarfregs.R14: true, dwarfregs.R15: true}

// recover sets one register of the caller.
func (a *activation) recover(out *dwarfregs.Registers, i int) {
	rule := &a.row.Reg[i]
	switch rule.Kind {
	case cfi.Unspecified:
		if !calleeSaved[i] && !a.signal {
			out.Forget(i)
		}
		return
	case cfi.SameValue:
		return
	}
	v, err := a.value(rule)
	if err != nil {
		out.Forget(i)
		return
	}
	out.Set(i, v)
}

// value returns the value that a rule describes.
func (a *activation) value(r *cfi.Rule) (uint64, error) {
	switch r.Kind {
	case cfi.AtOffset:
		return symbols.ReadWord(a.mem, a.cfa+uint64(r.Offset))
	case cfi.IsOffset:
		return a.cfa + uint64(r.Offset), nil
	case cfi.AtExpression:
		addr, err := location.Value(r.Expr, a.expressions())
		if err != nil {
			return 0, err
		}
		return symbols.ReadWord(a.mem, addr)
	case cfi.Undefined:
		return 0, location.ErrUnavailable
	}
	return a.address(r)
}

// address returns the CFA, or the value of a rule of the same form.
func (a *activation) address(r *cfi.Rule) (uint64, error) {
	switch r.Kind {
	case cfi.InRegister:
		v, ok := a.regs.Get(uint64(r.Reg))
		if !ok {
			return 0, location.ErrUnavailable
		}
		return v + uint64(r.Offset), nil
	case cfi.IsExpression:
		return location.Value(r.Expr, a.expressions())
	}
	return 0, location.ErrUnavailable
}

// expressions returns the context in which expressions of rules run. The CFA
// is pushed beforehand.
func (a *activation) expressions() *location.Context {
	c := &location.Context{Memory: a.mem, Bias: a.image.Bias, Source: ruleSource{activation: a}}
	if a.cfa != 0 {
		c.Stack = []uint64{a.cfa}
	}
	return c
}

// A ruleSource is the source for expressions of call frame information, which use
// registers only.
type ruleSource struct {
	location.None
	activation *activation
}

func (s ruleSource) Register(n uint64) (uint64, bool) { return s.activation.regs.Get(n) }

// unwindByFramePointer unwinds without call frame information: by the frame pointer, or, at
// a function's first instruction and outside of all code, by the word on top
// of the stack. A return address must lie in an image.
func (a *activation) unwindByFramePointer() (dwarfregs.Registers, bool) {
	a.guessed = true
	sp, ok := a.regs.Get(dwarfregs.RSP)
	if !ok {
		return dwarfregs.Registers{}, false
	}
	entering := a.image == nil || (a.site != nil && a.site.Start == a.regs.PC())
	if entering && a.lookupPC == a.regs.PC() {
		if regs, ok := a.callerAt(sp, a.regs.BasePointer()); ok {
			return regs, true
		}
	}
	bp, ok := a.regs.Get(dwarfregs.RBP)
	if !ok || bp < sp || bp-sp > 64<<20 || bp%8 != 0 {
		return dwarfregs.Registers{}, false
	}
	saved, err := symbols.ReadWord(a.mem, bp)
	if err != nil {
		return dwarfregs.Registers{}, false
	}
	return a.callerAt(bp+8, saved)
}

// callerAt returns the caller's registers if a return address lies at a place
// on the stack.
func (a *activation) callerAt(at, bp uint64) (dwarfregs.Registers, bool) {
	pc, err := symbols.ReadWord(a.mem, at)
	if err != nil || a.program.Image(pc) == nil {
		return dwarfregs.Registers{}, false
	}
	a.cfa = at + 8
	out := a.regs.Unknown()
	out.Set(dwarfregs.RIP, pc)
	out.Set(dwarfregs.RSP, at+8)
	out.Set(dwarfregs.RBP, bp)
	return out, true
}

// sigreturns are the instructions that signal handlers return to: mov of 15
// into rax or eax, syscall. Programs with their own have no call frame
// information for them.
var sigreturns = [][]byte{
	{0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05},
	{0xb8, 15, 0, 0, 0, 0x0f, 0x05},
}

// returnsElsewhere reports whether the byte before the program counter belongs
// to another function, as with a return address that no call pushed.
func (a *activation) returnsElsewhere() bool {
	return a.row == nil || (!a.row.Signal && a.regs.PC()-a.image.Bias >= a.row.End)
}

// sigreturn reports whether the frame was made by the kernel to call a signal
// handler.
func (a *activation) sigreturn() bool {
	var p [9]byte
	if a.mem.ReadMemory(a.regs.PC(), p[:]) != nil {
		return false
	}
	for _, s := range sigreturns {
		if bytes.HasPrefix(p[:], s) {
			a.signal = true
		}
	}
	return a.signal
}

// contextOrder are the registers in the kernel's struct sigcontext.
var contextOrder = [...]int{dwarfregs.R8, dwarfregs.R9, dwarfregs.R10, dwarfregs.R11, dwarfregs.R12, dwarfregs.R13, dwarfregs.R14, dwarfregs.R15, dwarfregs.RDI, dwarfregs.RSI, dwarfregs.RBP, dwarfregs.RBX, dwarfregs.RDX, dwarfregs.RAX, dwarfregs.RCX, dwarfregs.RSP, dwarfregs.RIP}

// contextOffset is the offset of the registers from the stack pointer at the
// return.
const contextOffset = 40

// unwindSignal reads the registers that the kernel saved before the handler ran.
func (a *activation) unwindSignal() (dwarfregs.Registers, bool) {
	sp, _ := a.regs.Get(dwarfregs.RSP)
	a.cfa = sp
	out := a.regs.Unknown()
	for i, reg := range contextOrder {
		v, err := symbols.ReadWord(a.mem, sp+contextOffset+uint64(8*i))
		if err != nil {
			return dwarfregs.Registers{}, false
		}
		out.Set(reg, v)
	}
	return out, a.advances(&out)
}
