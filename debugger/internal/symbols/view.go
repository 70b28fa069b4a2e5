package symbols

import (
	"debug/dwarf"
	"errors"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/symbols/location"
)

// A view is where variables are looked at from: a frame, or a whole image for
// its globals.
type view struct {
	image *Image
	mem   Memory
	regs  Registers
	act   *activation // nil for globals
}

func (a *activation) view() *view {
	return &view{image: a.image, mem: a.mem, regs: a.regs, act: a}
}

// object finds where a variable is.
func (w *view) object(v *variable) Object {
	o := Object{Name: v.name, Type: voidType, Argument: v.arg, view: w}
	if v.typed {
		o.Type = v.unit.d.typeAt(v.typ)
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
	if w.act == nil {
		return nil, nil, nil
	}
	expr, err = v.unit.inList(f, w.act.look-w.image.Bias)
	return expr, nil, err
}

// inList picks the expression that holds at an address of the file from a
// location list, which an attribute gives as an offset or an index.
func (u *unit) inList(attr any, pc uint64) ([]byte, error) {
	list := location.List{Version: u.version, Base: u.low, Index: uint64(u.locBase), Address: u.address}
	if list.Version >= 5 {
		list.Data = u.d.list5()
	} else {
		list.Data = u.d.lists()
	}
	var offset uint64
	var err error
	switch v := attr.(type) {
	case int64:
		offset = uint64(v)
	case uint64:
		if offset, err = list.At(v); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("location of an unknown form: %T", attr)
	}
	return list.Find(offset, pc)
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
		Type:      u.expressionType,
	}
	if a := w.act; a != nil {
		c.CFA = a.frameAddress
		c.FrameBase = func() (uint64, error) { return a.frameBase(w) }
		c.Entry = a.entryValue
	}
	return c
}

// procedure reads the location of an entry that an expression calls.
func (u *unit) procedure(die uint64, relative bool) (expr []byte, err error) {
	off := dwarf.Offset(die)
	if relative {
		off += u.offset
	}
	err = u.d.do(func() error {
		if e := u.d.entryLocked(off); e != nil {
			expr, _ = e.Val(dwarf.AttrLocation).([]byte)
		}
		return nil
	})
	return expr, err
}

// expressionType reads a base type that an expression names.
func (u *unit) expressionType(die uint64) (location.Type, error) {
	t := u.d.typeAt(u.offset + dwarf.Offset(die)).Strip()
	out := location.Type{Class: location.Unsigned, Size: int(t.Size)}
	switch {
	case t.Kind == KindFloat:
		out.Class = location.Float
	case t.signed:
		out.Class = location.Signed
	}
	return out, nil
}

// frameAddress is the CFA.
func (a *activation) frameAddress() (uint64, error) {
	a.up()
	if a.cfa == 0 {
		return 0, location.ErrUnavailable
	}
	return a.cfa, nil
}

// frameBase evaluates what the function says its variables are relative to.
func (a *activation) frameBase(w *view) (uint64, error) {
	fn := a.function()
	if fn == nil {
		return 0, location.ErrUnavailable
	}
	base, _ := fn.entry.Val(dwarf.AttrFrameBase).([]byte)
	if base == nil {
		v := &variable{unit: fn.unit, entry: &dwarf.Entry{Offset: fn.entry.Offset}}
		if f := fn.entry.AttrField(dwarf.AttrFrameBase); f != nil {
			g := *f
			g.Attr = dwarf.AttrLocation
			v.entry.Field = []dwarf.Field{g}
		}
		err := fn.unit.d.do(func() (err error) {
			base, _, err = w.locationLocked(v)
			return err
		})
		if err != nil || base == nil {
			return 0, errors.Join(err, location.ErrUnavailable)
		}
	}
	c := w.context(fn.unit)
	c.FrameBase = nil // it cannot be defined by itself
	return location.Value(base, c)
}
