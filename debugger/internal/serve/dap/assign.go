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
func (v *server) setVariable(ctx context.Context, args dap.SetVariableArguments) (any, error) {
	h, err := v.handleOf(args.VariablesReference)
	if err != nil {
		return nil, err
	}
	p, err := v.partNamed(h, args.Name)
	if err != nil {
		return nil, err
	}
	if err := v.assign(ctx, h.frame, p, args.Value); err != nil {
		return nil, err
	}
	if p, err = v.partNamed(h, args.Name); err != nil {
		return nil, err
	}
	w := v.variable(h.frame, p)
	return dap.SetVariableResponseBody{Value: w.Value, Type: w.Type, VariablesReference: w.VariablesReference}, nil
}

// setExpression sets what an expression means.
func (v *server) setExpression(ctx context.Context, args dap.SetExpressionArguments) (any, error) {
	id, err := v.frameOf(args.FrameId)
	if err != nil {
		return nil, err
	}
	p := part{name: args.Expression, expr: args.Expression}
	if !strings.HasPrefix(args.Expression, "$") {
		if p, err = v.target(ctx, 0, args.Expression, args.FrameId); err != nil {
			return nil, err
		}
	}
	if err := v.assign(ctx, id, p, args.Value); err != nil {
		return nil, err
	}
	body, err := v.value(ctx, args.Expression, args.FrameId)
	return dap.SetExpressionResponseBody{Value: body.Result, Type: body.Type, VariablesReference: body.VariablesReference}, err
}

// assign writes the value of an expression into a variable or register.
func (v *server) assign(ctx context.Context, id frameID, p part, text string) error {
	if err := v.requireWritable(); err != nil {
		return err
	}
	value, err := v.s.Inspector.Evaluate(ctx, text, id.thread, id.number)
	if err != nil {
		return inspect.WrapError(err)
	}
	if p.isObject {
		err = v.assignObject(id, p.object, value)
	} else {
		err = v.assignRegister(id, strings.TrimPrefix(p.expr, "$"), value)
	}
	v.now.stacks, v.now.whole = nil, nil // registers and frames are read again
	return err
}

func (v *server) assignObject(id frameID, o values.Object, value expr.Value) error {
	data, err := value.Assign(o)
	if err != nil {
		return err
	}
	if addr, ok := o.Address(); ok {
		_, err := v.s.WriteMemory(addr, data)
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
	return v.writeRegister(id, name, bits, len(data))
}

func (v *server) assignRegister(id frameID, name string, value expr.Value) error {
	bits, err := value.Address()
	if err != nil {
		return err
	}
	return v.writeRegister(id, name, bits, wordSize)
}

// wordSize is the size of a general register in bytes.
const wordSize = 8

// writeRegister sets the lower bytes of a general register in the innermost
// frame: those of callers are on the stack.
func (v *server) writeRegister(id frameID, name string, bits uint64, size int) error {
	scope, err := v.s.Inspector.Scope(id.thread, id.number)
	if err != nil {
		return err
	}
	if !scope.Innermost() {
		return errors.New("registers can be set in the innermost frame only")
	}
	thread := id.thread
	if thread == 0 {
		thread = v.s.State().Thread
	}
	regs, err := v.s.Target.View.Regs(thread)
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
	return v.s.WriteRegisters(thread, regs)
}
