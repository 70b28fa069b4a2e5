package automata

import (
	"maps"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/document/schema/component"
)

// An Ambiguity is a pair of particles between which a child could not be attributed
// (part 1, section 3.8.6, Unique Particle Attribution).
type Ambiguity struct{ First, Second string }

// Ambiguous returns the first pair of different particles of the model that may compete
// for a child, or nil. It compares sets of leaves, and merges the smaller into the larger
// one, so that models of many particles take no quadratic time.
func (m *Model) Ambiguous() *Ambiguity {
	if m.root == nil {
		return nil
	}
	u := &uniqueness{}
	u.visit(m.root)
	return u.found
}

// A uniqueness looks for ambiguities.
type uniqueness struct{ found *Ambiguity }

// A leafSet holds leaves by what they match.
type leafSet struct {
	names  map[Name]*node // elements by their names
	under  map[Name]*node // elements by the names of the heads above them
	spaces map[string]*node
	wild   []*node
}

func newLeafSet() *leafSet {
	return &leafSet{names: map[Name]*node{}, under: map[Name]*node{}, spaces: map[string]*node{}}
}

func (s *leafSet) size() int { return len(s.names) + len(s.wild) }

// add adds a leaf.
func (s *leafSet) add(n *node) {
	if n.kind == wildcardLeaf {
		s.wild = append(s.wild, n)
		return
	}
	s.names[n.decl.Name] = n
	s.spaces[n.decl.Name.Space] = n
	if n.decl.Global {
		for head := n.decl.Head; head != nil; head = head.Head {
			s.under[head.Name] = n
		}
	}
}

// rival returns a leaf of s other than n that matches a name that n matches, or nil.
func (s *leafSet) rival(n *node) *node {
	if n.kind == wildcardLeaf {
		return s.rivalOfWildcard(n)
	}
	if r := s.names[n.decl.Name]; r != nil && r != n {
		return r
	}
	if n.decl.Global {
		if r := s.rivalInGroup(n); r != nil {
			return r
		}
	}
	for _, w := range s.wild {
		if w.wildcard.Admits(n.decl.Name.Space) {
			return w
		}
	}
	return nil
}

// rivalInGroup returns a leaf of a substitution group that n is the head or a member of.
func (s *leafSet) rivalInGroup(n *node) *node {
	for head := n.decl.Head; head != nil; head = head.Head {
		if r := s.names[head.Name]; r != nil && r != n && r.decl == head && component.Substitutable(n.decl, head) {
			return r
		}
	}
	if r := s.under[n.decl.Name]; r != nil && r != n && component.Substitutable(r.decl, n.decl) {
		return r
	}
	return nil
}

func (s *leafSet) rivalOfWildcard(n *node) *node {
	for _, w := range s.wild {
		if w != n && w.wildcard.Overlaps(n.wildcard) {
			return w
		}
	}
	for space, r := range s.spaces {
		if n.wildcard.Admits(space) {
			return r
		}
	}
	return nil
}

// each calls visit for all leaves until it returns false.
func (s *leafSet) each(visit func(*node) bool) {
	for _, n := range s.names {
		if !visit(n) {
			return
		}
	}
	for _, n := range s.wild {
		if !visit(n) {
			return
		}
	}
}

// merge returns the union of two sets, one of which it changes.
func merge(a, b *leafSet) *leafSet {
	if a.size() < b.size() {
		a, b = b, a
	}
	maps.Copy(a.names, b.names)
	maps.Copy(a.under, b.under)
	maps.Copy(a.spaces, b.spaces)
	for _, w := range b.wild {
		if !slices.Contains(a.wild, w) {
			a.wild = append(a.wild, w)
		}
	}
	return a
}

// compare records a pair of different leaves of two sets that compete.
func (u *uniqueness) compare(a, b *leafSet) {
	if u.found != nil || a.size() == 0 || b.size() == 0 {
		return
	}
	if a.size() < b.size() {
		a, b = b, a
	}
	b.each(func(n *node) bool {
		if r := a.rival(n); r != nil {
			u.found = &Ambiguity{r.label(), n.label()}
		}
		return u.found == nil
	})
}

