package gdbremote

import (
	"context"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/xsave"
)

// states returns the registers of the thread that the client selected.
func (v *server) states() (*states, error) {
	regs, err := v.s.Target.View.Regs(v.thread)
	if err != nil {
		return nil, err
	}
	vector, _ := v.s.Target.View.XState(v.thread, nil) // some core files do not have it
	layout := xsave.Of(vector)
	layout.Normalize(vector)
	return &states{regs, vector, layout}, nil
}

// registers returns the registers of the target description. It is computed once,
// since a process cannot get other registers.
func (v *server) registers() []register {
	if v.registerList == nil {
		v.registerList = registersOf(v.vectorWidth())
	}
	return v.registerList
}

// vectorWidth returns the size of a vector register in bytes, or 16 if it is
// unknown.
func (v *server) vectorWidth() int {
	if state, err := v.states(); err == nil {
		if regs, ok := state.layout.Registers(state.vector); ok {
			return regs.Width
		}
	}
	return 16
}

// unknown stands for a byte of an unknown register.
const unknown = "xx"

// hexRegister formats a register for a reply.
func hexRegister(s *states, r register) string {
	if b := s.bytes(r); b != nil {
		return hex.EncodeToString(b)
	}
	return strings.Repeat(unknown, r.bits/8)
}

// readRegisters handles g.
func (v *server) readRegisters(ctx context.Context, _ string) ([]byte, error) {
	return v.inside(ctx, func() ([]byte, error) {
		state, err := v.states()
		if err != nil {
			return nil, err
		}
		var b strings.Builder
		for _, r := range v.registers() {
			b.WriteString(hexRegister(state, r))
		}
		return []byte(b.String()), nil
	})
}

// readRegister handles p.
func (v *server) readRegister(ctx context.Context, args string) ([]byte, error) {
	return v.inside(ctx, func() ([]byte, error) {
		r, err := v.registerNumber(args)
		if err != nil {
			return nil, err
		}
		state, err := v.states()
		if err != nil {
			return nil, err
		}
		return []byte(hexRegister(state, r)), nil
	})
}

func (v *server) registerNumber(text string) (register, error) {
	n, err := parseHex(text)
	if err != nil || n >= uint64(len(v.registers())) {
		return register{}, errArgument
	}
	return v.registers()[n], nil
}

// writeRegister handles P.
func (v *server) writeRegister(ctx context.Context, args string) ([]byte, error) {
	number, digits, ok := strings.Cut(args, "=")
	value, err := hex.DecodeString(digits)
	if !ok || err != nil {
		return nil, errArgument
	}
	return v.changeRegisters(ctx, func(state *states) (bool, error) {
		r, err := v.registerNumber(number)
		if err != nil {
			return false, err
		}
		return state.set(r, value)
	})
}

// writeRegisters handles G. Registers that do not change need not be writable.
func (v *server) writeRegisters(ctx context.Context, args string) ([]byte, error) {
	return v.changeRegisters(ctx, func(state *states) (vector bool, err error) {
		rest := args
		for _, r := range v.registers() {
			size := r.bits / 4
			if len(rest) < size {
				return false, errArgument
			}
			digits := rest[:size]
			rest = rest[size:]
			if digits == hexRegister(state, r) || strings.HasPrefix(digits, unknown) {
				continue
			}
			value, err := hex.DecodeString(digits)
			if err != nil {
				return false, errArgument
			}
			changed, err := state.set(r, value)
			if err != nil {
				return false, err
			}
			vector = vector || changed
		}
		return vector, nil
	})
}

// changeRegisters reads the registers of the selected thread, lets change modify
// them, and writes them back.
func (v *server) changeRegisters(ctx context.Context, change func(*states) (vector bool, err error)) ([]byte, error) {
	return v.inside(ctx, func() ([]byte, error) {
		if err := v.requireWritable(); err != nil {
			return nil, err
		}
		state, err := v.states()
		if err != nil {
			return nil, err
		}
		was := state.regs
		vector, err := change(state)
		if err != nil {
			return nil, err
		}
		if vector {
			err = v.s.WriteVectors(v.thread, state.vector)
		}
		if state.regs != was {
			err = errors.Join(err, v.s.WriteRegisters(v.thread, state.regs))
		}
		return []byte("OK"), err
	})
}
