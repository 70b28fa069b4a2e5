package symbols

import (
	"context"
	"debug/dwarf"
	"errors"
	"fmt"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/symbols/location"
)

// ErrOptimizedOut means that the compiler kept no such value at this address.
var ErrOptimizedOut = errors.New("optimized out")

// ErrUnavailable means that the value is in a register or place that nobody
// saved.
var ErrUnavailable = location.ErrUnavailable

// A variable is an entry that may have a value.
type variable struct {
	unit  *unit
	entry *dwarf.Entry
	name  string
	arg   bool
	typ   dwarf.Offset
	typed bool
	line  int
}

// variableLocked reads what a variable inherits from the entry it was made from.
func (u *unit) variableLocked(e *dwarf.Entry) *variable {
	v := &variable{unit: u, entry: e, arg: e.Tag == dwarf.TagFormalParameter}
	v.settleLocked()
	return v
}

func (v *variable) settleLocked() {
	d := v.unit.d
	if v.name == "" {
		name, _ := d.attrLocked(v.entry, dwarf.AttrName)
		v.name, _ = name.(string)
	}
	typ, _ := d.attrLocked(v.entry, dwarf.AttrType)
	v.typ, v.typed = d.ref(typ)
	line, _ := d.attrLocked(v.entry, dwarf.AttrDeclLine)
	if n, ok := line.(int64); ok {
		v.line = int(n)
	}
}

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

// Variables returns the arguments and local variables of the frame's function
// that are in scope, arguments first, inner blocks before outer ones. A variable
// that another of the same name hides comes after it.
func (f *Frame) Variables() []Object {
	var out []Object
	scopes := f.scopes()
	for _, arg := range []bool{true, false} {
		for _, s := range slices.Backward(scopes) {
			for _, v := range s.vars {
				if v.arg == arg && v.name != "" && f.visible(v) {
					out = append(out, f.act.view().object(v).escaped())
				}
			}
		}
	}
	return out
}

// escaped turns the pointer to a Go variable that lives on the heap, which the
// compiler calls &name, into the variable.
func (o Object) escaped() Object {
	if o.Type.Lang != Go || len(o.Name) < 2 || o.Name[0] != '&' {
		return o
	}
	v, err := o.Deref()
	if err != nil {
		return o
	}
	v.Name, v.Argument = o.Name[1:], o.Argument
	return v
}

// visible leaves out what is declared below the line that runs. Optimized code
// jumps about, so only languages where the line decides, and plain code, count.
func (f *Frame) visible(v *variable) bool {
	return v.arg || f.Language != Go || v.line <= f.Line || f.Line == 0
}

func (f *Frame) scopes() []*scope {
	if f.act == nil || f.act.site == nil || f.Signal {
		return nil
	}
	return f.act.site.levels[f.level].scopes
}

// Variable returns a variable by its name as the frame's function sees it: a
// local one, else a global of its unit, its image, or any image.
func (f *Frame) Variable(ctx context.Context, name string) (Object, error) {
	for _, o := range f.Variables() {
		if o.Name == name {
			return o, nil
		}
	}
	return f.act.program.global(ctx, name, f.act.mem, f.act.regs, f.act.image)
}

// Global returns a global variable by its name, qualified or not.
func (p *Program) Global(ctx context.Context, name string, mem Memory, regs Registers) (Object, error) {
	return p.global(ctx, name, mem, regs, nil)
}

// global prefers the variables of one image.
func (p *Program) global(ctx context.Context, name string, mem Memory, regs Registers, first *Image) (Object, error) {
	images := p.Images()
	if i := slices.Index(images, first); i > 0 {
		images[0], images[i] = images[i], images[0]
	}
	for _, im := range images {
		d := im.debug()
		if d == nil {
			continue
		}
		if err := d.loadAll(ctx); err != nil {
			return Object{}, err
		}
		var v *variable
		err := d.do(func() error {
			if vs := d.global[name]; len(vs) > 0 {
				v = vs[0]
				v.settleLocked()
			}
			return nil
		})
		if err == nil && v != nil {
			w := &view{image: im, mem: mem, regs: regs}
			return w.object(v), nil
		}
	}
	return Object{}, fmt.Errorf("variable %s: %w", name, ErrNotFound)
}

// Globals returns the global variables of an image whose names the function
// wants, in the order of the debug information; nil wants all.
func (im *Image) Globals(ctx context.Context, mem Memory, regs Registers, want func(name string) bool) ([]Object, error) {
	d := im.debug()
	if d == nil {
		return nil, nil
	}
	if err := d.loadAll(ctx); err != nil {
		return nil, err
	}
	var vs []*variable
	err := d.do(func() error {
		for _, u := range d.units {
			for _, v := range u.globals {
				if want == nil || want(v.name) {
					v.settleLocked()
					vs = append(vs, v)
				}
			}
		}
		return nil
	})
	w := &view{image: im, mem: mem, regs: regs}
	var out []Object
	for _, v := range vs {
		out = append(out, w.object(v))
	}
	return out, err
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
	if a.site == nil || a.site.fn == nil {
		return 0, location.ErrUnavailable
	}
	fn := a.site.fn
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
