package values

import (
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
)

// traitType returns the type of the target of a pointer to a trait object, found
// by its vtable. It returns false for other pointers, and for vtables without
// debug information.
func traitType(p Object) (*types.Type, bool) {
	if t := p.Type.Strip(); t.Kind != types.KindStruct || !strings.Contains(t.Name(), "dyn ") {
		return nil, false
	}
	table, err := p.number("vtable")
	if err != nil {
		return nil, false
	}
	t := p.View.Image.Program.TraitType(table)
	return t, t != nil
}

// showTraitObject shows the target of a reference to a trait object, or of a
// box of one.
func showTraitObject(r *renderer, o Object, depth, pointers int) (content, bool, error) {
	t, ok := traitType(o)
	if !ok {
		return content{}, false, nil
	}
	at, err := o.number("pointer")
	if err != nil {
		return content{}, false, err
	}
	v := r.value(o.At(t, at), depth+1, pointers+1)
	if strings.HasPrefix(o.Type.Strip().Name(), "&") {
		v.Text = "&" + v.Text
	}
	v.Name = "*" + o.Name
	return content{text: v.Text, children: []Value{v}, cut: v.Cut}, true, nil
}
