package identity

import (
	"fmt"
	"slices"
)

// A Report receives a violation of an element.
type Report func(at *Place, message string)

// A Tracker checks the constraints of a document. It belongs to one goroutine.
type Tracker struct {
	report  Report
	depth   int
	scopes  []*scope
	targets []*target
	awake   []*target // that select something in or below the current element, perhaps
	asleep  []*target // the others, by their wake, the highest last
	waits   []wait
	wanted  attributes
	open    int // paths that the scopes and targets follow
	work    int
	full    bool
}

// MaxOpen limits the paths that are followed at once: those of the selectors of all
// elements that are open, and those of the fields of the elements that they select.
const MaxOpen = 1_000_000

// Full reports whether MaxOpen was exceeded. What a tracker reports since is not complete.
func (t *Tracker) Full() bool { return t.full }

// Work returns the number of paths that were followed by a step so far.
func (t *Tracker) Work() int { return t.work }

// grow counts paths more to follow, and reports whether the limit permits them.
func (t *Tracker) grow(paths int) bool {
	if t.full = t.full || t.open+paths > MaxOpen; t.full {
		return false
	}
	t.open += paths
	return true
}

// NewTracker returns a tracker that passes violations to report.
func NewTracker(report Report) *Tracker { return &Tracker{report: report} }

// A scope is an element with a constraint.
type scope struct {
	c        *Constraint
	depth    int
	selector run
	table    table
	refer    *scope // the scope of the same element that a keyref refers to, or nil
}

// A target is an element that a selector selects.
type target struct {
	scope  *scope
	depth  int
	place  *Place
	lost   bool
	fields []field
	wake   int // the depth of the element with the end of which it is awake again
}

// A field holds the nodes that a field selects below a target.
type field struct {
	run           run
	count         int
	value         Value
	lost, complex bool
	turn          int // of the attribute that set it last
}

// A wait is a field that selects an element whose value is not known before its end.
type wait struct {
	field *field
	depth int
}

// Start enters an element with constraints. Its place is asked for if a constraint
// selects it. An element is lost if a violation left open what it is.
func (t *Tracker) Start(name Name, constraints []*Constraint, lost bool, place func() *Place) {
	t.depth++
	if len(t.scopes) == 0 && len(constraints) == 0 {
		return
	}
	t.enter(name)
	t.begin(constraints)
	var at *Place
	for _, s := range t.scopes {
		if !s.selector.selects() {
			continue
		}
		if at == nil {
			at = place()
		}
		t.target(s, lost, at)
	}
	t.wanted.reset()
	for _, to := range t.awake {
		for i := range to.fields {
			f := &to.fields[i]
			if f.run.selects() {
				t.waits = append(t.waits, wait{f, t.depth})
			}
			f.run.attributes(func(test *nameTest) { t.wanted.add(test, f) })
		}
	}
}

// enter has the paths that are followed go to a child.
func (t *Tracker) enter(name Name) {
	t.work += len(t.scopes)
	for _, s := range t.scopes {
		s.selector.enter(name)
	}
	still := t.awake[:0]
	for _, to := range t.awake {
		t.work += len(to.fields)
		alive := false
		for i := range to.fields {
			r := &to.fields[i].run
			r.enter(name)
			alive = alive || r.idle == 0
		}
		if alive {
			still = append(still, to)
			continue
		}
		to.wake = t.depth
		t.asleep = append(t.asleep, to)
	}
	t.awake = still
}

// begin begins the scopes of the current element.
func (t *Tracker) begin(constraints []*Constraint) {
	first := len(t.scopes)
	var made map[*Constraint]*scope
	for _, c := range constraints {
		if !t.grow(len(c.Selector.paths)) {
			return
		}
		s := &scope{c: c, depth: t.depth, selector: start(c.Selector)}
		t.scopes = append(t.scopes, s)
		if c.Refer != nil && made == nil {
			made = make(map[*Constraint]*scope, len(constraints))
		}
	}
	if made == nil {
		return
	}
	for _, s := range t.scopes[first:] {
		made[s.c] = s
	}
	for _, s := range t.scopes[first:] {
		if s.c.Refer != nil {
			s.refer = made[s.c.Refer]
		}
	}
}

// paths returns the number of paths of the fields.
func (c *Constraint) paths() int {
	n := 0
	for _, f := range c.Fields {
		n += len(f.paths)
	}
	return n
}

func (t *Tracker) target(s *scope, lost bool, place *Place) {
	if !t.grow(s.c.paths()) {
		return
	}
	to := &target{scope: s, depth: t.depth, place: place, lost: lost, fields: make([]field, len(s.c.Fields))}
	for i, f := range s.c.Fields {
		to.fields[i].run = start(f)
	}
	t.targets = append(t.targets, to)
	t.awake = append(t.awake, to)
}

// WantsAttributes reports whether the attributes of the current element may be selected.
func (t *Tracker) WantsAttributes() bool { return t.wanted.any() }

// Attribute tells the value of an attribute of the current element.
func (t *Tracker) Attribute(name Name, v Value) { t.work += t.wanted.set(name, v) }

// WantsValue reports whether a field selects the current element.
func (t *Tracker) WantsValue() bool {
	return len(t.waits) > 0 && t.waits[len(t.waits)-1].depth == t.depth
}

// set sets the value of a field.
func (f *field) set(v Value) {
	switch v.State {
	case Skipped:
		return
	case Lost:
		f.lost = true
	case Complex:
		f.complex = true
	}
	f.count++
	f.value = v
}

