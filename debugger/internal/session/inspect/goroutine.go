package inspect

import (
	"context"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/program/callstack"
	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfregs"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
)

// A Goroutine is a goroutine of a Go program, as its runtime has it.
type Goroutine struct {
	ID         int64
	Status     uint64 // without the bit that marks a scan of its stack
	WaitReason uint64
	Thread     int    // that runs it, 0 if none does
	StartPC    uint64 // of the function that it was begun with

	pc, sp, bp uint64 // where it goes on, unless a thread runs it
	object     values.Object
}

// Member returns a member of the goroutine's runtime.g, by the names on the way to it.
func (g *Goroutine) Member(names ...string) values.Object { return Member(g.object, names...) }

// States of a goroutine (runtime2.go of the Go runtime).
const (
	goScan      = 0x1000
	GoWaiting   = 4
	goDead      = 6
	goDeadExtra = 11 // dead, and ready for a thread of C that calls Go
	noGoroutine = "No goroutines"
)

// Goroutines calls f for each goroutine of a Go program until it returns false.
func (s *Inspector) Goroutines(ctx context.Context, f func(Goroutine) bool) error {
	if !s.IsGo() {
		return failure.Errorf(noGoroutine, "the program was not made by Go's compiler, or its symbols are stripped")
	}
	all, err := s.RuntimeGlobal(ctx, "runtime.allgs")
	if err != nil {
		return failure.Errorf(noGoroutine, "the program has no debug information: %v", err)
	}
	length, err := Member(all, "len").Int()
	if err != nil {
		return failure.Errorf(noGoroutine, "%v", err)
	}
	for i := range min(length, maxGoroutines) {
		o, err := all.Index(i)
		if err != nil || ctx.Err() != nil {
			return ctx.Err()
		}
		g := newGoroutine(o)
		if g.ID != 0 && g.Status != goDead && g.Status != goDeadExtra && !f(g) {
			return nil
		}
	}
	return nil
}

// maxGoroutines bounds the goroutines that are read: the program, or who wrote its core
// file, says how many there are.
const maxGoroutines = 1 << 20

// RuntimeGlobal returns a global variable of Go's runtime.
func (s *Inspector) RuntimeGlobal(ctx context.Context, name string) (values.Object, error) {
	regs, err := s.Registers(0)
	if err != nil {
		return values.Object{}, err
	}
	return values.Global(ctx, s.Program, name, s.Target.Memory(), regs)
}

// newGoroutine reads a runtime.g.
func newGoroutine(o values.Object) Goroutine {
	g := Goroutine{
		object: o,
		ID:     int64(Number(o, "goid")), Status: Number(o, "atomicstatus", "value") &^ goScan,
		WaitReason: Number(o, "waitreason"), StartPC: Number(o, "startpc"),
		pc: Number(o, "sched", "pc"), sp: Number(o, "sched", "sp"), bp: Number(o, "sched", "bp"),
	}
	if Number(o, "m") != 0 {
		g.Thread = int(Number(o, "m", "procid"))
	}
	return g
}

// Member follows the names of members. If a member does not exist, the result has
// type void.
func Member(o values.Object, names ...string) values.Object {
	for _, name := range names {
		m, err := o.Member(name)
		if err != nil {
			return values.Object{Type: &types.Type{}}
		}
		o = m
	}
	return o
}

// Number returns the value of an integer member, or 0 if it does not exist.
func Number(o values.Object, names ...string) uint64 {
	o = Member(o, names...)
	if o.Type.Kind == types.KindVoid {
		return 0
	}
	n, _ := o.Uint() // 0 if it cannot be read
	return n
}

// OfGoroutine returns what stands for a goroutine where methods of an Inspector
// want a thread: its number, negated.
func OfGoroutine(id int) (thread int) { return -id }

// findGoroutine returns the goroutine that a negative number stands for.
func (s *Inspector) findGoroutine(thread int) (found Goroutine, err error) {
	err = s.Goroutines(s.Life, func(g Goroutine) bool {
		if g.ID == int64(-thread) {
			found = g
		}
		return found.ID == 0
	})
	if err == nil && found.ID == 0 {
		err = failure.Errorf("No such goroutine", "there is no goroutine %d; debugger/goroutines lists them", -thread)
	}
	return found, err
}

// cpu returns the registers and number of a thread, or of the thread that runs a goroutine.
// Of a goroutine that does not run, only where it goes on is known: partial is
// true.
func (s *Inspector) cpu(thread int) (regs ptrace.Regs, tid int, partial bool, err error) {
	if thread >= 0 {
		regs, err = s.Target.View.Regs(thread)
		return regs, thread, false, err
	}
	g, err := s.findGoroutine(thread)
	if err != nil {
		return regs, 0, false, err
	}
	if g.Thread != 0 {
		regs, err = s.Target.View.Regs(g.Thread)
		return regs, g.Thread, false, err
	}
	return ptrace.Regs{RIP: g.pc, RSP: g.sp, RBP: g.bp}, 0, true, nil
}

// parked returns the registers of a goroutine that does not run.
func parked(cpu ptrace.Regs) dwarfregs.Registers {
	var regs dwarfregs.Registers
	regs.Set(dwarfregs.RIP, cpu.RIP)
	regs.Set(dwarfregs.RSP, cpu.RSP)
	regs.Set(dwarfregs.RBP, cpu.RBP)
	return regs
}

// maxWaitFrames bounds the search for the user's code on a stack.
const maxWaitFrames = 40

// UserFrame returns the innermost frame of a goroutine's stack that is not of the
// runtime: the call that it waits in. A goroutine of the runtime itself has its
// innermost frame.
func (g *Goroutine) UserFrame(frames []callstack.Frame) callstack.Frame {
	for _, f := range frames {
		if !ofRuntime(f.Function) {
			return f
		}
	}
	if len(frames) == 0 {
		return callstack.Frame{PC: g.pc}
	}
	return frames[0]
}

// GoroutineFrames unwinds the stack of a goroutine, as far as to the call that it waits
// in.
func (s *Inspector) GoroutineFrames(g Goroutine) ([]callstack.Frame, error) {
	if g.Thread != 0 {
		return s.Frames(g.Thread, maxWaitFrames)
	}
	return callstack.Unwind(s.Program, parked(ptrace.Regs{RIP: g.pc, RSP: g.sp, RBP: g.bp}), s.Target.Memory(), maxWaitFrames)
}

// ofRuntime reports whether a function is internal to Go's runtime. Exported
// ones, such as runtime.GC, are called by users; Delve draws the line there, too.
func ofRuntime(function string) bool {
	name, ok := strings.CutPrefix(function, "runtime.")
	if ok {
		return name != "" && (name[0] < 'A' || name[0] > 'Z')
	}
	return function == "" || strings.HasPrefix(function, "internal/") || strings.HasPrefix(function, "runtime/internal/")
}
