package callstack

import (
	"github.com/triptych-mcp/triptych/debugger/internal/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols/dwarfregs"
)

// goEnds are the functions at the beginning of a goroutine's or thread's
// stack.
var goEnds = map[string]bool{
	"runtime.goexit": true, "runtime.mstart": true, "runtime.rt0_go": true, "runtime.mcall": true,
	"runtime.morestack": true, "_rt0_amd64_linux": true, "runtime.goexit.abi0": true,
	"runtime.mstart.abi0": true, "runtime.rt0_go.abi0": true, "runtime.mcall.abi0": true,
}

// switches are the functions that switch to the thread's own stack and call a
// function there.
var switches = map[string]bool{
	"runtime.systemstack": true, "runtime.systemstack.abi0": true,
	"runtime.asmcgocall": true, "runtime.asmcgocall.abi0": true,
}

// injected are the functions that a signal handler makes look called: their
// return address is that of the interrupted instruction.
var injected = map[string]bool{
	"runtime.sigpanic": true, "runtime.sigpanic0": true, "runtime.sigpanic0.abi0": true,
	"runtime.asyncPreempt": true, "runtime.asyncPreempt.abi0": true,
}

// interrupted reports whether the caller's address is that of an instruction,
// not a return address.
func (a *activation) interrupted() bool {
	return a.signal || (a.site != nil && injected[a.site.Name])
}

// unwindGo unwinds the functions of Go's runtime for which call frame
// information is wrong. Sure is false for all others.
func (a *activation) unwindGo() (regs dwarfregs.Registers, ok, sure bool) {
	if a.site == nil {
		return regs, false, false
	}
	switch {
	case goEnds[a.site.Name] && a.lookupPC != a.regs.PC():
		a.cfa, _ = a.regs.Get(dwarfregs.RSP)
		return regs, false, true
	case switches[a.site.Name] && a.lookupPC != a.regs.PC():
		return a.unwindStackSwitch()
	}
	return regs, false, false
}

// unwindStackSwitch continues on the goroutine's stack, whose registers the runtime
// saved in g.sched when this function switched stacks. Without a goroutine no
// stack was switched, and the ordinary rules apply.
func (a *activation) unwindStackSwitch() (regs dwarfregs.Registers, ok, sure bool) {
	g, found := a.goroutine()
	if !found || a.row == nil {
		return regs, false, false
	}
	sp, err := symbols.ReadWord(a.mem, g.sched+g.spOffset)
	bp, err2 := symbols.ReadWord(a.mem, g.sched+g.bpOffset)
	if err != nil || err2 != nil || sp == 0 {
		return regs, false, false
	}
	there := *a
	there.regs.Set(dwarfregs.RSP, sp)
	there.regs.Set(dwarfregs.RBP, bp)
	regs, ok = there.unwindByRow()
	if !ok || a.program.Image(regs.PC()) == nil {
		return regs, false, false
	}
	a.cfa = there.cfa
	return regs, true, true
}

// A goroutine is the address of the saved registers of a goroutine, and the
// offsets of its stack and base pointer.
type goroutine struct{ sched, spOffset, bpOffset uint64 }

// goroutine returns the user goroutine of the thread, m.curg.
func (a *activation) goroutine() (goroutine, bool) {
	var out goroutine
	tp, ok := a.regs.Get(dwarfregs.FSBase)
	if !ok {
		return out, false
	}
	o, ok := a.image.GoRuntime()
	if !ok {
		return out, false
	}
	// The runtime keeps g in the word below the thread pointer.
	addr := tp - 8
	for _, off := range []uint64{0, o.M, o.Curg} {
		v, err := symbols.ReadWord(a.mem, addr+off)
		if err != nil || v == 0 {
			return out, false
		}
		addr = v
	}
	return goroutine{addr + o.Sched, o.SP, o.BP}, true
}
