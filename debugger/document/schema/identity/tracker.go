package identity

import "fmt"

// A Report receives a violation of an element.
type Report func(at *Place, message string)

// A Tracker checks the constraints of a document. It belongs to one goroutine.
type Tracker struct {
	report  Report
	depth   int
	scopes  []*scope
	targets []*target
	waits   []wait
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
}

// A field holds the nodes that a field selects below a target.
type field struct {
	run           run
	count         int
	value         Value
	lost, complex bool
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
	t.work += t.open
	for _, s := range t.scopes {
		s.selector.enter(name)
	}
	for _, to := range t.targets {
		for i := range to.fields {
			to.fields[i].run.enter(name)
		}
	}
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
	for _, to := range t.targets {
		for i := range to.fields {
			if f := &to.fields[i]; f.run.selects() {
				t.waits = append(t.waits, wait{f, t.depth})
			}
		}
	}
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
}

// WantsAttributes reports whether the attributes of the current element may be selected.
func (t *Tracker) WantsAttributes() bool { return len(t.targets) > 0 }

// Attribute tells the value of an attribute of the current element.
func (t *Tracker) Attribute(name Name, v Value) {
	t.work += t.open
	for _, to := range t.targets {
		for i := range to.fields {
			if f := &to.fields[i]; f.run.selectsAttribute(name) {
				f.set(v)
			}
		}
	}
}

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
	for n := len(t.targets); n > 0 && t.targets[n-1].depth == t.depth; n-- {
		t.complete(t.targets[n-1])
		t.open -= t.targets[n-1].scope.c.paths()
		t.targets = t.targets[:n-1]
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
	t.work += t.open
	clear(t.scopes[first:])
	t.scopes = t.scopes[:first]
	for _, s := range t.scopes {
		s.selector.leave()
	}
	for _, to := range t.targets {
		for i := range to.fields {
			to.fields[i].run.leave()
		}
	}
}

// inherit passes the tables of keys of an element on to the references of its ancestors.
func (t *Tracker) inherit(ancestors, own []*scope) {
	refers := map[*Constraint][]*scope{}
	for _, a := range ancestors {
		if a.c.Refer != nil {
			refers[a.c.Refer] = append(refers[a.c.Refer], a)
		}
	}
	if len(refers) == 0 {
		return
	}
	for _, s := range own {
		for _, a := range refers[s.c] {
			a.table.inherit(&s.table)
			t.work += len(s.table.own)
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
