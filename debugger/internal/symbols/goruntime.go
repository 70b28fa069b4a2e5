package symbols

import "context"

// goOffsets are places of fields in the runtime's own structures.
type goOffsets struct{ m, curg, sched, sp, bp uint64 }

// goOffsets reads them from the debug information, once.
func (im *Image) goOffsets() (goOffsets, bool) {
	im.goOnce.Do(func() { im.goAt, im.goOK = im.readGoOffsets() })
	return im.goAt, im.goOK
}

func (im *Image) readGoOffsets() (goOffsets, bool) {
	var o goOffsets
	types := im.types()
	if types == nil {
		return o, false
	}
	found := 0
	want := []struct {
		typ, field string
		to         *uint64
	}{
		{"runtime.g", "m", &o.m},
		{"runtime.m", "curg", &o.curg},
		{"runtime.g", "sched", &o.sched},
		{"runtime.gobuf", "sp", &o.sp},
		{"runtime.gobuf", "bp", &o.bp},
	}
	for _, w := range want {
		t := types.typeIn("runtime", w.typ)
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
	return o, found == len(want)
}

// goTypeAt returns the type that a run-time descriptor is of. The debug
// information has the descriptor's address, or its offset in the linker's table
// of them.
func (im *Image) goTypeAt(desc uint64) *Type {
	d := im.debug()
	if d == nil || d.loadAll(context.Background()) != nil {
		return nil
	}
	keys := []uint64{desc - im.Bias}
	for _, s := range im.symbols().named("runtime.types") {
		keys = append(keys, desc-im.Bias-s.addr)
	}
	for _, k := range keys {
		d.mu.Lock()
		off, ok := d.goType[k]
		d.mu.Unlock()
		if ok {
			return im.types().typeAt(off)
		}
	}
	return nil
}
