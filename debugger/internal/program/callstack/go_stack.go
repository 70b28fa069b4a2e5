package callstack

import (
	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfregs"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
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
var switches = map[string]bool{"runtime.systemstack": true, "runtime.systemstack.abi0": true}

// The functions through which Go calls C, and C calls Go: Go's, which switch stacks, and
// the one that C calls.
var (
	toC     = map[string]bool{"runtime.asmcgocall": true, "runtime.asmcgocall.abi0": true}
	fromC   = map[string]bool{"runtime.cgocallback": true, "runtime.cgocallback.abi0": true}
	entryOf = map[string]bool{"crosscall2": true}
)

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
	case a.lookupPC == a.regs.PC():
	case switches[a.site.Name]:
		return a.unwindStackSwitch()
	case toC[a.site.Name]:
		return a.unwindCallOfC()
	case fromC[a.site.Name]:
		return a.unwindCallback()
	case entryOf[a.site.Name]:
		return a.unwindEntry()
	}
	return regs, false, false
}

// unwindStackSwitch continues on the goroutine's stack, whose registers the runtime
// saved in g.sched when this function switched stacks. Without a goroutine no
// stack was switched, and the ordinary rules apply.
func (a *activation) unwindStackSwitch() (regs dwarfregs.Registers, ok, sure bool) {
	g, found := a.goroutine()
	if !found {
		return regs, false, false
	}
	sp, err := symbols.ReadWord(a.mem, g.sched()+g.SP)
	bp, err2 := symbols.ReadWord(a.mem, g.sched()+g.BP)
	if err != nil || err2 != nil || sp == 0 {
		return regs, false, false
	}
	there := *a
	there.regs.Set(dwarfregs.RBP, bp)
	return a.unwindAt(&there, sp)
}

// unwindAt unwinds the activation as it is on another stack, at the stack pointer that it has there.
func (a *activation) unwindAt(there *activation, sp uint64) (regs dwarfregs.Registers, ok, sure bool) {
	if a.row == nil {
		return regs, false, false
	}
	there.regs.Set(dwarfregs.RSP, sp)
	regs, ok = there.unwindByRow()
	if !ok || a.program.Image(regs.PC()) == nil {
		return regs, false, false
	}
	a.cfa = there.cfa
	return regs, true, true
}

// A goroutine has the addresses of the structures of a goroutine and its thread in Go's runtime.
type goroutine struct {
	symbols.GoRuntime
	m, g uint64
}

// sched returns the address of the saved registers of a g.
func (r *goroutine) sched() uint64 { return r.g + r.Sched }

// goroutine returns the user goroutine of the thread, m.curg.
func (a *activation) goroutine() (out goroutine, ok bool) {
	tp, ok := a.regs.Get(dwarfregs.FSBase)
	if !ok {
		return out, false
	}
	if out.GoRuntime, ok = a.image.GoRuntime(); !ok {
		return out, false
	}
	// The runtime keeps g in the word below the thread pointer.
	g, err := symbols.ReadWord(a.mem, tp-8)
	if err != nil || g == 0 {
		return out, false
	}
	if out.m, err = symbols.ReadWord(a.mem, g+out.M); err != nil || out.m == 0 {
		return out, false
	}
	out.g, err = symbols.ReadWord(a.mem, out.m+out.Curg)
	return out, err == nil && out.g != 0
}
