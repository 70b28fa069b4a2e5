package automata

import (
	"errors"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/document/schema/component"
)

// A state is a place in a model.
type state struct {
	leaf   *node  // nil at the start
	counts []int  // of the counted nodes from the root to leaf; not modified
	seen   []bool // of an all group: the members that are there; shared until copied
}

func (s state) equal(t state) bool {
	return s.leaf == t.leaf && slices.Equal(s.counts, t.counts) && slices.Equal(s.seen, t.seen)
}

// covers reports whether whatever is possible in t is possible in s: their counts are the
// same, but for some that are as high as they must be in s, and higher in t.
func (s state) covers(t state) bool {
	if s.leaf != t.leaf || !slices.Equal(s.seen, t.seen) {
		return false
	}
	if len(s.counts) == 0 || slices.Equal(s.counts, t.counts) {
		return true
	}
	for n := s.leaf; n != nil; n = n.parent {
		if !n.counted() {
			continue
		}
		a, b := s.counts[n.counters-1], t.counts[n.counters-1]
		if a > b || a < b && a < n.min && !n.hollow {
			return false
		}
	}
	return true
}

const (
	maxStates = 1_000      // that are followed at once
	manyWays  = 64         // states, from which on they are compared with one another
	maxWork   = 20_000_000 // times in a document
)

// ErrStates is returned when counters leave too many ways open, or many of them for too
// long.
var ErrStates = errors.New("the content model has counters in each other that leave too many ways open")

// A Runner finds and keeps the transitions of models for the validation of a document. It
// must be used by one goroutine at a time.
type Runner struct {
	schema  *component.Schema
	moves   map[transition][]move
	kept    int // moves, and transitions without one
	queries map[Name]*query
	work    int   // comparisons of many states
	Err     error // the first limit that was exceeded
}

// A mode says how a child is followed.
type mode uint8

const (
	byName  mode = iota
	byLeap       // required elements before it may be missing
	byPlace      // whatever its name is
)

// A transition is a leaf of a model and the name of a child.
type transition struct {
	model *Model
	leaf  *node
	name  Name
	mode  mode
}

// NewRunner returns a runner for the documents of a schema.
func NewRunner(s *component.Schema) *Runner {
	return &Runner{schema: s, moves: map[transition][]move{}, queries: map[Name]*query{}}
}

// Extend has the runner go on with a schema that extends its own.
func (r *Runner) Extend(s *component.Schema) {
	r.schema = s
	clear(r.moves)
	clear(r.queries)
	r.kept = 0
}

// maxKept limits the moves and queries that are kept.
const maxKept = 100_000

func (r *Runner) query(name Name) *query {
	q := r.queries[name]
	if q == nil {
		q = newQuery(name, r.schema)
		if len(r.queries) > maxKept {
			clear(r.queries)
		}
		r.queries[name] = q
	}
	return q
}

// transitions returns the moves from a leaf for a name.
func (r *Runner) transitions(m *Model, leaf *node, name Name, how mode) []move {
	key := transition{m, leaf, name, how}
	if moves, ok := r.moves[key]; ok {
		return moves
	}
	q := *r.query(name)
	q.leap, q.every = how == byLeap, how == byPlace
	w := walk{q: &q}
	if how == byPlace || m.knows(&q) {
		w.from(m, leaf)
	}
	if r.kept > maxKept {
		clear(r.moves)
		r.kept = 0
	}
	r.kept += 1 + len(w.moves)
	r.moves[key] = w.moves
	return w.moves
}

// step returns the states after a child. Modes other than byName are for children that
// are out of place.
func (r *Runner) step(m *Model, now []state, name Name, how mode) []state {
	if m.isAll() {
		return m.stepAll(now, r.query(name), how)
	}
	var next []state
	for _, s := range now {
		moves := r.transitions(m, s.leaf, name, how)
		if how == byPlace && len(moves) > maxFitting {
			return nil
		}
		for i := range moves {
			next = r.add(next, s, &moves[i])
		}
	}
	return next
}

// add adds the state after a move, if the counts permit it.
func (r *Runner) add(next []state, s state, to *move) []state {
	counts, ok := to.apply(s.counts)
	after := state{leaf: to.to, counts: counts}
	if !ok || slices.ContainsFunc(next, func(other state) bool { return other.covers(after) }) {
		return next
	}
	next = slices.DeleteFunc(next, after.covers)
	if len(next) >= manyWays {
		r.work += len(next)
	}
	if len(next) == maxStates || r.work > maxWork {
		r.Err = ErrStates
		return next
	}
	return append(next, after)
}

