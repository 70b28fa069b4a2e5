package symbols

import (
	"debug/dwarf"
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/symbols/location"
)

func (a *activation) view() *view {
	return &view{image: a.image, mem: a.mem, regs: a.regs, frame: a}
}

// pc implements callFrame.
func (a *activation) pc() uint64 { return a.look }

// frameAddress is the CFA.
func (a *activation) frameAddress() (uint64, error) {
	a.up()
	if a.cfa == 0 {
		return 0, location.ErrUnavailable
	}
	return a.cfa, nil
}

// frameBase evaluates what the function says its variables are relative to.
func (a *activation) frameBase(w *view) (uint64, error) {
	fn := a.function()
	if fn == nil {
		return 0, location.ErrUnavailable
	}
	base, _ := fn.entry.Val(dwarf.AttrFrameBase).([]byte)
	if base == nil {
		v := &variable{unit: fn.unit, entry: &dwarf.Entry{Offset: fn.entry.Offset}}
		if f := fn.entry.AttrField(dwarf.AttrFrameBase); f != nil {
			g := *f
			g.Attr = dwarf.AttrLocation
			v.entry.Field = []dwarf.Field{g}
		}
		err := fn.unit.d.do(func() (err error) {
			base, _, err = w.locationLocked(v)
			return err
		})
		if err != nil || base == nil {
			return 0, errors.Join(err, location.ErrUnavailable)
		}
	}
	c := w.context(fn.unit)
	c.FrameBase = nil // it cannot be defined by itself
	return location.Value(base, c)
}
