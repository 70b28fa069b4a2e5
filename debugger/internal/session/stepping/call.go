package stepping

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/program/sysv"
	"github.com/triptych-mcp/triptych/debugger/internal/session/expr"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
)

// CallLimit limits the time of a function that an expression calls.
const CallLimit = 5 * time.Second

// redZone is the size of the area that a function may use below its stack pointer (System V ABI for amd64,
// 3.2.2), and stackAlignment that of the stack where a function is called.
const (
	redZone        = 128
	stackAlignment = 16
)

// maxPlaced bounds the strings of one expression, in bytes.
const maxPlaced = 64 << 10

// EvaluateCalls is Evaluate for expressions that may call functions of the process. A
// thread executes them while the others stand still. If there is a history, each call
// takes one position of it.
func (s *Stepper) EvaluateCalls(ctx context.Context, text string, thread, frame int) (expr.Value, error) {
	e, err := expr.ParseCalls(text)
	if err != nil {
		return expr.Value{}, err
	}
	scope, err := s.Inspector.Scope(thread, frame)
	if err != nil {
		return expr.Value{}, err
	}
	if !e.Calls() {
		return e.Eval(ctx, scope)
	}
	caller, err := s.newCaller(scope, thread)
	if err != nil {
		return expr.Value{}, err
	}
	return e.Eval(ctx, caller)
}

// A caller calls functions for one expression. What it puts on the stack stays there
// until the expression has its value: below the red zone, downwards.
type caller struct {
	*inspect.FrameScope

	s      *Stepper
	thread int
	regs   ptrace.Regs
	sp     uint64
	placed int
	memory []proc.Patch // for the next call
}

// newCaller returns an error where no function can be called.
func (s *Stepper) newCaller(scope *inspect.FrameScope, thread int) (*caller, error) {
	if err := s.Target.RequireProcess(); err != nil {
		return nil, err
	}
	if s.Timeline.InPast() {
		return nil, failure.Errorf("In the past", "functions can be called at the present only; debugger/seek without a position goes there")
	}
	if scope.Language() == lang.Go || s.isGo() {
		return nil, failure.Errorf("Not supported", "functions cannot be called in programs of Go: the runtime would have to know of the call to grow the stack, move what is on it and collect garbage")
	}
	regs, err := s.Target.Process.Regs(thread)
	return &caller{FrameScope: scope, s: s, thread: thread, regs: regs, sp: (regs.RSP - redZone) &^ (stackAlignment - 1)}, err
}

// isGo reports whether the program has Go's runtime.
func (s *Stepper) isGo() bool {
	return len(s.Inspector.Program.Symbols("runtime.goexit", nil)) > 0
}

// Signatures returns the functions with a name.
func (c *caller) Signatures(ctx context.Context, name string) ([]symbols.Signature, error) {
	return c.s.Inspector.Program.Signatures(ctx, name, c.s.Inspector.Program.Image(c.PC()))
}

// Signature returns the function that begins at an address.
func (c *caller) Signature(addr uint64) (symbols.Signature, bool) {
	return c.s.Inspector.Program.Signature(addr)
}

// Place reserves memory of the stack for bytes, which the next call writes.
func (c *caller) Place(data []byte) (uint64, error) {
	if c.placed += len(data); c.placed > maxPlaced {
		return 0, fmt.Errorf("the strings of an expression may have %d bytes", maxPlaced)
	}
	c.sp = (c.sp - uint64(len(data))) &^ (stackAlignment - 1)
	c.memory = append(c.memory, proc.Patch{Address: c.sp, Data: data})
	return c.sp, nil
}

// Call calls a function.
func (c *caller) Call(ctx context.Context, f symbols.Signature, args []sysv.Argument) (expr.Result, error) {
	if f.Indirect {
		resolved, err := c.call(ctx, symbols.Signature{Name: f.Name, Address: f.Address}, nil)
		if err != nil {
			return expr.Result{}, err
		}
		f.Address, f.Indirect = resolved.Int, false
	}
	return c.call(ctx, f, args)
}

