package dwarfread

import (
	"cmp"
	"debug/dwarf"
)

// A CallSite is a call as debug information describes it (DWARF 5 section
// 3.4).
type CallSite struct {
	Return     uint64 // address behind the call; 0 where the compiler gives only Call
	Call       uint64 // address of the call itself; 0 where the compiler gives only Return
	TailCall   bool   // the call is a jump, and the function has no frame afterwards
	Target     string // linker's or plain name of the function called, empty when it is computed
	TargetExpr []byte // computes the function's address then
	Params     []CallParam
}

// A CallParam is an argument: the register or place it was passed in, and an
// expression of the caller that computes it.
type CallParam struct{ Location, Value []byte }

// callSite reads a call and its arguments into a scope.
func (b *treeBuilder) callSite(s *Scope, e *dwarf.Entry) error {
	var c CallSite
	if pc, ok := e.Val(dwarf.AttrCallReturnPC).(uint64); ok {
		c.Return = pc
	} else if pc, ok := e.Val(dwarf.AttrLowpc).(uint64); ok && e.Tag == tagGNUCallSite {
		c.Return = pc
	}
	c.Call, _ = e.Val(dwarf.AttrCallPC).(uint64)
	if c.TailCall, _ = e.Val(dwarf.AttrCallTailCall).(bool); !c.TailCall {
		c.TailCall, _ = e.Val(attrGNUTailCall).(bool)
	}
	off, ok := e.Val(dwarf.AttrCallOrigin).(dwarf.Offset)
	if !ok {
		off, ok = e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
	}
	if ok {
		if callee := b.u.Info.EntryLocked(off); callee != nil {
			name, linkage := b.u.Info.NameLocked(callee)
			c.Target = cmp.Or(linkage, name)
		}
	}
	if c.TargetExpr, ok = e.Val(dwarf.AttrCallTarget).([]byte); !ok {
		c.TargetExpr, _ = e.Val(attrGNUCallSiteTarget).([]byte)
	}
	if e.Children {
		if err := b.callParams(&c); err != nil {
			return err
		}
	}
	s.calls = append(s.calls, c)
	return nil
}

func (b *treeBuilder) callParams(c *CallSite) error {
	for {
		e, err := b.r.Next()
		if err != nil || e == nil || e.Tag == 0 {
			return err
		}
		if e.Tag == dwarf.TagCallSiteParameter || e.Tag == tagGNUCallSiteParameter {
			loc, _ := e.Val(dwarf.AttrLocation).([]byte)
			val, ok := e.Val(dwarf.AttrCallValue).([]byte)
			if !ok {
				val, _ = e.Val(attrGNUCallSiteValue).([]byte)
			}
			c.Params = append(c.Params, CallParam{loc, val})
		}
		b.r.SkipChildren()
	}
}

// appendCalls appends the call sites of a scope and of those in it.
func (s *Scope) appendCalls(out []CallSite) []CallSite {
	out = append(out, s.calls...)
	for _, c := range s.children {
		out = c.appendCalls(out)
	}
	return out
}
