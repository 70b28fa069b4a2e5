package dwarfread

import (
	"cmp"
	"debug/dwarf"
	"errors"
	"sort"
)

// Start returns the address of the function's first instruction.
func (f *Subprogram) Start() uint64 {
	if pc, ok := f.Entry.Val(dwarf.AttrEntrypc).(uint64); ok && within(f.ranges, pc) {
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

// functionAtLocked returns the function at an address of the file. If the binary
// search fails, it tries all functions, since a function in several pieces may
// not be found by its start.
func (u *Unit) functionAtLocked(pc uint64) *Subprogram {
	u.load()
	i := sort.Search(len(u.functions), func(i int) bool { return u.functions[i].Start() > pc }) - 1
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

// functionRangesLocked returns the ranges of all functions, for a unit without
// ranges of its own.
func (u *Unit) functionRangesLocked() [][2]uint64 {
	u.load()
	var out [][2]uint64
	for _, f := range u.functions {
		out = append(out, f.ranges...)
	}
	return out
}

// ScopesLocked reads the scopes of a function.
func (f *Subprogram) ScopesLocked() (*Scope, error) {
	if f.tree != nil {
		return f.tree, nil
	}
	b := treeBuilder{u: f.Unit, r: f.Unit.Info.data.Reader()}
	b.r.Seek(f.Entry.Offset)
	e, err := b.r.Next()
	if err != nil || e == nil {
		return nil, errors.Join(err, errors.New("function has no entry"))
	}
	root := &Scope{tag: e.Tag, ranges: f.ranges, Name: f.Name}
	if e.Children {
		err = b.readChildren(root, 0)
	}
	err = cmp.Or(err, b.inherit(root, e))
	f.tree = root
	return root, err
}

// CallsLocked returns the call sites of the function, including those of
// functions inlined into it.
func (f *Subprogram) CallsLocked() []CallSite {
	tree, _ := f.ScopesLocked() // if the function is damaged, the scopes before the damage
	var out []CallSite
	if tree != nil {
		out = tree.appendCalls(out)
	}
	return out
}

// NamedLocked returns the functions of the unit with a linker or source name.
func (u *Unit) NamedLocked(name string) []*Subprogram {
	u.load()
	var out []*Subprogram
	for _, f := range u.functions {
		if f.LinkageName == name || f.Name == name {
			out = append(out, f)
		}
	}
	return out
}

// CallAtLocked returns the call that contains an address, which is the address of
// a jump or of the last byte of a call instruction. It returns nil if there is
// none.
func (f *Subprogram) CallAtLocked(pc uint64) *CallSite {
	tree, _ := f.ScopesLocked() // if the function is damaged, the scopes before the damage
	if tree == nil {
		return nil
	}
	return tree.callAt(pc)
}

// path returns the scopes that contain an address, outermost first.
func (s *Scope) path(pc uint64) []*Scope {
	out := []*Scope{s}
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

func (s *Scope) callAt(pc uint64) *CallSite {
	for i := range s.calls {
		if c := &s.calls[i]; c.Return == pc+1 || c.Return == 0 && c.Call == pc {
			return c
		}
	}
	for _, c := range s.children {
		if found := c.callAt(pc); found != nil {
			return found
		}
	}
	return nil
}

// appendCalls appends the call sites of a scope and of its inner scopes.
func (s *Scope) appendCalls(out []CallSite) []CallSite {
	out = append(out, s.calls...)
	for _, c := range s.children {
		out = c.appendCalls(out)
	}
	return out
}
