package symbols

import (
	"context"
	"debug/dwarf"
	"errors"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/symbols/location"
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
	if f.act.site.early {
		f.act.site = f.act.image.wholeSite(f.act.look)
	}
	if f.level >= len(f.act.site.levels) {
		return nil
	}
	return f.act.site.levels[f.level].scopes
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
