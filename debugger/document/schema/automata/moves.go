package automata

import (
	"slices"

	"github.com/triptych-mcp/triptych/debugger/document/schema/component"
)

// A move leads from one leaf to the next. It is possible if the particles that it leaves
// have occurred often enough, and the one that it repeats not too often.
type move struct {
	to    *node
	keep  int // counters of the path that remain
	again int // maximum of the last counter that remains, which is incremented; 0 if it is not
	floor int // minimum of that counter, above which it need not grow if again is Unbounded
	conds []cond
}

// A cond is the least count of a counter.
type cond struct{ counter, min int }

// A query describes the next leaf.
type query struct {
	name  Name
	decl  *component.Element // the global declaration of the name, or nil
	every bool               // every leaf matches
	leap  bool               // required elements may be missing
}

// newQuery returns the query for a name.
func newQuery(name Name, s *component.Schema) *query {
	return &query{name: name, decl: s.Element(name)}
}

// matches reports whether a leaf admits the name.
func (q *query) matches(n *node) bool {
	switch {
	case q.every:
		return true
	case n.kind == wildcardLeaf:
		return n.wildcard.Admits(q.name.Space)
	case n.decl.Name == q.name:
		return !n.decl.Abstract
	}
	return q.decl != nil && q.decl != n.decl && !q.decl.Abstract && component.Substitutable(q.decl, n.decl)
}

// A walk collects the moves that answer a query.
type walk struct {
	q     *query
	moves []move
}

// maxLoose limits the moves of queries that more than a name answers. It is more than
// maxFitting and maxExpected.
const maxLoose = 100

// full reports whether further moves are not needed.
func (w *walk) full() bool { return (w.q.every || w.q.leap) && len(w.moves) >= maxLoose }

// from collects the moves from a leaf, or from the start if it is nil.
func (w *walk) from(m *Model, leaf *node) {
	if leaf == nil {
		if m.root != nil {
			w.enter(m.root, move{})
		}
		return
	}
	var conds []cond
	for n := leaf; ; n = n.parent {
		if n.max > 1 || n.max == component.Unbounded {
			w.repeat(n, conds)
		}
		if n.counted() && n.min > 1 && !n.hollow && !w.q.leap {
			conds = append(conds[:len(conds):len(conds)], cond{n.counters - 1, n.min})
		}
		if n.parent == nil || w.full() {
			return
		}
		if n.parent.kind == sequence && !w.siblings(n, conds) {
			return
		}
	}
}

// repeat collects the moves into another occurrence of n.
func (w *walk) repeat(n *node, conds []cond) {
	to := move{keep: n.counters, conds: conds}
	if n.counted() {
		to.again, to.floor = n.max, n.min
	}
	w.body(n, to)
}

// siblings collects the moves into what follows n in its sequence, and reports whether
// all that may be left out.
func (w *walk) siblings(n *node, conds []cond) bool {
	for _, next := range n.parent.children[n.index+1:] {
		w.enter(next, move{keep: n.parent.counters, conds: conds})
		if w.full() {
			return false
		}
		if !next.nullable && !w.q.leap {
			return false
		}
	}
	return true
}

// enter collects the moves to what n may begin with.
func (w *walk) enter(n *node, to move) { w.body(n, to) }

// body collects the moves to what an occurrence of n may begin with.
func (w *walk) body(n *node, to move) {
	switch n.kind {
	case elementLeaf, wildcardLeaf:
		if w.q.matches(n) {
			to.to = n
			w.add(to)
		}
	case sequence:
		for _, child := range n.children {
			w.enter(child, to)
			if w.full() || !child.nullable && !w.q.leap {
				return
			}
		}
	default:
		w.alternatives(n, to)
	}
}

// wide is the number of children above which a choice has an index.
const wide = 8

// alternatives collects the moves to the members of a choice.
func (w *walk) alternatives(n *node, to move) {
	if w.q.every || w.q.leap || len(n.children) <= wide || n.names == nil {
		for _, child := range n.children {
			if w.enter(child, to); w.full() {
				return
			}
		}
		return
	}
	visit := func(all []int32) {
		for _, i := range all {
			w.enter(n.children[i], to)
		}
	}
	visit(n.names[w.q.name])
	if w.q.decl != nil {
		for head := w.q.decl.Head; head != nil; head = head.Head {
			visit(n.names[head.Name])
		}
	}
	visit(n.wild)
}

// add adds a move unless there is an equal one.
func (w *walk) add(to move) {
	for _, m := range w.moves {
		if m.to == to.to && m.keep == to.keep && m.again == to.again && slices.Equal(m.conds, to.conds) {
			return
		}
	}
	w.moves = append(w.moves, to)
}

// ends returns the conditions under which the content may end behind a leaf, and whether
// it may.
func (m *Model) ends(leaf *node) ([]cond, bool) {
	if leaf == nil {
		return nil, m.Nullable()
	}
	var conds []cond
	for n := leaf; ; n = n.parent {
		if n.counted() && n.min > 1 && !n.hollow {
			conds = append(conds, cond{n.counters - 1, n.min})
		}
		if n.parent == nil {
			return conds, true
		}
		if n.parent.kind == sequence && slices.ContainsFunc(n.parent.children[n.index+1:], func(c *node) bool { return !c.nullable }) {
			return nil, false
		}
	}
}

// maxIndex limits the entries of the indexes of a model.
const maxIndex = 4_000_000

// Index makes the indexes of the choices of many, and returns an error if there would be
// too many entries.
func (m *Model) Index() error {
	if m.root == nil {
		return nil
	}
	entries := 0
	m.root.makeIndex(&entries)
	if entries > maxIndex {
		return &SizeError{"names of the choices of a content model", maxIndex, "a name counts in each of the choices that are in each other"}
	}
	return nil
}

func (n *node) makeIndex(entries *int) {
	if n.kind == choice && len(n.children) > wide && *entries <= maxIndex {
		n.names = map[Name][]int32{}
		for i, child := range n.children {
			child.first(func(leaf *node) {
				*entries++
				if leaf.kind == wildcardLeaf {
					n.wild = appendIndex(n.wild, i)
				} else if *entries <= maxIndex {
					n.names[leaf.decl.Name] = appendIndex(n.names[leaf.decl.Name], i)
				}
			})
		}
	}
	for _, child := range n.children {
		child.makeIndex(entries)
	}
}

func appendIndex(all []int32, i int) []int32 {
	if len(all) > 0 && all[len(all)-1] == int32(i) {
		return all
	}
	return append(all, int32(i))
}

// first calls visit for the leaves that n may begin with.
func (n *node) first(visit func(*node)) {
	if n.isLeaf() {
		visit(n)
		return
	}
	for _, child := range n.children {
		child.first(visit)
		if n.kind == sequence && !child.nullable {
			return
		}
	}
}