// End leaves the current element, which has a value if WantsValue reports so.
func (t *Tracker) End(v Value) {
	for t.WantsValue() {
		t.waits[len(t.waits)-1].field.set(v)
		t.waits = t.waits[:len(t.waits)-1]
	}
	t.wanted.reset()
	first := len(t.targets)
	for ; first > 0 && t.targets[first-1].depth == t.depth; first-- {
		t.complete(t.targets[first-1])
		t.open -= t.targets[first-1].scope.c.paths()
	}
	if first < len(t.targets) {
		t.awake = slices.DeleteFunc(t.awake, func(to *target) bool { return to.depth == t.depth })
		clear(t.targets[first:])
		t.targets = t.targets[:first]
	}
	if len(t.scopes) > 0 {
		t.leave()
	}
	t.depth--
}

// leave ends the scopes of the current element, and goes back to the parent in the others.
func (t *Tracker) leave() {
	first := len(t.scopes)
	for first > 0 && t.scopes[first-1].depth == t.depth {
		first--
	}
	if first < len(t.scopes) {
		t.inherit(t.scopes[:first], t.scopes[first:])
	}
	for _, s := range t.scopes[first:] {
		t.resolve(s)
		t.open -= len(s.c.Selector.paths)
	}
	clear(t.scopes[first:])
	t.scopes = t.scopes[:first]
	t.work += len(t.scopes)
	for _, s := range t.scopes {
		s.selector.leave()
	}
	for n := len(t.asleep); n > 0 && t.asleep[n-1].wake == t.depth; n-- {
		t.awake = append(t.awake, t.asleep[n-1])
		t.asleep = t.asleep[:n-1]
	}
	for _, to := range t.awake {
		t.work += len(to.fields)
		for i := range to.fields {
			to.fields[i].run.leave()
		}
	}
}

// inherit passes the tables of the keys of an element on to its nearest ancestor with the
// key or a reference to it, if there are references to the key above.
func (t *Tracker) inherit(ancestors, own []*scope) {
	refers := map[*Constraint]bool{}
	for _, a := range ancestors {
		if a.c.Refer != nil {
			refers[a.c.Refer] = true
		}
	}
	if len(refers) == 0 {
		return
	}
	passed := map[*Constraint]bool{}
	for _, s := range own {
		if key := s.key(); refers[key] && !passed[key] {
			passed[key] = true
			t.pass(key, ancestors, own)
		}
	}
}

// key returns the key that a scope is of, or refers to.
func (s *scope) key() *Constraint {
	if s.c.Refer != nil {
		return s.c.Refer
	}
	return s.c
}

// pass passes the table of a key on.
func (t *Tracker) pass(key *Constraint, ancestors, own []*scope) {
	var selected, inherited map[string]int
	var lost []map[string]bool
	for _, s := range own {
		if s.key() != key {
			continue
		}
		if s.c == key {
			selected, lost = s.table.own, append(lost, s.table.lost)
		}
		inherited = s.table.inherited // all scopes of the key have the same
	}
	nearest := 0
	for i := len(ancestors) - 1; i >= 0 && ancestors[i].depth >= nearest; i-- {
		if a := ancestors[i]; a.key() == key {
			nearest = a.depth
			a.table.inherit(selected, inherited, lost...)
			t.work += len(selected) + len(inherited)
		}
	}
}

// complete adds the key-sequence of a target to the table of its scope.
func (t *Tracker) complete(to *target) {
	c, table := to.scope.c, &to.scope.table
	for i := range to.fields {
		if what := to.fields[i].wrong(c); what != "" {
			t.report(to.place, what)
			return
		}
	}
	made := tupleOf(to.fields)
	switch {
	case made.lost || made.missing && to.lost:
		table.lose(made.text)
	case made.missing:
		if c.Kind == Key {
			t.report(to.place, fmt.Sprintf("Not all fields of key identity-constraint '%s' evaluate to a node.", c.Name))
		}
	case c.Kind == Keyref:
		if to.scope.refer == nil || !to.scope.refer.table.has(made.key) {
			table.open = append(table.open, reference{made.key, made.text, to.place})
		}
	default:
		t.checkNillable(to)
		if !table.add(made.key, to.place.Number) {
			t.report(to.place, fmt.Sprintf("Duplicate key-sequence %s in %s identity-constraint '%s'.", made.text, c.Kind, c.Name))
		}
	}
}

// checkNillable reports fields of keys that are elements which may be nil (part 1, section
// 3.11.4, clause 4.2.3).
func (t *Tracker) checkNillable(to *target) {
	if to.scope.c.Kind != Key {
		return
	}
	for i := range to.fields {
		if f := &to.fields[i]; f.value.Nillable {
			t.report(to.place, fmt.Sprintf("The XPath '%s' of a field of key identity-constraint '%s' evaluates to an element that is nillable.", f.run.expr.Text, to.scope.c.Name))
		}
	}
}

// resolve reports the references of a keyref that have no key.
func (t *Tracker) resolve(s *scope) {
	for _, r := range s.table.open {
		if s.table.has(r.key) || s.table.lost[r.text] || s.refer != nil && (s.refer.table.has(r.key) || s.refer.table.lost[r.text]) {
			continue
		}
		t.report(r.place, fmt.Sprintf("No match found for key-sequence %s of keyref '%s'.", r.text, s.c.Name))
	}
}
