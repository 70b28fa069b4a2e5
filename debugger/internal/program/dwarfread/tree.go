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
		if declared, _ := b.u.Info.AttrLocked(e, dwarf.AttrDeclaration); declared == nil { // else it is a global one
			s.Variables = append(s.Variables, b.u.variableLocked(e))
		}
	case dwarf.TagLexDwarfBlock, dwarf.TagInlinedSubroutine:
		c := b.scope(e)
		s.children = append(s.children, c)
		var err error
		if e.Children {
			err = b.readChildren(c, depth+1)
		}
		return cmp.Or(err, b.inherit(c, e))
	case dwarf.TagCallSite, tagGNUCallSite:
		return b.callSite(s, e)
	}
	b.r.SkipChildren()
	return nil
}

// inherit adds the variables that only the abstract form of a function or block has: those
// that clang has removed, and static ones.
func (b *treeBuilder) inherit(s *Scope, e *dwarf.Entry) error {
	origin, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
	u := b.u.Info.UnitAtLocked(origin)
	if !ok || u == nil {
		return nil
	}
	known := map[dwarf.Offset]bool{}
	for _, v := range s.Variables {
		of, _ := v.Entry.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
		known[of] = true
	}
	r := b.u.Info.data.Reader()
	r.Seek(origin)
	if abstract, err := r.Next(); err != nil || abstract == nil || !abstract.Children {
		return err
	}
	for {
		e, err := r.Next()
		if err != nil || e == nil || e.Tag == 0 {
			return err
		}
		r.SkipChildren()
		variable := e.Tag == dwarf.TagVariable || e.Tag == dwarf.TagFormalParameter
		if !variable || known[e.Offset] || e.Val(dwarf.AttrDeclaration) != nil {
			continue
		}
		if err := b.u.Info.takeEntry(e, 0); err != nil {
			return err
		}
		s.Variables = append(s.Variables, u.variableLocked(e))
	}
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
