package symbols

import (
	"context"
	"slices"
	"strings"
)

// Variable returns a variable by its name as the frame's function sees it: a
// local one, those of inner blocks first, else a member of the object whose
// method the function is, else a global one. Of the globals, those of the
// function's own file, and there those of its own class, namespace or package,
// come before those of the program, and libraries' come last.
func (f *Frame) Variable(ctx context.Context, name string) (Object, error) {
	if o, ok := f.local(name); ok {
		return o, nil
	}
	if o, ok := f.member(name); ok {
		return o, nil
	}
	v, im, err := f.viewpoint().global(ctx, f.act.program, name)
	if err != nil {
		return Object{}, err
	}
	w := &view{image: im, mem: f.act.mem, regs: f.act.regs}
	return w.object(v), nil
}

// local finds an argument or local variable, in inner blocks first.
func (f *Frame) local(name string) (Object, bool) {
	for _, s := range slices.Backward(f.scopes()) {
		for _, v := range s.vars {
			if isCalled(v, name) && f.visible(v) {
				return f.act.view().object(v).unescaped(name), true
			}
		}
	}
	return Object{}, false
}

// isCalled reports whether people know a variable by a name: Go's compiler
// writes & before those that live on the heap.
func isCalled(v *variable, name string) bool {
	return v.name == name || v.unit.lang == Go && strings.TrimPrefix(v.name, "&") == name
}

// member finds a member of the object whose method the frame is in. When the
// object cannot be read the member is there, without a value: nothing else may
// stand in for it.
func (f *Frame) member(name string) (Object, bool) {
	if f.Language != CPlusPlus {
		return Object{}, false
	}
	this, ok := f.local("this")
	if !ok || this.Type.Strip().Kind != KindPointer {
		return Object{}, false
	}
	to, err := this.Deref()
	if err != nil {
		to = Object{Type: this.Type.Strip().Elem(), view: this.view, err: err}
	}
	return to.member(name, maxBases, false)
}

func (f *Frame) viewpoint() viewpoint {
	from := viewpoint{image: f.act.image}
	if fn := f.act.function(); fn != nil {
		from.unit = fn.unit
		from.prefixes = prefixes(f.Function, from.unit.lang)
	}
	return from
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
