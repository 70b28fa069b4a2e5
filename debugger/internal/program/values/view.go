package values

import (
	"debug/dwarf"

	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfread"
	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfregs"
	"github.com/triptych-mcp/triptych/debugger/internal/program/location"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
)

// A View is the context for reading variables: a frame for its local variables,
// or an image for its globals.
type View struct {
	Image     *symbols.Image
	Memory    symbols.Memory
	Registers dwarfregs.Registers
	Frame     CallFrame // nil for globals
}

// A CallFrame is the function call whose local variables are read.
type CallFrame interface {
	// PC returns the address that selects entries of location lists.
	PC() uint64
	// CFA returns the canonical frame address.
	CFA() (uint64, error)
	// FrameBase returns the address that the locations of the function's
	// variables are relative to.
	FrameBase(w *View) (uint64, error)
	// EntryValue returns the value of a register at the entry of the function.
	EntryValue(expr []byte) (uint64, error)
}

// Object locates a variable.
func (w *View) Object(v *dwarfread.Variable) Object {
	o := Object{Name: v.Name, Type: types.Void, Argument: v.Argument, View: w}
	if v.HasType {
		o.Type = w.Image.Types().At(v.Type)
	}
	o.pieces, o.err = w.locate(v)
	return o
}

// locate evaluates a variable's location.
func (w *View) locate(v *dwarfread.Variable) ([]location.Piece, error) {
	d := v.Unit.Info
	var expr []byte
	var constant []byte
	err := d.Do(func() (err error) {
		expr, constant, err = w.LocationLocked(v)
		return err
	})
	if err != nil {
		return nil, err
	}
	if constant != nil {
		return []location.Piece{{Kind: location.IsBytes, Data: constant}}, nil
	}
	if len(expr) == 0 {
		return nil, ErrOptimizedOut
	}
	return location.Evaluate(expr, w.Context(v.Unit))
}

// LocationLocked returns the location expression that is valid at the frame's
// address, or the value of a constant variable. The caller must hold the lock of
// the variable's debug information.
func (w *View) LocationLocked(v *dwarfread.Variable) (expr, constant []byte, err error) {
	d := v.Unit.Info
	if c, _ := d.AttrLocked(v.Entry, dwarf.AttrConstValue); c != nil {
		return nil, constantBytes(c), nil
	}
	f, _ := d.AttrLocked(v.Entry, dwarf.AttrLocation)
	if loc, ok := f.([]byte); ok || f == nil {
		return loc, nil, nil
	}
	if w.Frame == nil {
		return nil, nil, nil
	}
	expr, err = v.Unit.FindLocation(f, w.Frame.PC()-w.Image.Bias)
	return expr, nil, err
}

// constantBytes returns a constant as it would be stored in memory.
func constantBytes(c any) []byte {
	switch v := c.(type) {
	case int64:
		b := make([]byte, 16) // sign-extended for __int128
		for i := range b {
			b[i] = byte(v >> (8 * min(i, 7)))
			if i > 7 {
				b[i] = byte(v >> 63)
			}
		}
		return b
	case string:
		return append([]byte(v), 0)
	case []byte:
		return v
	}
	return []byte{}
}

// Context returns the context for evaluating expressions of a unit.
func (w *View) Context(u *dwarfread.Unit) *location.Context {
	s := &unitSource{View: w, unit: u}
	s.context = location.Context{Memory: w.Memory, Bias: w.Image.Bias, Source: s}
	return &s.context
}

// A unitSource provides the values that expressions of a unit refer to. It embeds
// their context, so that both need one allocation.
type unitSource struct {
	*View
	unit    *dwarfread.Unit
	context location.Context
}

func (s *unitSource) Register(n uint64) (uint64, bool) { return s.Registers.Get(n) }

func (s *unitSource) FrameBase() (uint64, error) {
	if s.Frame == nil {
		return 0, location.ErrUnavailable
	}
	return s.Frame.FrameBase(s.View)
}

func (s *unitSource) CFA() (uint64, error) {
	if s.Frame == nil {
		return 0, location.ErrUnavailable
	}
	return s.Frame.CFA()
}

func (s *unitSource) EntryValue(expr []byte) (uint64, error) {
	if s.Frame == nil {
		return 0, location.ErrUnavailable
	}
	return s.Frame.EntryValue(expr)
}

func (s *unitSource) ThreadLocal(offset uint64) (uint64, error) {
	return s.Image.ThreadLocal(offset, &s.Registers, s.Memory)
}

func (s *unitSource) Address(index uint64) (uint64, error) { return s.unit.Address(index) }

func (s *unitSource) Procedure(die uint64, relative bool) ([]byte, error) {
	return s.unit.Procedure(die, relative)
}

func (s *unitSource) Type(die uint64) (location.Type, error) { return s.expressionType(s.unit, die) }

// expressionType returns a base type that an expression of a unit refers to.
func (w *View) expressionType(u *dwarfread.Unit, die uint64) (location.Type, error) {
	t := w.Image.Types().At(u.Offset + dwarf.Offset(die)).Strip()
	out := location.Type{Class: location.Unsigned, Size: int(t.Size)}
	switch {
	case t.Kind == types.KindFloat:
		out.Class = location.Float
	case t.Signed():
		out.Class = location.Signed
	}
	return out, nil
}