func (n *node) label() string {
	if n.kind == wildcardLeaf {
		return n.wildcard.Text
	}
	return n.decl.Name.String()
}

// visit returns the leaves that n may begin with, and those that may follow within n
// where n may end. The sets belong to the caller.
func (u *uniqueness) visit(n *node) (first, rest *leafSet) {
	switch n.kind {
	case elementLeaf, wildcardLeaf:
		first, rest = newLeafSet(), newLeafSet()
		first.add(n)
	case sequence:
		first, rest = u.sequence(n)
	default:
		first, rest = u.alternatives(n)
	}
	if n.max > 1 || n.max == component.Unbounded {
		u.compare(rest, first)
		if n.min != n.max || n.hollow {
			rest = merge(rest, first.clone())
		}
	}
	return first, rest
}

func (s *leafSet) clone() *leafSet {
	return &leafSet{maps.Clone(s.names), maps.Clone(s.under), maps.Clone(s.spaces), slices.Clone(s.wild)}
}

// alternatives visits the members of a choice or of an all group. In an all group, all
// the others may follow each.
func (u *uniqueness) alternatives(n *node) (first, rest *leafSet) {
	first, rest = newLeafSet(), newLeafSet()
	for _, child := range n.children {
		f, r := u.visit(child)
		u.compare(first, f)
		first, rest = merge(first, f), merge(rest, r)
	}
	return first, rest
}

func (u *uniqueness) sequence(n *node) (first, rest *leafSet) {
	first, rest = newLeafSet(), newLeafSet()
	open := true // all children up to here may be left out
	for _, child := range n.children {
		f, r := u.visit(child)
		u.compare(rest, f)
		switch {
		case child.nullable && open:
			first = merge(first, f.clone())
			rest = merge(merge(rest, f), r)
		case child.nullable:
			rest = merge(merge(rest, f), r)
		case open:
			first, rest = merge(first, f), r
		default:
			rest = r
		}
		open = open && child.nullable
	}
	return first, rest
}

// Inconsistent returns the name of elements of the model that have different types (part
// 1, section 3.8.6, Element Declarations Consistent), and whether there are any.
func (m *Model) Inconsistent(s *component.Schema) (Name, bool) {
	c := consistency{schema: s, local: map[Name]component.Type{}, global: map[*component.Element]bool{}}
	if m.root != nil {
		c.collect(m.root)
	}
	for _, name := range c.names {
		if c.bad[name] || c.conflicts(name) {
			return name, true
		}
	}
	return Name{}, false
}

// A consistency compares the types of elements of one name. There is only one global
// element of a name, so that one of them is always local.
type consistency struct {
	schema *component.Schema
	local  map[Name]component.Type
	names  []Name        // of local, as they come
	bad    map[Name]bool // those of several types
	global map[*component.Element]bool
}

func (c *consistency) collect(n *node) {
	switch {
	case n.kind != elementLeaf:
	case n.decl.Global:
		c.global[n.decl] = true
	default:
		other, ok := c.local[n.decl.Name]
		if !ok {
			c.local[n.decl.Name] = n.decl.Type
			c.names = append(c.names, n.decl.Name)
		} else if other != n.decl.Type {
			if c.bad == nil {
				c.bad = map[Name]bool{}
			}
			c.bad[n.decl.Name] = true
		}
	}
	for _, child := range n.children {
		c.collect(child)
	}
}

// conflicts reports whether the global element with the name of a local one is in the
// model, or stands for one that is, and has another type.
func (c *consistency) conflicts(name Name) bool {
	e := c.schema.Element(name)
	if e == nil || e.Type == c.local[name] {
		return false
	}
	if c.global[e] {
		return true
	}
	if e.Abstract {
		return false
	}
	for head := e.Head; head != nil; head = head.Head {
		if c.global[head] && component.Substitutable(e, head) {
			return true
		}
	}
	return false
}
