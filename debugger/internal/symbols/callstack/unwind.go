package callstack

import (
	"bytes"
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols/cfi"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols/dwarfregs"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols/location"
)

// maxFrames bounds a stack trace when the caller does not.
const maxFrames = 10_000

var errNoPC = errors.New("program counter is not known")

// Unwind walks the stack of a stopped thread and returns its frames, innermost
// first, at most limit of them (0: ten thousand). It ends where the stack does,
// where nothing more can be read, and where it would go round in circles; what
// was found by then is returned. The error is for registers without a program
// counter.
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

// activation describes the call that some registers are of. In the innermost
// call, and in what a signal interrupted, the program counter is exact; in
// others it is behind a call, which may be the last instruction of its function.
func newActivation(p *symbols.Program, regs dwarfregs.Registers, mem symbols.Memory, exact bool) *activation {
	a := &activation{program: p, mem: mem, regs: regs, look: regs.PC()}
	if !exact {
		a.look--
	}
	if a.image = p.Image(a.look); a.image == nil {
		return a
	}
	a.site = a.image.Site(a.look)
	if a.row = a.site.Row; a.row != nil {
		return a
	}
	row, err := a.image.UnwindRow(a.look)
	if err == nil {
		a.row, a.signal = row, row.Signal
	}
	return a
}

// up returns the caller's activation, nil where the stack ends. The first call
// also finds this one's CFA.
func (a *activation) up() *activation {
	if a.stepped {
		return a.caller
	}
	a.stepped = true
	regs, ok := a.step()
	if !ok || regs.PC() == 0 {
		return nil
	}
	caller := newActivation(a.program, regs, a.mem, a.interrupted())
	caller.guessed = a.guessed
	a.caller = a.throughTailCalls(caller)
	return a.caller
}

// step finds the caller's registers by the first way that applies.
func (a *activation) step() (dwarfregs.Registers, bool) {
	if a.returnsElsewhere() && a.sigreturn() {
		return a.fromSignal()
	}
	if regs, ok, sure := a.goStep(); sure {
		return regs, ok
	}
	if a.row != nil {
		return a.byRow()
	}
	return a.byGuess()
}

// byRow applies call frame information (DWARF 5 section 6.4.3).
func (a *activation) byRow() (dwarfregs.Registers, bool) {
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
	// The stack pointer is the CFA unless the frame says otherwise, as signal
	// frames do.
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

// advances reports whether the caller's frame lies further out, so that walking
// ends. Signal frames switch stacks, and a leaf function may have no frame.
func (a *activation) advances(next *dwarfregs.Registers) bool {
	sp, _ := a.regs.Get(dwarfregs.RSP)
	to, ok := next.Get(dwarfregs.RSP)
	if a.signal {
		return ok && (to != sp || next.PC() != a.regs.PC())
	}
	return ok && to > sp
}

// calleeSaved are the registers that a function keeps for its caller (System V
// ABI for AMD64 version 1.0, figure 3.4). Others are lost unless a rule says
// where they are.
var calleeSaved = [cfi.Columns]bool{dwarfregs.RBX: true, dwarfregs.RBP: true, dwarfregs.RSP: true, dwarfregs.R12: true, dwarfregs.R13: true, dwarfregs.R14: true, dwarfregs.R15: true}

// recover finds one register of the caller.
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

// value finds what a rule describes.
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

// address finds the CFA, or the value of a rule that is made the same way.
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

// expressions is what an expression of a rule may ask: registers and memory,
// and the CFA, which is pushed before it runs.
func (a *activation) expressions() *location.Context {
	c := &location.Context{Memory: a.mem, Bias: a.image.Bias, Register: a.regs.Get}
	if a.cfa != 0 {
		c.Stack = []uint64{a.cfa}
	}
	return c
}

// byGuess walks on without call frame information: by the frame pointer, or, in
// code that is just being entered or was jumped to by mistake, by the word on
// top of the stack. A return address must lie in an image.
func (a *activation) byGuess() (dwarfregs.Registers, bool) {
	a.guessed = true
	sp, ok := a.regs.Get(dwarfregs.RSP)
	if !ok {
		return dwarfregs.Registers{}, false
	}
	entering := a.image == nil || (a.site != nil && a.site.Start == a.regs.PC())
	if entering && a.look == a.regs.PC() {
		if regs, ok := a.returned(sp, a.regs.BasePointer()); ok {
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
	return a.returned(bp+8, saved)
}

// returned makes the caller's registers when its address lies at a place on the
// stack.
func (a *activation) returned(at, bp uint64) (dwarfregs.Registers, bool) {
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

// sigreturns are the instructions that every signal handler returns to: mov of
// 15 into rax or eax, syscall. Programs that bring their own have no call frame
// information for it.
var sigreturns = [][]byte{
	{0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05},
	{0xb8, 15, 0, 0, 0, 0x0f, 0x05},
}

// returnsElsewhere reports whether the program counter is not in the function
// that the address before it is in, as with a return address that no call made.
func (a *activation) returnsElsewhere() bool {
	return a.row == nil || (!a.row.Signal && a.regs.PC()-a.image.Bias >= a.row.End)
}

// sigreturn reports whether the call is what the kernel put in to call a signal
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

// contextOffset is where they are from the stack pointer at the return.
const contextOffset = 40

// fromSignal reads the registers that the kernel saved before the handler ran.
func (a *activation) fromSignal() (dwarfregs.Registers, bool) {
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
