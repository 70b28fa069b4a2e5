package values

import (
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
)

// vtableSymbol begins the symbols of tables of virtual methods (vtables).
const vtableSymbol = "vtable for "

// Dynamic returns the complete object of which the object is a part, if it is of a
// polymorphic class of C++, and otherwise the object itself.
func (o Object) Dynamic() Object { return dynamic(o) }

// dynamic returns the complete object that an object of a polymorphic class is
// part of, found by its vtable (Itanium C++ ABI section 2.5). It returns the
// object itself when that is complete, or the class is not known.
func dynamic(o Object) Object {
	if t := o.Type.Strip(); t.Kind != types.KindClass && t.Kind != types.KindStruct || o.Type.Lang != lang.CPlusPlus {
		return o
	}
	pointer, ok := o.find(MaxBases, func(f types.Field) bool { return strings.HasPrefix(f.Name, "_vptr") })
	at, inMemory := pointer.Address()
	if !ok || !inMemory {
		return o
	}
	table, err := pointer.Uint()
	if err != nil {
		return o
	}
	t := classOf(o.View, table)
	if t == nil || t == o.Type.Strip() {
		return o
	}
	// The words before a vtable's address point are the offset to the top of
	// the object and its type information.
	top, err := symbols.ReadWord(o.View.Memory, table-16)
	if err != nil {
		return o
	}
	whole := o.At(t, at+top)
	whole.Name = o.Name
	return whole
}

// classOf returns the class of a vtable, or nil if the debug information does not
// describe it.
func classOf(w *View, table uint64) *types.Type {
	symbol, _, ok := w.Image.Program.Variable(table)
	name, isTable := strings.CutPrefix(symbol, vtableSymbol)
	if !ok || !isTable {
		return nil
	}
	for _, im := range []*symbols.Image{w.Image, w.Image.Program.Image(table)} {
		if set := im.Types(); set != nil {
			if t := set.Named(name); t != nil {
				return t
			}
		}
	}
	return nil
}
