package symbols

import (
	"context"
	"fmt"
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
			if v.isCalled(name) && f.visible(v) {
				return f.act.view().object(v).unescaped(name), true
			}
		}
	}
	return Object{}, false
}

// isCalled reports whether people know a variable by a name: Go's compiler
// writes & before those that live on the heap.
func (v *variable) isCalled(name string) bool {
	return v.name == name || v.unit.lang == Go && strings.TrimPrefix(v.name, "&") == name
}

// unescaped is escaped for a variable of this name: when the pointer to it
// cannot be followed it has no value, but is no other one either.
func (o Object) unescaped(name string) Object {
	v := o.escaped()
	if v.Name != name && v.Type.Strip().Kind == KindPointer {
		v = Object{Type: v.Type.Strip().Elem(), view: o.view, err: ErrUnavailable, Argument: o.Argument}
	}
	v.Name = name
	return v
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

// Global returns a global variable by its name, qualified or not.
func (p *Program) Global(ctx context.Context, name string, mem Memory, regs Registers) (Object, error) {
	v, im, err := viewpoint{}.global(ctx, p, name)
	if err != nil {
		return Object{}, err
	}
	w := &view{image: im, mem: mem, regs: regs}
	return w.object(v), nil
}

// A viewpoint is the code that globals are seen from; the zero value is none.
type viewpoint struct {
	image    *Image
	unit     *unit
	prefixes []string // that the code leaves out, longest first, without the empty one
}

func (f *Frame) viewpoint() viewpoint {
	from := viewpoint{image: f.act.image}
	if fn := f.act.function(); fn != nil {
		from.unit = fn.unit
		from.prefixes = prefixes(f.Function, from.unit.lang)
	}
	return from
}

// anonymous is how namespaces without a name are written; names are looked up
// through them.
const anonymous = "(anonymous namespace)::"

// prefixes are what a function may leave out of the names around it: for
// app::Doc::add that is app::Doc:: and app::, in Go its package.
func prefixes(function string, lang Lang) []string {
	if lang == Go {
		return []string{packageOf(function)}
	}
	var out []string
	name := strings.ReplaceAll(function, anonymous, "")
	for {
		base := baseName(name)
		if base == name {
			return out
		}
		name = strings.TrimSuffix(name, base)
		out = append(out, name)
		name = strings.TrimSuffix(name, "::")
	}
}

// packageOf is the package of a Go function with the dot behind it.
func packageOf(function string) string {
	path := function
	if i := strings.IndexByte(path, '['); i >= 0 { // type arguments have paths, too
		path = path[:i]
	}
	last := strings.LastIndexByte(path, '/') + 1
	dot := strings.IndexByte(function[last:], '.')
	return function[:last+dot+1]
}

// global finds the variable that a name means, and its image.
func (from viewpoint) global(ctx context.Context, p *Program, name string) (*variable, *Image, error) {
	for _, im := range from.images(p) {
		d := im.debug()
		if d == nil {
			continue
		}
		if err := d.loadAll(ctx); err != nil {
			return nil, nil, err
		}
		var v *variable
		err := d.do(func() error {
			if v = from.nearestLocked(d, name); v != nil {
				v.settleLocked()
			}
			return nil
		})
		if err == nil && v != nil {
			return v, im, nil
		}
	}
	return nil, nil, fmt.Errorf("variable %s: %w", name, ErrNotFound)
}

// images are all images, the code's own first, then the program, which lies
// below its libraries.
func (from viewpoint) images(p *Program) []*Image {
	images := p.Images()
	if i := slices.Index(images, from.image); i > 0 {
		images = slices.Insert(slices.Delete(images, i, i+1), 0, from.image)
	}
	return images
}

// nearestLocked picks the variable of an image that a name means, nil when
// there is none.
func (from viewpoint) nearestLocked(d *debugInfo, name string) *variable {
	var best *variable
	lowest := 0
	for _, v := range from.candidatesLocked(d, name) {
		rank, ok := from.rank(v, name)
		if ok && (best == nil || rank < lowest) {
			best, lowest = v, rank
		}
	}
	return best
}

func (from viewpoint) candidatesLocked(d *debugInfo, name string) []*variable {
	out := d.global[baseName(name)]
	for _, prefix := range from.prefixes {
		out = append(slices.Clip(out), d.global[prefix+name]...)
	}
	return out
}

// rank says how near a variable is, 0 being nearest: what the code may leave
// out of its name counts first, then whether it is in the same file. A name that
// leaves out something else fits when it is not qualified at all.
func (from viewpoint) rank(v *variable, name string) (int, bool) {
	own := v.unit == from.unit
	full := v.name
	if own || from.unit == nil {
		full = strings.ReplaceAll(full, anonymous, "")
		name = strings.ReplaceAll(name, anonymous, "")
	}
	rank := 2 * len(from.prefixes)
	if i := slices.IndexFunc(from.prefixes, func(p string) bool { return full == p+name }); i >= 0 {
		rank = 2 * i
	} else if full != name {
		rank += 2
		if baseName(name) != name {
			return 0, false
		}
	}
	if !own {
		rank++
	}
	return rank, true
}
