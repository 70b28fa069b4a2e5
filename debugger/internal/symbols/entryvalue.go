package symbols

import (
	"bytes"

	"github.com/triptych-mcp/triptych/debugger/internal/symbols/location"
)

// entryValue finds what a register held when the function was entered, from
// what the caller says about the call (DWARF 5 section 3.4.2). The caller must
// be known to have called this very function: a jump to it in between would
// have left another value.
func (a *activation) entryValue(expr []byte) (uint64, error) {
	caller := a.up()
	if caller == nil || caller.function() == nil || a.site == nil || a.signal {
		return 0, location.ErrUnavailable
	}
	call, ok := caller.call()
	if !ok || !a.calledBy(caller, call) {
		return 0, location.ErrUnavailable
	}
	for _, p := range call.params {
		if bytes.Equal(p.location, expr) && p.value != nil {
			return location.Value(p.value, caller.view().context(caller.site.fn.unit))
		}
	}
	return 0, location.ErrUnavailable
}

// call returns the call that the activation is in.
func (a *activation) call() (found callSite, ok bool) {
	ret := a.regs.PC() - a.image.Bias
	fn := a.site.fn
	err := fn.unit.d.do(func() error {
		tree, err := fn.treeLocked()
		if tree == nil {
			return err
		}
		tree.eachCall(func(c callSite) bool {
			if ok = c.ret == ret; ok {
				found = c
			}
			return !ok
		})
		return nil
	})
	return found, ok && err == nil
}

// calledBy reports whether a call goes to this function: by its name, or by the
// address that the caller computed.
func (a *activation) calledBy(caller *activation, c callSite) bool {
	if c.target == "" && c.expr != nil {
		addr, err := location.Value(c.expr, caller.view().context(caller.site.fn.unit))
		return err == nil && addr == a.site.start
	}
	if fn := a.function(); fn != nil && c.target != "" {
		return c.target == fn.linkage || c.target == fn.name
	}
	return c.target != "" && c.target == a.site.name
}
