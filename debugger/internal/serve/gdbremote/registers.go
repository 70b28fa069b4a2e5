package gdbremote

import (
	"context"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/xsave"
)

// registers answers the packets that read and write registers.
type registers struct {
	client *client

	list []register // of the target description
}

// states returns the registers of the thread that the client selected.
func (rs *registers) states() (*states, error) {
	regs, err := rs.client.s.Target.View.Regs(rs.client.thread)
	if err != nil {
		return nil, err
	}
	vector, _ := rs.client.s.Target.View.XState(rs.client.thread, nil) // some core files do not have it
	layout := xsave.Of(vector)
	layout.Normalize(vector)
	return &states{regs, vector, layout}, nil
}

// all returns the registers of the target description. It is computed once,
// since a process cannot get other registers.
func (rs *registers) all() []register {
	if rs.list == nil {
		rs.list = registersOf(rs.vectorWidth())
	}
	return rs.list
}

// vectorWidth returns the size of a vector register in bytes, or 16 if it is
// unknown.
func (rs *registers) vectorWidth() int {
	if state, err := rs.states(); err == nil {
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
func (rs *registers) readRegisters(ctx context.Context, _ string) ([]byte, error) {
	return rs.client.inside(ctx, func() ([]byte, error) {
		state, err := rs.states()
		if err != nil {
			return nil, err
		}
		var b strings.Builder
		for _, r := range rs.all() {
			b.WriteString(hexRegister(state, r))
		}
		return []byte(b.String()), nil
	})
}

// readRegister handles p.
func (rs *registers) readRegister(ctx context.Context, args string) ([]byte, error) {
	return rs.client.inside(ctx, func() ([]byte, error) {
		r, err := rs.registerNumber(args)
		if err != nil {
			return nil, err
		}
		state, err := rs.states()
		if err != nil {
			return nil, err
		}
		return []byte(hexRegister(state, r)), nil
	})
}

func (rs *registers) registerNumber(text string) (register, error) {
	n, err := parseHex(text)
	if err != nil || n >= uint64(len(rs.all())) {
		return register{}, errArgument
	}
	return rs.all()[n], nil
}

// writeRegister handles P.
func (rs *registers) writeRegister(ctx context.Context, args string) ([]byte, error) {
	number, digits, ok := strings.Cut(args, "=")
	value, err := hex.DecodeString(digits)
	if !ok || err != nil {
		return nil, errArgument
	}
	return rs.changeRegisters(ctx, func(state *states) (bool, error) {
		r, err := rs.registerNumber(number)
		if err != nil {
			return false, err
		}
		return state.set(r, value)
	})
}

// writeRegisters handles G. Registers that do not change need not be writable.
func (rs *registers) writeRegisters(ctx context.Context, args string) ([]byte, error) {
	return rs.changeRegisters(ctx, func(state *states) (vector bool, err error) {
		rest := args
		for _, r := range rs.all() {
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
func (rs *registers) changeRegisters(ctx context.Context, change func(*states) (vector bool, err error)) ([]byte, error) {
	return rs.client.inside(ctx, func() ([]byte, error) {
		if err := rs.client.requireWritable(); err != nil {
			return nil, err
		}
		state, err := rs.states()
		if err != nil {
			return nil, err
		}
		was := state.regs
		vector, err := change(state)
		if err != nil {
			return nil, err
		}
		if vector {
			err = rs.client.s.WriteVectors(rs.client.thread, state.vector)
		}
		if state.regs != was {
			err = errors.Join(err, rs.client.s.WriteRegisters(rs.client.thread, state.regs))
		}
		return []byte("OK"), err
	})
}
