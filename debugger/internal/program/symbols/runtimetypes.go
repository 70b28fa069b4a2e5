package symbols

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
)

// GoRuntime holds offsets of fields in structures of Go's runtime.
//
// M and Sched are fields of g, Curg and G0 of m, SP and BP of gobuf. High is that of the upper
// bound of g's stack.
type GoRuntime struct{ M, Curg, G0, Sched, SP, BP, High uint64 }

// GoRuntime returns the offsets from debug information; false when it lacks
// any. They are read once.
func (im *Image) GoRuntime() (GoRuntime, bool) {
	im.goOnce.Do(func() { im.goAt, im.goOK = im.readGoOffsets() })
	return im.goAt, im.goOK
}

func (im *Image) readGoOffsets() (GoRuntime, bool) {
	var o GoRuntime
	types := im.Types()
	if types == nil {
		return o, false
	}
	var stack uint64 // of g's stack
	found := 0
	want := []struct {
		typ, field string
		to         *uint64
	}{
		{"runtime.g", "m", &o.M},
		{"runtime.m", "curg", &o.Curg},
		{"runtime.m", "g0", &o.G0},
		{"runtime.g", "stack", &stack},
		{"runtime.stack", "hi", &o.High},
		{"runtime.g", "sched", &o.Sched},
		{"runtime.gobuf", "sp", &o.SP},
		{"runtime.gobuf", "bp", &o.BP},
	}
	for _, w := range want {
		t := types.NamedIn("runtime", w.typ)
		if t == nil {
			return o, false
		}
		for _, f := range t.Fields() {
			if f.Name == w.field {
				*w.to = uint64(f.Offset)
				found++
			}
		}
	}
	o.High += stack
	return o, found == len(want)
}

// GoTypeAt returns the type of a run-time type descriptor. Debug information
// has the descriptor's address or its offset in the linker's table of them.
func (im *Image) GoTypeAt(desc uint64) *types.Type {
	d := im.DebugInfo()
	if d == nil || d.LoadAll(context.Background()) != nil {
		return nil
	}
	keys := []uint64{desc - im.Bias}
	for _, s := range im.symbols().Named("runtime.types") {
		keys = append(keys, desc-im.Bias-s.Addr)
	}
	for _, k := range keys {
		off, ok := d.GoTypeOffset(k)
		if ok {
			return im.Types().At(off)
		}
	}
	return nil
}

// TraitType returns the type that implements a trait, by the address of its
// table of methods (vtable); nil when debug information does not have the
// table.
func (p *Program) TraitType(table uint64) *types.Type {
	im := p.Image(table)
	if im == nil || im.Types() == nil {
		return nil
	}
	return im.Types().OfTable(context.Background(), table-im.Bias)
}
