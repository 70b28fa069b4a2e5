package callstack

import (
	"context"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols/dwarfread"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols/lang"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols/types"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols/values"
)

// Variable returns a variable by its name as the frame's function sees it: a
// local one, those of inner blocks first, else a member of the object whose
// method the function is, else a global one. Of the globals, those of the
// function's own file, and there those of its own class, namespace or package,
// come before those of the program, and libraries' come last.
func (f *Frame) Variable(ctx context.Context, name string) (values.Object, error) {
	if o, ok := f.local(name); ok {
		return o, nil
	}
	if o, ok := f.member(name); ok {
		return o, nil
	}
	v, im, err := f.viewpoint().Global(ctx, f.act.program, name)
	if err != nil {
		return values.Object{}, err
	}
	w := &values.View{Image: im, Memory: f.act.mem, Registers: f.act.regs}
	return w.Object(v), nil
}

// local finds an argument or local variable, in inner blocks first.
func (f *Frame) local(name string) (values.Object, bool) {
	for _, s := range slices.Backward(f.scopes()) {
		for _, v := range s.Variables {
			if isCalled(v, name) && f.visible(v) {
				return f.act.view().Object(v).Unescaped(name), true
			}
		}
	}
	return values.Object{}, false
}

// isCalled reports whether people know a variable by a name: Go's compiler
// writes & before those that live on the heap.
func isCalled(v *dwarfread.Variable, name string) bool {
	return v.Name == name || v.Unit.Lang == lang.Go && strings.TrimPrefix(v.Name, "&") == name
}

// member finds a member of the object whose method the frame is in. When the
// object cannot be read the member is there, without a value: nothing else may
// stand in for it.
func (f *Frame) member(name string) (values.Object, bool) {
	if f.Language != lang.CPlusPlus {
		return values.Object{}, false
	}
	this, ok := f.local("this")
	if !ok || this.Type.Strip().Kind != types.KindPointer {
		return values.Object{}, false
	}
	to, err := this.Deref()
	if err != nil {
		to = this.Unreadable(this.Type.Strip().Elem(), err)
	}
	return to.FindMember(name, values.MaxBases, false)
}

func (f *Frame) viewpoint() symbols.Viewpoint {
	if fn := f.act.function(); fn != nil {
		return symbols.NewViewpoint(f.act.image, fn.Unit, f.Function)
	}
	return symbols.NewViewpoint(f.act.image, nil, "")
}

// Variables returns the arguments and local variables of the frame's function
// that are in scope, arguments first, inner blocks before outer ones. A variable
// that another of the same name hides comes after it.
func (f *Frame) Variables() []values.Object {
	var out []values.Object
	scopes := f.scopes()
	for _, arg := range []bool{true, false} {
		for _, s := range slices.Backward(scopes) {
			for _, v := range s.Variables {
				if v.Argument == arg && v.Name != "" && f.visible(v) {
					out = append(out, f.act.view().Object(v).Escaped())
				}
			}
		}
	}
	return out
}

// visible leaves out what is declared below the line that runs. Optimized code
// jumps about, so only languages where the line decides, and plain code, count.
func (f *Frame) visible(v *dwarfread.Variable) bool {
	return v.Argument || f.Language != lang.Go || v.Line <= f.Line || f.Line == 0
}

func (f *Frame) scopes() []*dwarfread.Scope {
	if f.act == nil || f.act.site == nil || f.Signal {
		return nil
	}
	if f.act.site.Early {
		f.act.site = f.act.image.WholeSite(f.act.look)
	}
	if f.level >= len(f.act.site.Levels) {
		return nil
	}
	return f.act.site.Levels[f.level].Scopes
}
