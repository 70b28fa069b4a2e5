package symbols

import (
	"debug/dwarf"

	"github.com/triptych-mcp/triptych/debugger/internal/symbols/location"
)

// A view is where variables are looked at from: a frame, or a whole image for
// its globals.
type view struct {
	image *Image
	mem   Memory
	regs  Registers
	frame callFrame // nil for globals
}

// A callFrame is the call whose variables are read.
type callFrame interface {
	// pc is the address of the process whose location list entries hold.
	pc() uint64
	// frameAddress returns the CFA.
	frameAddress() (uint64, error)
	// frameBase returns what the function's variables are relative to.
	frameBase(w *view) (uint64, error)
	// entryValue returns what a register held when the function was entered.
	entryValue(expr []byte) (uint64, error)
}

// object finds where a variable is.
func (w *view) object(v *variable) Object {
	o := Object{Name: v.name, Type: voidType, Argument: v.arg, view: w}
	if v.typed {
		o.Type = w.image.types().typeAt(v.typ)
	}
	o.pieces, o.err = w.locate(v)
	return o
}

// locate evaluates a variable's location.
func (w *view) locate(v *variable) ([]location.Piece, error) {
	d := v.unit.d
	var expr []byte
	var constant []byte
	err := d.do(func() (err error) {
		expr, constant, err = w.locationLocked(v)
		return err
	})
	if err != nil {
		return nil, err
	}
	if constant != nil {
		return []location.Piece{{Kind: location.IsBytes, Data: constant}}, nil
	}
	if len(expr) == 0 {
		return nil, ErrOptimizedOut
	}
	return location.Evaluate(expr, w.context(v.unit))
}

// locationLocked picks the expression that holds, or the constant that a
// variable always is.
func (w *view) locationLocked(v *variable) (expr, constant []byte, err error) {
	d := v.unit.d
	if c, _ := d.attrLocked(v.entry, dwarf.AttrConstValue); c != nil {
		return nil, constantBytes(c), nil
	}
	f, _ := d.attrLocked(v.entry, dwarf.AttrLocation)
	if loc, ok := f.([]byte); ok || f == nil {
		return loc, nil, nil
	}
	if w.frame == nil {
		return nil, nil, nil
	}
	expr, err = v.unit.inList(f, w.frame.pc()-w.image.Bias)
	return expr, nil, err
}

// constantBytes are a constant's bytes as they would lie in memory.
func constantBytes(c any) []byte {
	switch v := c.(type) {
	case int64:
		b := make([]byte, 16) // sign-extended, as __int128 wants it
		for i := range b {
			b[i] = byte(v >> (8 * min(i, 7)))
			if i > 7 {
				b[i] = byte(v >> 63)
			}
		}
		return b
	case string:
		return append([]byte(v), 0)
	case []byte:
		return v
	}
	return []byte{}
}

// context is what the expressions of a unit may ask.
func (w *view) context(u *unit) *location.Context {
	c := &location.Context{
		Memory: w.mem, Bias: w.image.Bias, Register: w.regs.Get,
		Address: u.address,
		TLS: func(off uint64) (uint64, error) {
			return w.image.threadLocal(off, &w.regs, w.mem)
		},
		Procedure: u.procedure,
		Type: func(die uint64) (location.Type, error) {
			return w.expressionType(u, die)
		},
	}
	if f := w.frame; f != nil {
		c.CFA = f.frameAddress
		c.FrameBase = func() (uint64, error) { return f.frameBase(w) }
		c.Entry = f.entryValue
	}
	return c
}

// expressionType reads a base type that an expression of a unit names.
func (w *view) expressionType(u *unit, die uint64) (location.Type, error) {
	t := w.image.types().typeAt(u.offset + dwarf.Offset(die)).Strip()
	out := location.Type{Class: location.Unsigned, Size: int(t.Size)}
	switch {
	case t.Kind == KindFloat:
		out.Class = location.Float
	case t.signed:
		out.Class = location.Signed
	}
	return out, nil
}
