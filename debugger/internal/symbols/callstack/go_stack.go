package callstack

import (
	"github.com/triptych-mcp/triptych/debugger/internal/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols/dwarfregs"
)

// goEnds are the functions that a goroutine's or a thread's stack begins with.
var goEnds = map[string]bool{
	"runtime.goexit": true, "runtime.mstart": true, "runtime.rt0_go": true, "runtime.mcall": true,
	"runtime.morestack": true, "_rt0_amd64_linux": true, "runtime.goexit.abi0": true,
	"runtime.mstart.abi0": true, "runtime.rt0_go.abi0": true, "runtime.mcall.abi0": true,
}

// switches are the functions that go over to the thread's own stack and call
// something there.
var switches = map[string]bool{
	"runtime.systemstack": true, "runtime.systemstack.abi0": true,
	"runtime.asmcgocall": true, "runtime.asmcgocall.abi0": true,
}

// injected are the functions that a signal handler makes look called: the
// address they return to is that of the instruction which was interrupted.
var injected = map[string]bool{
	"runtime.sigpanic": true, "runtime.sigpanic0": true, "runtime.sigpanic0.abi0": true,
	"runtime.asyncPreempt": true, "runtime.asyncPreempt.abi0": true,
}

// interrupted reports whether the caller's address is exact, not behind a call.
func (a *activation) interrupted() bool {
	return a.signal || (a.site != nil && injected[a.site.Name])
}

// goStep handles the functions of Go's runtime that call frame information says
// nothing true about. Sure is false for all others.
func (a *activation) goStep() (regs dwarfregs.Registers, ok, sure bool) {
	if a.site == nil {
		return regs, false, false
	}
	switch {
	case goEnds[a.site.Name] && a.look != a.regs.PC():
		a.cfa, _ = a.regs.Get(dwarfregs.RSP)
		return regs, false, true
	case switches[a.site.Name] && a.look != a.regs.PC():
		return a.overSwitch()
	}
	return regs, false, false
}

// overSwitch goes on where the goroutine left its stack: the runtime keeps the
// place in g.sched, which is the frame of this very function there. Without a
// goroutine nothing was switched and the ordinary rules hold.
func (a *activation) overSwitch() (regs dwarfregs.Registers, ok, sure bool) {
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
	regs, ok = there.byRow()
	if !ok || a.program.Image(regs.PC()) == nil {
		return regs, false, false
	}
	a.cfa = there.cfa
	return regs, true, true
}

// A goroutine is where the runtime keeps the place a goroutine goes on at.
type goroutine struct{ sched, spOffset, bpOffset uint64 }

// goroutine finds the user goroutine of the thread: the one that m.curg names.
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
