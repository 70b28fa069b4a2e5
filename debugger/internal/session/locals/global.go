package locals

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfregs"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
)

// GlobalAt returns the part of a global variable that begins at an address and has the bits
// of a mask, as far as the variable is known and small enough to be listed.
func GlobalAt(ctx context.Context, p *symbols.Program, mem symbols.Memory, addr uint64, mask []byte) (Leaf, bool) {
	name, offset, ok := p.Variable(addr)
	if !ok {
		return Leaf{}, false
	}
	o, err := values.Global(ctx, p, name, mem, dwarfregs.Registers{})
	start, inMemory := o.Address()
	if err != nil || !inMemory || start != addr-offset {
		return Leaf{}, false
	}
	l := &List{byName: map[string]int{}}
	l.add(name, name+".", o.Value(Limits))
	return l.At(addr, mask)
}