// apply returns the counts after a move, and whether it is possible.
func (to *move) apply(counts []int) ([]int, bool) {
	for _, c := range to.conds {
		if counts[c.counter] < c.min {
			return nil, false
		}
	}
	if to.to.counters == 0 {
		return nil, true
	}
	after := make([]int, to.to.counters)
	copy(after, counts[:min(to.keep, len(counts))])
	for i := to.keep; i < len(after); i++ {
		after[i] = 1
	}
	if to.again == 0 {
		return after, true
	}
	last := &after[to.keep-1]
	switch {
	case to.again == component.Unbounded && *last >= to.floor:
		return after, true
	case to.again != component.Unbounded && *last >= to.again:
		return nil, false
	}
	*last++
	return after, true
}

// done reports whether the content may end in a state.
func (m *Model) done(s state) bool {
	if m.isAll() {
		return m.doneAll(s)
	}
	conds, ok := m.ends(s.leaf)
	return ok && !slices.ContainsFunc(conds, func(c cond) bool { return s.counts[c.counter] < c.min })
}

// isAll reports whether the model is an all group.
func (m *Model) isAll() bool { return m.root != nil && m.root.kind == all }

// stepAll returns the states after a child in an all group.
func (m *Model) stepAll(now []state, q *query, how mode) []state {
	var next []state
	for _, s := range now {
		for i, member := range m.root.children {
			if i < len(s.seen) && s.seen[i] || how != byPlace && !q.matches(member) {
				continue
			}
			if len(next) == maxFitting {
				return nil
			}
			after := state{leaf: member, seen: make([]bool, len(m.root.children))}
			copy(after.seen, s.seen)
			after.seen[i] = true
			if next = append(next, after); how != byPlace {
				break
			}
		}
	}
	return next
}

func (m *Model) doneAll(s state) bool {
	if s.leaf == nil && m.root.nullable {
		return true
	}
	for i, member := range m.root.children {
		if !member.nullable && (i >= len(s.seen) || !s.seen[i]) {
			return false
		}
	}
	return true
}

// A Match names the declaration or the wildcard that a child belongs to, or neither.
type Match struct {
	Decl     *component.Element
	Wildcard *component.Wildcard
}

const (
	// maxFitting limits the children that are tried in place of one that does not fit.
	maxFitting = 64
	// ahead is the number of children that decide how to go on after one that does not
	// fit.
	ahead = 8
	// maxExpected limits the names in a message.
	maxExpected = 24
	// maxMisplaced limits the children out of place that may be missing elsewhere.
	maxMisplaced = 64
)

// A Matcher follows the children of an element. Behind a child that does not fit, it
// follows three ways: that something before it is missing, that it is one too many, and
// that it stands in the place of another. The way that most of the next children fit
// is taken.
type Matcher struct {
	run       *Runner
	model     *Model
	now       []state
	ways      [][]state // if they are not decided yet; the first that remains is taken
	age       int       // children since then
	misplaced []Name
}

// Start returns a matcher at the start of a model.
func (r *Runner) Start(m *Model) Matcher {
	var x Matcher
	x.Begin(r, m)
	return x
}

// Begin has a matcher begin at the start of a model, with the memory that it has.
func (x *Matcher) Begin(r *Runner, m *Model) {
	x.run, x.model, x.now = r, m, append(x.now[:0], state{})
	x.ways, x.age, x.misplaced = nil, 0, x.misplaced[:0]
}

// Next follows a child, and reports whether it fits.
func (x *Matcher) Next(name Name) (Match, bool) {
	if x.ways != nil {
		return x.nextWays(name)
	}
	if len(x.now) == 1 && x.now[0].counts == nil && !x.model.isAll() { // the common case
		if moves := x.run.transitions(x.model, x.now[0].leaf, name, byName); len(moves) == 1 && moves[0].to.counters == 0 {
			x.now[0].leaf = moves[0].to
			return x.match(name, moves[0].to), true
		}
	}
	next := x.run.step(x.model, x.now, name, byName)
	if len(next) == 0 {
		return x.declared(name), false
	}
	x.now = next
	return x.match(name, next[0].leaf), true
}

