package callstack

import (
	"context"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfread"
	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
)

// Variable returns the variable that a name refers to in the frame's function:
// a local one, innermost block first, else a member of the object whose method
// the function is, else a global one. Globals of the function's file come
// first, among them those of its own class, namespace or package, then those
// of the program, then those of libraries.
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

// local returns an argument or local variable, innermost block first.
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

// isCalled reports whether a name is that of a variable. Go's compiler writes
// & before the names of variables on the heap.
func isCalled(v *dwarfread.Variable, name string) bool {
	return v.Name == name || v.Unit.Lang == lang.Go && strings.TrimPrefix(v.Name, "&") == name
}

// member returns a member of the object whose method the frame is in. When the
// object cannot be read the member is returned without a value, so that no
// other variable is taken for it.
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
// that are in scope, arguments first, inner blocks before outer ones. Of several
// with one name all but the innermost are marked as hidden.
func (f *Frame) Variables() []values.Object {
	var arguments, locals []values.Object
	seen := map[string]bool{}
	for _, s := range slices.Backward(f.scopes()) {
		for _, v := range s.Variables {
			if v.Name == "" || !f.visible(v) {
				continue
			}
			o := f.act.view().Object(v).Escaped()
			o.Hidden, seen[o.Name] = seen[o.Name], true
			if v.Argument {
				arguments = append(arguments, o)
			} else {
				locals = append(locals, o)
			}
		}
	}
	return append(arguments, locals...)
}

// Hides reports whether an argument, a local variable, or a member of the object
// whose method the function is has the name of a global variable.
func (f *Frame) Hides(global string) bool {
	if _, ok := f.local(global); ok {
		return true
	}
	_, ok := f.member(global)
	return ok
}

// visible reports whether a variable is declared by the line that runs. Only
// Go is judged by lines: optimized code of other languages jumps about.
func (f *Frame) visible(v *dwarfread.Variable) bool {
	return v.Argument || f.Language != lang.Go || v.Line <= f.Line || f.Line == 0
}

func (f *Frame) scopes() []*dwarfread.Scope {
	if f.act == nil || f.act.site == nil || f.Signal {
		return nil
	}
	if f.act.site.Early {
		f.act.site = f.act.image.WholeSite(f.act.lookupPC)
	}
	if f.level >= len(f.act.site.Levels) {
		return nil
	}
	return f.act.site.Levels[f.level].Scopes
}
