package inspect

import (
	"cmp"
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/program/callstack"
	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfregs"
	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
)

// A FrameScope gives names in expressions the meaning that they have in a
// frame.
type FrameScope struct {
	s     *Inspector
	frame *callstack.Frame
	regs  dwarfregs.Registers
	mem   symbols.Memory
	cpu   ptrace.Regs // of the thread
	tid   int         // of the thread, 0 for the current one
	inner bool        // the frame is the innermost one
}

// Scope returns the scope of a frame. Conditions call it during an operation.
func (s *Inspector) Scope(thread, number int) (*FrameScope, error) {
	cpu, tid, partial, err := s.cpu(thread)
	if err != nil {
		return nil, err
	}
	frame, err := s.frameFrom(s.forSymbols(thread, cpu, partial), number)
	if err != nil {
		return nil, err
	}
	return &FrameScope{s: s, frame: frame, regs: frame.Registers(), mem: s.Target.Memory(), cpu: cpu, tid: tid, inner: !partial && frame.PC == cpu.RIP}, nil
}

// Innermost reports whether the frame is the innermost one of its thread.
func (f *FrameScope) Innermost() bool { return f.inner }

// PC returns the address of the frame's next instruction.
func (f *FrameScope) PC() uint64 { return f.frame.PC }

// Language returns the language of the frame's code, C if it is not known.
func (f *FrameScope) Language() lang.Lang { return cmp.Or(f.frame.Language, lang.C) }

// Variable returns the variable that a name means in the frame's function.
func (f *FrameScope) Variable(ctx context.Context, name string) (values.Object, error) {
	return f.frame.Variable(ctx, name)
}

// Symbol returns the address of a function, or of data of which the program has
// no debug information.
func (f *FrameScope) Symbol(ctx context.Context, name string) (addr uint64, data bool, err error) {
	found, err := f.s.Program.Lookup(ctx, name)
	if err != nil {
		return 0, false, err
	}
	_, code := f.s.Program.Function(found[0])
	_, offset, known := f.s.Program.Variable(found[0])
	return found[0], !code && known && offset == 0, nil
}

// Type returns a type of the program.
func (f *FrameScope) Type(ctx context.Context, name string) (*types.Type, error) {
	return f.s.Program.Type(ctx, name)
}

// At returns an object at an address.
func (f *FrameScope) At(t *types.Type, addr uint64) values.Object {
	return values.ObjectAt(f.s.Program, t, addr, f.mem, f.regs)
}

// Register returns a register as of the frame. In outer frames only saved
// registers are known.
func (f *FrameScope) Register(name string) (uint64, int, error) {
	row := registerByName(name)
	if row == nil {
		return f.extendedRegister(name)
	}
	value := row.Get(&f.cpu)
	if !f.inner {
		saved, ok := uint64(0), false
		if row.dwarf >= 0 {
			saved, ok = f.regs.Get(uint64(row.dwarf))
		}
		if !ok {
			return 0, 0, failure.Errorf("Register not available", "$%s was not saved for this frame", name)
		}
		value = saved
	}
	if row.size < 8 {
		value &= 1<<(8*row.size) - 1
	}
	return value, row.size, nil
}
