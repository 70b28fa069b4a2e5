package dwarfread

import (
	"cmp"
	"debug/dwarf"
	"errors"
)

// A treeBuilder reads nested entries into scopes.
type treeBuilder struct {
	u *Unit
	r *dwarf.Reader
}

func (b *treeBuilder) readChildren(s *Scope, depth int) error {
	if depth > maxNesting {
		return errors.New("scopes are nested too deeply")
	}
	for {
		e, err := b.r.Next()
		if err != nil || e == nil || e.Tag == 0 {
			return err
		}
		if err := b.child(s, e, depth); err != nil {
			return err
		}
	}
}

func (b *treeBuilder) child(s *Scope, e *dwarf.Entry, depth int) error {
	if err := b.u.Info.takeEntry(e, 0); err != nil {
		return err
	}
	switch e.Tag {
	case dwarf.TagVariable, dwarf.TagFormalParameter:
		s.Variables = append(s.Variables, b.u.variableLocked(e))
	case dwarf.TagLexDwarfBlock, dwarf.TagInlinedSubroutine:
		c := b.scope(e)
		s.children = append(s.children, c)
		if e.Children {
			return b.readChildren(c, depth+1)
		}
		return nil
	case dwarf.TagCallSite, tagGNUCallSite:
		return b.callSite(s, e)
	}
	b.r.SkipChildren()
	return nil
}

// scope reads a block or an inlined function.
func (b *treeBuilder) scope(e *dwarf.Entry) *Scope {
	c := &Scope{tag: e.Tag}
	c.ranges, _ = b.u.rangesLocked(e)
	if e.Tag != dwarf.TagInlinedSubroutine {
		return c
	}
	c.Name, _ = b.u.Info.NameLocked(e)
	c.origin, _ = e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
	line, _ := e.Val(dwarf.AttrCallLine).(int64)
	file, _ := e.Val(dwarf.AttrCallFile).(int64)
	c.callLine, c.callFile = int(line), b.u.LinesLocked().file(int(file))
	return c
}

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
