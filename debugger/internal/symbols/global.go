package symbols

import "context"

// Global returns a global variable by its name, qualified or not.
func Global(ctx context.Context, p *Program, name string, mem Memory, regs Registers) (Object, error) {
	v, im, err := viewpoint{}.global(ctx, p, name)
	if err != nil {
		return Object{}, err
	}
	w := &view{image: im, mem: mem, regs: regs}
	return w.object(v), nil
}

// Globals returns the global variables of an image whose names the function
// wants, in the order of the debug information; nil wants all.
func Globals(ctx context.Context, im *Image, mem Memory, regs Registers, want func(name string) bool) ([]Object, error) {
	vs, err := im.globals(ctx, want)
	w := &view{image: im, mem: mem, regs: regs}
	var out []Object
	for _, v := range vs {
		out = append(out, w.object(v))
	}
	return out, err
}