// match returns what a leaf is for a name.
func (x *Matcher) match(name Name, leaf *node) Match {
	switch {
	case leaf.kind == wildcardLeaf:
		return Match{Wildcard: leaf.wildcard}
	case leaf.decl.Name == name:
		return Match{Decl: leaf.decl}
	}
	return Match{Decl: x.run.query(name).decl}
}

// declared returns what a name is somewhere in the model.
func (x *Matcher) declared(name Name) Match {
	if d := x.model.Declaration(name, x.run.schema); d != nil {
		return Match{Decl: d}
	}
	return Match{Wildcard: x.model.Wildcard(name.Space)}
}

// nextWays follows a child on the ways that are open.
func (x *Matcher) nextWays(name Name) (Match, bool) {
	var left [][]state
	for _, way := range x.ways {
		if next := x.run.step(x.model, way, name, byName); len(next) > 0 {
			left = append(left, next)
		}
	}
	if len(left) == 0 {
		x.now, x.ways = x.ways[0], nil
		return x.declared(name), false
	}
	x.age++
	x.open(left)
	return x.declared(name), true
}

// open sets the ways, or the state if there is only one or enough was seen.
func (x *Matcher) open(ways [][]state) {
	if len(ways) == 1 || x.age >= ahead {
		x.now, x.ways = ways[0], nil
		return
	}
	x.ways = ways
}

// Recover goes on behind the child that did not fit.
func (x *Matcher) Recover(name Name) {
	if len(x.misplaced) < maxMisplaced {
		x.misplaced = append(x.misplaced, name)
	}
	var ways [][]state
	for _, way := range [][]state{x.run.step(x.model, x.now, name, byLeap), x.now, x.run.step(x.model, x.now, Name{}, byPlace)} {
		if len(way) > 0 && !slices.ContainsFunc(ways, func(other []state) bool { return slices.EqualFunc(way, other, state.equal) }) {
			ways = append(ways, slices.Clone(way))
		}
	}
	x.age = 0
	x.open(ways)
}

// End reports whether the content is complete.
func (x *Matcher) End() bool {
	done := func(s state) bool { return x.model.done(s) }
	if x.ways != nil {
		x.now = x.ways[0]
		if i := slices.IndexFunc(x.ways, func(way []state) bool { return slices.ContainsFunc(way, done) }); i >= 0 {
			x.now = x.ways[i]
		}
		x.ways = nil
	}
	if x.model.root == nil || slices.ContainsFunc(x.now, done) {
		return true
	}
	x.replace()
	return slices.ContainsFunc(x.now, done)
}

// replace follows those of the misplaced children that fit now. A child out of place is
// one violation: it is not also missing.
func (x *Matcher) replace() {
	for i := 0; i < len(x.misplaced); {
		next := x.run.step(x.model, x.now, x.misplaced[i], byName)
		if len(next) == 0 {
			i++
			continue
		}
		x.now, x.misplaced = next, slices.Delete(x.misplaced, i, i+1)
		i = 0 // those before it may fit now
	}
}

// Expected describes what may come next, or returns "" if that is nothing.
func (x *Matcher) Expected() string {
	var names []string
	add := func(name string) bool {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		return len(names) <= maxExpected
	}
	for _, s := range x.now {
		if !x.candidates(s, func(leaf *node) bool { return x.run.name(leaf, add) }) {
			break
		}
	}
	switch n := len(names); {
	case n == 0:
		return ""
	case n == 1:
		return " Expected is ( " + names[0] + " )."
	case n > maxExpected:
		names = append(names[:maxExpected], "…")
	}
	return " Expected is one of ( " + strings.Join(names, ", ") + " )."
}

// candidates calls visit for the leaves that may come next, until it returns false.
func (x *Matcher) candidates(s state, visit func(*node) bool) bool {
	if x.model.isAll() {
		for i, member := range x.model.root.children {
			if (i >= len(s.seen) || !s.seen[i]) && !visit(member) {
				return false
			}
		}
		return true
	}
	moves := x.run.transitions(x.model, s.leaf, Name{}, byPlace)
	for i := range moves {
		if _, ok := moves[i].apply(s.counts); ok && !visit(moves[i].to) {
			return false
		}
	}
	return true
}

// name passes the names that a leaf admits to add, until that returns false.
func (r *Runner) name(leaf *node, add func(string) bool) bool {
	if leaf.kind == wildcardLeaf {
		return add(leaf.wildcard.Text)
	}
	more := true
	r.schema.Substitutes(leaf.decl, func(e *component.Element) bool {
		more = add(e.Name.String())
		return more
	})
	return more
}
