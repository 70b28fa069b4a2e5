// Package automata follows the children of an element through its content model.
//
// A model is the tree of its particles. A state is the leaf that the last child
// belongs to, with the counts of the particles around it that need counting; so
// nothing is unrolled, and transitions are found when they are first needed. Where
// counters leave open to which repetition a child belongs, several states are followed.
package automata

import (
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/document/schema/component"
)

// A Name is an expanded name.
type Name = component.Name

const (
	// MaxParticles limits the particles of a content model with its groups written out.
	MaxParticles = 300_000
	// countless is a number of occurrences that is not counted: no document that can be
	// read has as many children.
	countless = 100_000_000
	// maxDepth limits the nesting of groups.
	maxDepth = 2_000
)

// A kind is a kind of node.
type kind uint8

const (
	elementLeaf kind = iota
	wildcardLeaf
	sequence
	choice
	all
)

// A node is a particle of a content model.
type node struct {
	kind     kind
	min, max int
	children []*node
	parent   *node
	index    int // in parent.children
	decl     *component.Element
	wildcard *component.Wildcard
	nullable bool // it may match nothing
	hollow   bool // one occurrence of it may match nothing
	counters int  // number of nodes from the root to this one, inclusive, whose occurrences are counted

	names map[Name][]int32 // for groups of many: the children that may begin with a name
	wild  []int32          // and those that may begin with a wildcard
}

func (n *node) isLeaf() bool { return n.kind == elementLeaf || n.kind == wildcardLeaf }

// counted reports whether the occurrences of n must be counted.
func (n *node) counted() bool { return n.min > 1 || n.max > 1 }

// A Model is the content model of a type.
type Model struct {
	root      *node // nil for none
	particles int   // with groups written out
	leaves    int
	decls     map[Name]*component.Element // of its elements
	wild      []*component.Wildcard
}

// A SizeError is returned for schemas that are too large.
type SizeError struct {
	What   string // what there is too much of
	Limit  int
	Detail string
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("more than %d %s", e.Limit, e.What)
}

// New makes the model of a particle, which may be nil.
func New(p *component.Particle) (*Model, error) {
	m := &Model{decls: map[Name]*component.Element{}}
	b := builder{model: m}
	m.root = b.node(p, 0)
	if b.err != nil {
		return nil, b.err
	}
	if m.root != nil {
		m.root.count(0)
	}
	return m, nil
}

// A builder makes nodes.
type builder struct {
	model *Model
	err   error
}

func (b *builder) node(p *component.Particle, depth int) *node {
	if p == nil || p.Max == 0 || b.err != nil {
		return nil
	}
	if b.model.particles++; b.model.particles > MaxParticles {
		b.err = &SizeError{"particles of a content model", MaxParticles, "those of groups count each time that the model has them"}
		return nil
	}
	if depth > maxDepth {
		b.err = &SizeError{"groups in each other", maxDepth, "in a content model"}
		return nil
	}
	n := &node{min: p.Min, max: p.Max}
	if n.max >= countless {
		n.max = component.Unbounded
	}
	switch t := p.Term.(type) {
	case *component.Element:
		n.kind, n.decl = elementLeaf, t
		b.leaf()
		b.declare(t)
	case *component.Wildcard:
		n.kind, n.wildcard = wildcardLeaf, t
		b.leaf()
		b.model.wild = append(b.model.wild, t)
	case *component.Group:
		return b.group(n, t, depth)
	}
	n.nullable = n.min == 0
	return n
}

func (b *builder) leaf() { b.model.leaves++ }

func (b *builder) declare(decl *component.Element) {
	if b.model.decls[decl.Name] == nil {
		b.model.decls[decl.Name] = decl
	}
}

// group adds the children of a group. A group that stands once in one of its own kind
// is written flat, as is one that has a single member.
func (b *builder) group(n *node, g *component.Group, depth int) *node {
	n.kind = sequence + kind(g.Kind)
	empty := b.members(n, g, depth) // nothing is one of the alternatives
	if len(n.children) == 0 && (empty || n.kind != choice) {
		return nil // it matches nothing but nothing, however often
	}
	if empty {
		n.min = 0 // the others, or nothing, so often are the others at most so often
	}
	if single := n.onlyChild(); single != nil {
		return single
	}
	for i, child := range n.children {
		child.parent, child.index = n, i
	}
	n.hollow = n.mayBeHollow()
	n.nullable = n.min == 0 || n.hollow
	return n
}

