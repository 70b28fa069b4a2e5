package callstack

import (
	"debug/dwarf"
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfread"
	"github.com/triptych-mcp/triptych/debugger/internal/program/location"
	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
)

func (a *activation) view() *values.View {
	return &values.View{Image: a.image, Memory: a.mem, Registers: a.regs, Frame: a}
}

// PC implements [values.CallFrame].
func (a *activation) PC() uint64 { return a.lookupPC }

// CFA implements [values.CallFrame].
func (a *activation) CFA() (uint64, error) {
	a.up()
	if a.cfa == 0 {
		return 0, location.ErrUnavailable
	}
	return a.cfa, nil
}

// withoutFrameBase is the source for the expression of the frame base itself, which
// cannot refer to it.
type withoutFrameBase struct{ location.Source }

func (withoutFrameBase) FrameBase() (uint64, error) { return 0, location.ErrUnavailable }

// FrameBase evaluates DW_AT_frame_base of the function, which locations of its
// variables are relative to.
func (a *activation) FrameBase(w *values.View) (uint64, error) {
	fn := a.function()
	if fn == nil {
		return 0, location.ErrUnavailable
	}
	base, _ := fn.Entry.Val(dwarf.AttrFrameBase).([]byte)
	if base == nil {
		v := &dwarfread.Variable{Unit: fn.Unit, Entry: &dwarf.Entry{Offset: fn.Entry.Offset}}
		if f := fn.Entry.AttrField(dwarf.AttrFrameBase); f != nil {
			g := *f
			g.Attr = dwarf.AttrLocation
			v.Entry.Field = []dwarf.Field{g}
		}
		err := fn.Unit.Info.Do(func() (err error) {
			base, _, err = w.LocationLocked(v)
			return err
		})
		if err != nil || base == nil {
			return 0, errors.Join(err, location.ErrUnavailable)
		}
	}
	c := w.Context(fn.Unit)
	c.Source = withoutFrameBase{c.Source}
	return location.Value(base, c)
}
