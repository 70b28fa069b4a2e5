package callstack

import (
	"bytes"

	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfread"
	"github.com/triptych-mcp/triptych/debugger/internal/program/location"
)

// EntryValue returns the value of a register at the entry of the function,
// from the arguments that the caller's debug information has for the call
// (DWARF 5 section 3.4.2). It is unavailable unless the caller is known to
// have called this very function.
func (a *activation) EntryValue(expr []byte) (uint64, error) {
	caller := a.up()
	if caller == nil || caller.function() == nil || a.site == nil || a.signal {
		return 0, location.ErrUnavailable
	}
	call := caller.site.Call
	if call == nil || !a.calledBy(caller, call) {
		return 0, location.ErrUnavailable
	}
	for _, p := range call.Params {
		if bytes.Equal(p.Location, expr) && p.Value != nil {
			return location.Value(p.Value, caller.view().Context(caller.site.Function.Unit))
		}
	}
	return 0, location.ErrUnavailable
}

// callsOf returns the call sites of a function.
func callsOf(f *dwarfread.Subprogram) (calls []dwarfread.CallSite) {
	_ = f.Unit.Info.Do(func() error { // damaged: what was read counts
		calls = f.CallsLocked()
		return nil
	})
	return calls
}

// calledBy reports whether a call goes to this function, by its name or by the
// address that the caller computed.
func (a *activation) calledBy(caller *activation, c *dwarfread.CallSite) bool {
	if c.Target == "" && c.TargetExpr != nil {
		addr, err := location.Value(c.TargetExpr, caller.view().Context(caller.site.Function.Unit))
		return err == nil && addr == a.site.Start
	}
	if fn := a.function(); fn != nil && c.Target != "" {
		return c.Target == fn.LinkageName || c.Target == fn.Name
	}
	return c.Target != "" && c.Target == a.site.Name
}
