package values

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols/dwarfregs"
)

// Global returns a global variable by its name, qualified or not.
func Global(ctx context.Context, p *symbols.Program, name string, mem symbols.Memory, regs dwarfregs.Registers) (Object, error) {
	v, im, err := symbols.Viewpoint{}.Global(ctx, p, name)
	if err != nil {
		return Object{}, err
	}
	w := &View{Image: im, Memory: mem, Registers: regs}
	return w.Object(v), nil
}

// Globals returns the global variables of an image for whose names want
// returns true, in the order of the debug information; a nil want takes all.
func Globals(ctx context.Context, im *symbols.Image, mem symbols.Memory, regs dwarfregs.Registers, want func(name string) bool) ([]Object, error) {
	vs, err := im.Globals(ctx, want)
	w := &View{Image: im, Memory: mem, Registers: regs}
	var out []Object
	for _, v := range vs {
		out = append(out, w.Object(v))
	}
	return out, err
}
