package values

import (
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols/lang"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols/types"
)

// tableName begins the names of tables of virtual methods.
const tableName = "vtable for "

// dynamic returns an object of a polymorphic class as what it really is: of the
// class whose table of methods it has (Itanium C++ ABI section 2.5). It returns the
// object itself when that is its class already, or is not known.
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
	// Before what the pointer leads to come the distance to the object's beginning
	// and a word about its type.
	top, err := symbols.ReadWord(o.View.Memory, table-16)
	if err != nil {
		return o
	}
	whole := o.At(t, at+top)
	whole.Name = o.Name
	return whole
}

// classOf returns the class of a table of methods, nil when it is not described.
func classOf(w *View, table uint64) *types.Type {
	symbol, _, ok := w.Image.Program.Variable(table)
	name, isTable := strings.CutPrefix(symbol, tableName)
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
