package symbols

import (
	"cmp"
	"debug/dwarf"
	"errors"
	"sort"
)

// A function is one that has code.
type function struct {
	unit    *unit
	entry   *dwarf.Entry
	name    string // qualified
	linkage string
	ranges  [][2]uint64 // in the file's addresses
	tree    *scope      // nil until it is needed
}

func compareUint(a, b uint64) int { return cmp.Compare(a, b) }

// start is the function's first instruction.
func (f *function) start() uint64 {
	if pc, ok := f.entry.Val(dwarf.AttrEntrypc).(uint64); ok && within(f.ranges, pc) {
		return pc
	}
	return f.ranges[0][0]
}

func within(ranges [][2]uint64, pc uint64) bool {
	for _, r := range ranges {
		if pc >= r[0] && pc < r[1] {
			return true
		}
	}
	return false
}

// functionAtLocked finds the function at an address of the file. A function in
// several pieces is not always where its start says, so what the search does not
// find is looked for one by one.
func (u *unit) functionAtLocked(pc uint64) *function {
	u.load()
	i := sort.Search(len(u.functions), func(i int) bool { return u.functions[i].start() > pc }) - 1
	if i >= 0 && within(u.functions[i].ranges, pc) {
		return u.functions[i]
	}
	for _, f := range u.functions {
		if within(f.ranges, pc) {
			return f
		}
	}
	return nil
}

// functionRangesLocked stands in for the ranges that a unit does not give.
func (u *unit) functionRangesLocked() [][2]uint64 {
	u.load()
	var out [][2]uint64
	for _, f := range u.functions {
		out = append(out, f.ranges...)
	}
	return out
}

// A scope is a function, a function inlined into it, or a block.
type scope struct {
	tag      dwarf.Tag
	ranges   [][2]uint64
	children []*scope
	vars     []*variable
	calls    []callSite

	// For what was inlined:
	name     string
	origin   dwarf.Offset
	callFile string
	callLine int
}

// A callSite says what the arguments of a call were, as far as the caller's
// state can tell.
type callSite struct {
	ret    uint64 // address behind the call
	target string // linker's or plain name of the function called, empty when it is computed
	expr   []byte // computes the function's address then
	params []callParam
}

type callParam struct{ location, value []byte }

// treeLocked reads the scopes of a function.
func (f *function) treeLocked() (*scope, error) {
	if f.tree != nil {
		return f.tree, nil
	}
	b := treeBuilder{u: f.unit, r: f.unit.d.data.Reader()}
	b.r.Seek(f.entry.Offset)
	e, err := b.r.Next()
	if err != nil || e == nil {
		return nil, errors.Join(err, errors.New("function has no entry"))
	}
	root := &scope{tag: e.Tag, ranges: f.ranges, name: f.name}
	if e.Children {
		err = b.children(root, 0)
	}
	f.tree = root
	return root, err
}

// A treeBuilder reads nested entries into scopes.
type treeBuilder struct {
	u *unit
	r *dwarf.Reader
}

func (b *treeBuilder) children(s *scope, depth int) error {
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

func (b *treeBuilder) child(s *scope, e *dwarf.Entry, depth int) error {
	switch e.Tag {
	case dwarf.TagVariable, dwarf.TagFormalParameter:
		s.vars = append(s.vars, b.u.variableLocked(e))
	case dwarf.TagLexDwarfBlock, dwarf.TagInlinedSubroutine:
		c := b.scope(e)
		s.children = append(s.children, c)
		if e.Children {
			return b.children(c, depth+1)
		}
		return nil
	case dwarf.TagCallSite, tagGNUCallSite:
		return b.callSite(s, e)
	}
	b.r.SkipChildren()
	return nil
}

// scope reads a block or an inlined function. A block without addresses holds
// wherever its parent does.
func (b *treeBuilder) scope(e *dwarf.Entry) *scope {
	c := &scope{tag: e.Tag}
	c.ranges, _ = b.u.d.data.Ranges(e)
	if e.Tag != dwarf.TagInlinedSubroutine {
		return c
	}
	c.name, _ = b.u.d.nameLocked(e)
	c.origin, _ = e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
	line, _ := e.Val(dwarf.AttrCallLine).(int64)
	file, _ := e.Val(dwarf.AttrCallFile).(int64)
	c.callLine, c.callFile = int(line), b.u.linesLocked().file(int(file))
	return c
}

func (b *treeBuilder) callSite(s *scope, e *dwarf.Entry) error {
	var c callSite
	if pc, ok := e.Val(dwarf.AttrCallReturnPC).(uint64); ok {
		c.ret = pc
	} else if pc, ok := e.Val(dwarf.AttrLowpc).(uint64); ok && e.Tag == tagGNUCallSite {
		c.ret = pc
	}
	off, ok := e.Val(dwarf.AttrCallOrigin).(dwarf.Offset)
	if !ok {
		off, ok = e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
	}
	if ok {
		if callee := b.u.d.entryLocked(off); callee != nil {
			name, linkage := b.u.d.nameLocked(callee)
			c.target = cmp.Or(linkage, name)
		}
	}
	if c.expr, ok = e.Val(dwarf.AttrCallTarget).([]byte); !ok {
		c.expr, _ = e.Val(attrGNUCallSiteTarget).([]byte)
	}
	if e.Children {
		if err := b.callParams(&c); err != nil {
			return err
		}
	}
	s.calls = append(s.calls, c)
	return nil
}

func (b *treeBuilder) callParams(c *callSite) error {
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
			c.params = append(c.params, callParam{loc, val})
		}
		b.r.SkipChildren()
	}
}

// path returns the scopes around an address, outermost first.
func (s *scope) path(pc uint64) []*scope {
	out := []*scope{s}
	for next := s; next != nil; {
		s, next = next, nil
		for _, c := range s.children {
			if within(c.ranges, pc) {
				out, next = append(out, c), c
				break
			}
		}
	}
	return out
}

// eachCall goes through the call sites of a scope and of those in it.
func (s *scope) eachCall(f func(callSite) bool) bool {
	for _, c := range s.calls {
		if !f(c) {
			return false
		}
	}
	for _, c := range s.children {
		if !c.eachCall(f) {
			return false
		}
	}
	return true
}

// Entries and attributes that debug/dwarf has no name for.
const (
	tagGNUCallSite          dwarf.Tag = 0x4109
	tagGNUCallSiteParameter dwarf.Tag = 0x410a

	attrGNUCallSiteValue  dwarf.Attr = 0x2111
	attrGNUCallSiteTarget dwarf.Attr = 0x2113
	attrGoKind            dwarf.Attr = 0x2900
	attrGoKey             dwarf.Attr = 0x2901
	attrGoElem            dwarf.Attr = 0x2902
	attrGoRuntimeType     dwarf.Attr = 0x2904
)
