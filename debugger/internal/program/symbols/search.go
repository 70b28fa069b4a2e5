package symbols

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfread"
	"github.com/triptych-mcp/triptych/debugger/internal/program/elffile"
)

// A Kind is a kind of names.
type Kind string

// The kinds of names.
const (
	KindFunction Kind = "function"
	KindVariable Kind = "variable"
	KindType     Kind = "type"
)

// A Name is a name that the program has.
type Name struct {
	Kind  Kind
	Name  string // qualified, without parameters
	Addr  uint64 // in the process; 0 of a type, and if it is not known
	Image string // path of the file
}

// Names calls visit for the functions, global variables and types whose names want
// selects: those that debug information has, then those of the linker alone. An image
// with debug information is read whole.
func (p *Program) Names(ctx context.Context, want func(name string) bool, visit func(Name)) error {
	for _, im := range p.Images() {
		if err := im.names(ctx, want, visit); err != nil {
			return err
		}
	}
	return nil
}

// names calls visit for the names of the image.
func (im *Image) names(ctx context.Context, want func(string) bool, visit func(Name)) error {
	seen := map[Name]bool{} // what debug information has
	if d := im.DebugInfo(); d != nil {
		if err := im.debugNames(ctx, d, want, seen, visit); err != nil {
			return err
		}
	}
	im.symbols().Each(func(s elffile.Symbol) {
		n := Name{Kind: KindVariable, Name: elffile.Demangle(s.Name), Addr: s.Addr + im.Bias, Image: im.Path}
		if s.Code {
			n.Kind = KindFunction
		}
		if want(n.Name) && !seen[n] {
			seen[n] = true // .symtab and .dynsym may both have it
			visit(n)
		}
	})
	return nil
}

// debugNames calls visit for the names of the debug information, and adds them to
// seen.
func (im *Image) debugNames(ctx context.Context, d *dwarfread.Info, want func(string) bool, seen map[Name]bool, visit func(Name)) error {
	add := func(kind Kind, name string, addr uint64) {
		if n := (Name{kind, name, addr, im.Path}); want(name) && !seen[n] {
			seen[n] = true
			visit(n)
		}
	}
	err := d.EachFunction(ctx, func(f *dwarfread.Subprogram) { add(KindFunction, f.Name, f.Start()+im.Bias) })
	if err != nil {
		return err
	}
	err = d.EachGlobal(ctx, func(v *dwarfread.Variable) {
		addr, known := v.AddressLocked()
		if known {
			addr += im.Bias
		}
		add(KindVariable, v.Name, addr)
	})
	if err != nil {
		return err
	}
	return d.EachType(ctx, func(name string) { add(KindType, name, 0) })
}
