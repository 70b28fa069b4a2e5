package dap

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-dap"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
	"github.com/triptych-mcp/triptych/debugger/internal/session/expr"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
)

// setVariable sets a variable or register of the process at the present.
func (l *looks) setVariable(ctx context.Context, args dap.SetVariableArguments) (any, error) {
	h, err := l.handleOf(args.VariablesReference)
	if err != nil {
		return nil, err
	}
	p, err := l.partNamed(h, args.Name)
	if err != nil {
		return nil, err
	}
	if err := l.assign(ctx, h.frame, p, args.Value); err != nil {
		return nil, err
	}
	if p, err = l.partNamed(h, args.Name); err != nil {
		return nil, err
	}
	w := l.variable(h.frame, p)
	return dap.SetVariableResponseBody{Value: w.Value, Type: w.Type, VariablesReference: w.VariablesReference}, nil
}

// setExpression sets what an expression means.
func (l *looks) setExpression(ctx context.Context, args dap.SetExpressionArguments) (any, error) {
	id, err := l.frameOf(args.FrameId)
	if err != nil {
		return nil, err
	}
	p := part{name: args.Expression, expr: args.Expression}
	if !strings.HasPrefix(args.Expression, "$") {
		if p, err = l.target(ctx, 0, args.Expression, args.FrameId); err != nil {
			return nil, err
		}
	}
	if err := l.assign(ctx, id, p, args.Value); err != nil {
		return nil, err
	}
	body, err := l.value(ctx, args.Expression, args.FrameId)
	return dap.SetExpressionResponseBody{Value: body.Result, Type: body.Type, VariablesReference: body.VariablesReference}, err
}

// assign writes the value of an expression into a variable or register.
func (l *looks) assign(ctx context.Context, id frameID, p part, text string) error {
	if err := l.client.requireWritable(); err != nil {
		return err
	}
	value, err := l.client.s.Inspector.Evaluate(ctx, text, id.thread, id.number)
	if err != nil {
		return inspect.WrapError(err)
	}
	if p.isObject {
		err = l.assignObject(id, p.object, value)
	} else {
		err = l.assignRegister(id, strings.TrimPrefix(p.expr, "$"), value)
	}
	l.now.stacks, l.now.whole = nil, nil // registers and frames are read again
	return err
}

func (l *looks) assignObject(id frameID, o values.Object, value expr.Value) error {
	data, err := value.Assign(o)
	if err != nil {
		return err
	}
	if addr, ok := o.Address(); ok {
		_, err := l.client.s.WriteMemory(addr, data)
		return err
	}
	number, ok := o.Register()
	name, known := inspect.RegisterName(number)
	if !ok || !known {
		return errors.New("the variable is neither in memory nor in one general register")
	}
	var bits uint64
	for i, b := range data {
		bits |= uint64(b) << (8 * i)
	}
	return l.writeRegister(id, name, bits, len(data))
}

func (l *looks) assignRegister(id frameID, name string, value expr.Value) error {
	bits, err := value.Address()
	if err != nil {
		return err
	}
	return l.writeRegister(id, name, bits, wordSize)
}

// wordSize is the size of a general register in bytes.
const wordSize = 8

// writeRegister sets the lower bytes of a general register in the innermost
// frame: those of callers are on the stack.
func (l *looks) writeRegister(id frameID, name string, bits uint64, size int) error {
	scope, err := l.client.s.Inspector.Scope(id.thread, id.number)
	if err != nil {
		return err
	}
	if !scope.Innermost() {
		return errors.New("registers can be set in the innermost frame only")
	}
	thread := id.thread
	if thread == 0 {
		thread = l.client.s.State().Thread
	}
	regs, err := l.client.s.Target.View.Regs(thread)
	if err != nil {
		return err
	}
	i := slices.Index(ptrace.RegNames[:], name)
	if i < 0 {
		return fmt.Errorf("the register %s cannot be set", name)
	}
	mask := ^uint64(0) >> (64 - 8*size)
	word := &regs.Words()[i]
	*word = *word&^mask | bits&mask
	return l.client.s.WriteRegisters(thread, regs)
}