func (c *caller) call(ctx context.Context, f symbols.Signature, args []sysv.Argument) (expr.Result, error) {
	var classes []sysv.Class
	var size int64
	var at uint64 // of the result
	if f.Known && f.Result != nil {
		var ok bool
		if classes, ok = sysv.Classify(f.Result); !ok {
			return expr.Result{}, fmt.Errorf("%s returns a %s in a way that is not supported", f.Name, f.Result)
		}
		size = f.Result.ByteSize()
	}
	if len(classes) > 0 {
		if size > maxPlaced {
			return expr.Result{}, fmt.Errorf("the result of %s has %d bytes; %d are possible", f.Name, size, maxPlaced)
		}
		c.sp = (c.sp - uint64(size)) &^ (stackAlignment - 1)
		if at = c.sp; classes[0] == sysv.Memory {
			args = append([]sysv.Argument{{Bits: at}}, args...)
		}
	}
	returned, err := c.execute(ctx, f, args, func(r proc.Returned) error {
		if len(classes) == 0 || classes[0] == sysv.Memory {
			return nil
		}
		data, ok := sysv.Result(classes, size, r.RAX, r.RDX, r.Vector)
		if !ok {
			return errors.New("the vector state of the thread cannot be read")
		}
		_, err := c.s.Target.Process.WriteMemory(at, data)
		return err
	})
	result := expr.Result{Int: returned.RAX, Float: sysv.Float(returned.Vector)}
	if len(classes) > 0 {
		result.Object = new(c.At(f.Result, at))
	}
	return result, err
}

// execute lets the thread execute the function, and then calls keep.
func (c *caller) execute(ctx context.Context, f symbols.Signature, args []sysv.Argument, keep func(proc.Returned) error) (proc.Returned, error) {
	spec, err := c.prepare(f, args)
	if err != nil {
		return proc.Returned{}, err
	}
	var returned proc.Returned
	do := func() (proc.Stop, error) {
		var err error
		if returned, err = c.s.Target.Process.Call(ctx, c.thread, spec); err == nil {
			err = keep(returned)
		}
		ended, _ := c.s.Target.Process.End()
		ended.Thread, _ = c.s.Target.Process.CurrentThread()
		return ended, err
	}
	if c.s.Timeline.Recorder == nil {
		_, err = do()
	} else {
		_, err = c.s.Timeline.Recorder.Unrecorded("a function was called", do)
		c.s.Timeline.UpdateView()
	}
	c.s.Maps.Stale = true // the function may have loaded libraries
	if ended, ok := errors.AsType[*proc.CallError](err); ok {
		if b := c.s.Breakpoints.Find(ended.Stop.Breakpoint); b != nil && ended.Stop.Breakpoint != 0 {
			ended.Stop.Breakpoint = b.ID
		}
		return proc.Returned{}, failure.Errorf("Call ended", "%s: %v", f.Name, ended)
	}
	return returned, err
}

// prepare returns registers, vector state and memory for a call.
func (c *caller) prepare(f symbols.Signature, args []sysv.Argument) (proc.Call, error) {
	var a sysv.Arguments
	for _, arg := range args {
		a.Add(arg)
	}
	vector, err := c.s.Target.Process.XState(c.thread, nil)
	if err != nil {
		return proc.Call{}, err
	}
	regs := c.regs
	if !a.Place(&regs, vector) {
		return proc.Call{}, errors.New("the vector state of the thread cannot be read")
	}
	stack := (c.sp - uint64(len(a.Stack))) &^ (stackAlignment - 1)
	regs.RIP, regs.RSP = f.Address, stack-wordSize
	memory := append(c.memory, proc.Patch{Address: stack, Data: a.Stack})
	c.memory = nil
	return proc.Call{Regs: regs, Vector: vector, Memory: memory, Limit: CallLimit}, nil
}
