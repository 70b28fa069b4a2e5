package values

import (
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
)

// PartAt returns the member or element of an object that an address is in, and what its name adds
// to that of the object.
func (o Object) PartAt(addr uint64) (part Object, name string, ok bool) {
	start, ok := o.Address()
	if !ok {
		return o, "", false
	}
	t := o.Type.Strip()
	switch t.Kind {
	case types.KindArray:
		each := t.Elem()
		if each == nil || each.ByteSize() <= 0 {
			return o, "", false
		}
		n := int64(addr-start) / each.ByteSize()
		element, err := o.Index(n)
		return element, fmt.Sprintf("[%d]", n), err == nil
	case types.KindStruct, types.KindClass, types.KindUnion:
		for _, f := range t.Fields() {
			at := start + uint64(f.Offset)
			if !f.Static && !f.Virtual && f.BitSize == 0 && addr >= at && addr < at+uint64(f.Type().ByteSize()) {
				return o.Field(&f), "." + f.Name, true
			}
		}
	}
	return o, "", false
}
