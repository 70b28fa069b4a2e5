package callstack

import (
	"math"

	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfregs"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
)

// Go calls C on the thread's own stack, that of g0, and goes back to the goroutine's stack when
// C calls Go: the frames of one stack continue on the other, and so on. What is described here
// follows from asmcgocall and cgocallback in runtime/asm_amd64.s, and from crosscall2 in
// runtime/cgo/asm_amd64.s.

// crossings says where a walk through the stacks of a thread stands. Both stacks grow outwards,
// so a walk ends.
type crossings struct {
	// own is the stack pointer of the thread's own stack in the next function outwards that C
	// has called Go by: 0 if it is the one in g0.sched, [noneOutside] if it is not known.
	own uint64
	// left is the stack pointer at which the walk has left the goroutine's stack.
	left uint64
}

const noneOutside = math.MaxUint64

// savedPlaces are the offsets from the stack pointer at which asmcgocall keeps the goroutine, and
// the distance of its stack pointer from the upper bound of the stack, in newer versions of Go and in older ones.
var savedPlaces = []struct{ g, depth uint64 }{{8, 0}, {48, 40}}

// unwindCallOfC continues on the goroutine's stack, from which C was called.
func (a *activation) unwindCallOfC() (regs dwarfregs.Registers, ok, sure bool) {
	g, found := a.goroutine()
	sp, known := a.regs.Get(dwarfregs.RSP)
	if !found || !known {
		return regs, false, false
	}
	for _, at := range savedPlaces {
		saved, err := symbols.ReadWord(a.mem, sp+at.g)
		if err != nil || saved != g.g {
			continue
		}
		depth, err := symbols.ReadWord(a.mem, sp+at.depth)
		high, err2 := symbols.ReadWord(a.mem, g.g+g.High)
		if to := high - depth; err == nil && err2 == nil && depth < high && to > a.crossed.left {
			there := *a
			return a.unwindAt(&there, to)
		}
	}
	if a.crossed.own != 0 { // g.sched is that of a later call
		return regs, false, false
	}
	return a.unwindStackSwitch()
}

// unwindCallback continues on the thread's own stack, on which C has called Go. The runtime
// keeps the stack pointer in g0.sched, and the one before it in the first word of the frame there.
func (a *activation) unwindCallback() (regs dwarfregs.Registers, ok, sure bool) {
	g, found := a.goroutine()
	at := a.crossed.own
	if !found || at == noneOutside {
		return regs, false, false
	}
	if at == 0 {
		g0, err := symbols.ReadWord(a.mem, g.m+g.G0)
		if err != nil {
			return regs, false, false
		}
		if at, err = symbols.ReadWord(a.mem, g0+g.Sched+g.SP); err != nil {
			return regs, false, false
		}
	}
	before, err := symbols.ReadWord(a.mem, at)
	if err != nil || before <= at {
		before = noneOutside
	}
	there := *a
	regs, ok, sure = a.unwindAt(&there, at)
	if ok {
		a.crossed.own = before
		a.crossed.left, _ = a.regs.Get(dwarfregs.RSP)
	}
	return regs, ok, sure
}

// entrySaved are the registers of C that crosscall2 saves below its return address, from the top.
var entrySaved = [...]int{dwarfregs.RBP, dwarfregs.R15, dwarfregs.R14, dwarfregs.R13, dwarfregs.R12, dwarfregs.RBX}

// unwindEntry recovers the registers of C, of which call frame information knows nothing.
func (a *activation) unwindEntry() (regs dwarfregs.Registers, ok, sure bool) {
	if a.row == nil {
		return regs, false, false
	}
	regs, ok = a.unwindByRow()
	for i, r := range entrySaved {
		v, err := symbols.ReadWord(a.mem, a.cfa-16-uint64(8*i))
		if err != nil {
			regs.Forget(r)
			continue
		}
		regs.Set(r, v)
	}
	return regs, ok, ok
}