// members adds the members of a group to the children of n, which is of its kind, and
// reports whether one of the alternatives of a choice is nothing. Groups that are written
// flat add theirs at once, so that those of many groups in each other are moved once.
func (b *builder) members(n *node, g *component.Group, depth int) (empty bool) {
	for _, p := range g.Particles {
		if inner, ok := flat(n, p); ok && depth < maxDepth && b.err == nil {
			b.model.particles++
			empty = b.members(n, inner, depth+1) || empty
			continue
		}
		child := b.node(p, depth+1)
		switch {
		case child == nil:
			empty = empty || n.kind == choice && p != nil && p.Max != 0
		case child.kind == n.kind && child.min == 1 && child.max == 1 && (n.kind == sequence || n.kind == choice && len(child.children) > 0):
			n.children = append(n.children, child.children...)
		default:
			n.children = append(n.children, child)
		}
	}
	return empty
}

// flat returns the group of a particle that is written flat in n. A choice of nothing is
// not: it matches nothing at all.
func flat(n *node, p *component.Particle) (*component.Group, bool) {
	if p == nil || p.Min != 1 || p.Max != 1 {
		return nil, false
	}
	g, ok := p.Term.(*component.Group)
	if !ok || n.kind == all || sequence+kind(g.Kind) != n.kind || len(g.Particles) == 0 {
		return nil, false
	}
	return g, true
}

// onlyChild returns the child that can stand for n, whose occurrences are n's and its own
// multiplied, or nil.
func (n *node) onlyChild() *node {
	if len(n.children) != 1 {
		return nil
	}
	child := n.children[0]
	least, most, ok := product(n.min, n.max, child.min, child.max)
	if !ok {
		return nil
	}
	child.min, child.max = least, most
	child.nullable = child.min == 0 || child.hollow
	return child
}

// product multiplies occurrences, if all numbers between the products are sums of
// repetitions.
func product(min, max, lower, upper int) (int, int, bool) {
	const many = 1 << 30
	switch {
	case min == 1 && max == 1:
		return lower, upper, true
	case lower == 1 && upper == 1:
		return min, max, true
	case lower > many || min > many:
		return 0, 0, false
	case min == max && lower > 1 && upper != component.Unbounded && max != component.Unbounded:
		return min * lower, max * upper, max < 1<<15 && upper < 1<<15 && lower < 1<<15
	}
	// From min repetitions up, the ranges [i*lower, i*upper] must leave no gaps.
	least := min
	if least == 0 {
		least = 1
		if lower > 1 {
			return 0, 0, false
		}
	}
	gapless := upper == component.Unbounded || least*upper+1 >= (least+1)*lower
	if !gapless || lower > 1<<15 || least > 1<<15 || upper > 1<<15 || max > 1<<15 {
		return 0, 0, false
	}
	if max == component.Unbounded || upper == component.Unbounded {
		return min * lower, component.Unbounded, true
	}
	return min * lower, max * upper, true
}

// mayBeHollow reports whether one occurrence of a group may match nothing. A choice of
// nothing matches nothing at all, not even that.
func (n *node) mayBeHollow() bool {
	for _, child := range n.children {
		if child.nullable == (n.kind == choice) {
			return n.kind == choice
		}
	}
	return n.kind != choice
}

// count numbers the counters from the root.
func (n *node) count(above int) {
	n.counters = above
	if n.counted() {
		n.counters++
	}
	for _, child := range n.children {
		child.count(n.counters)
	}
}

// Particles returns the number of particles of the model with its groups written out.
func (m *Model) Particles() int { return m.particles }

// Empty reports whether the model allows no element.
func (m *Model) Empty() bool { return m.root == nil }

// Nullable reports whether the content may be empty.
func (m *Model) Nullable() bool { return m.root == nil || m.root.nullable }

// Wildcard returns the first wildcard that admits a namespace, or nil.
func (m *Model) Wildcard(space string) *component.Wildcard {
	for _, w := range m.wild {
		if w.Admits(space) {
			return w
		}
	}
	return nil
}

// knows reports whether a particle of the model may admit the name of a query.
func (m *Model) knows(q *query) bool {
	if m.decls[q.name] != nil || m.Wildcard(q.name.Space) != nil {
		return true
	}
	for e := q.decl; e != nil; e = e.Head {
		if m.decls[e.Name] != nil {
			return true
		}
	}
	return false
}

// Declaration returns the declaration of the elements with a name in the model,
// directly or in a substitution group, or nil. Elements of one name have one type
// (part 1, section 3.8.6).
func (m *Model) Declaration(name Name, s *component.Schema) *component.Element {
	if d := m.decls[name]; d != nil {
		return d
	}
	global := s.Element(name)
	if global == nil {
		return nil
	}
	for head := global.Head; head != nil; head = head.Head {
		if m.decls[head.Name] == head && component.Substitutable(global, head) {
			return global
		}
	}
	return nil
}
