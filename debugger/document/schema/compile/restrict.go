package compile

import (
	"slices"

	"github.com/triptych-mcp/triptych/debugger/document/schema/component"
	"github.com/triptych-mcp/triptych/debugger/document/schema/read"
)

// restrictParticle checks that a particle restricts another one, and reports if it does
// not (part 1, section 3.9.6, Particle Valid (Restriction)).
func (c *compiler) restrictParticle(n *read.Node, derived, base *component.Particle) {
	r := restriction{c: c, schema: c.schema, known: map[pair]bool{}}
	if !r.valid(r.prune(derived), r.prune(base)) && !c.over() {
		c.say(n, "The content model is not a valid restriction of that of the base type.")
	}
}

// A restriction compares particles.
type restriction struct {
	c      *compiler
	schema *component.Schema
	steps  int
	names  int // that were compared
	known  map[pair]bool
}

// A pair is a comparison that was made.
type pair struct{ derived, base *component.Particle }

// maxSteps limits the comparisons for a type. As many names as namesPerStep are compared
// in the time of one.
const (
	maxSteps     = 3_000_000
	namesPerStep = 20
)

// prune removes pointless particles: groups without members, single members of groups
// that occur once, and groups in groups of the same kind.
func (r *restriction) prune(p *component.Particle) *component.Particle {
	g, ok := p.Term.(*component.Group)
	if !ok {
		return p
	}
	made := &component.Group{Kind: g.Kind}
	for _, member := range g.Particles {
		if r.steps++; r.steps > maxSteps {
			return p
		}
		made.Particles = append(made.Particles, r.pruned(g.Kind, member)...)
	}
	if len(made.Particles) == 1 && p.Min == 1 && p.Max == 1 {
		return made.Particles[0]
	}
	return &component.Particle{Min: p.Min, Max: p.Max, Term: made}
}

// pruned returns what a member of a group is without pointless particles.
func (r *restriction) pruned(kind component.Compositor, member *component.Particle) []*component.Particle {
	m := r.prune(member)
	g, ok := m.Term.(*component.Group)
	switch {
	case !ok:
		return []*component.Particle{m}
	case len(g.Particles) == 0 && (g.Kind != component.Choice || m.Min == 0):
		return nil
	case g.Kind == kind && m.Min == 1 && m.Max == 1 && kind != component.All:
		return g.Particles
	}
	return []*component.Particle{m}
}

// valid reports whether d restricts b.
func (r *restriction) valid(d, b *component.Particle) bool {
	if d == b {
		return true
	}
	if r.unlike(d, b) {
		return false
	}
	key := pair{d, b}
	if ok, known := r.known[key]; known {
		return ok
	}
	if r.steps++; r.steps > maxSteps || r.c.over() {
		return true
	}
	ok := r.compare(d, b)
	r.known[key] = ok
	return ok
}

// unlike reports whether the terms are elements of different names, one of which stands for
// no other. This is the usual case in long choices, and is not worth to be remembered.
func (r *restriction) unlike(d, b *component.Particle) bool {
	de, ok := d.Term.(*component.Element)
	be, ok2 := b.Term.(*component.Element)
	if !ok || !ok2 || de.Name == be.Name || de.Head != nil {
		return false
	}
	if r.names++; r.names%namesPerStep == 0 {
		r.steps++
	}
	return r.steps <= maxSteps
}

// compare chooses the rule by the kinds of the terms.
func (r *restriction) compare(d, b *component.Particle) bool {
	if dg, ok := d.Term.(*component.Group); ok && len(dg.Particles) == 0 && dg.Kind != component.Choice {
		least, _ := total(b)
		return least == 0
	}
	switch bt := b.Term.(type) {
	case *component.Wildcard:
		return r.withinWildcard(d, b, bt)
	case *component.Element:
		if dt, ok := d.Term.(*component.Element); ok {
			return r.element(d, b, dt, bt)
		}
		return r.withinHead(d, b, bt)
	}
	bg := b.Term.(*component.Group)
	switch dt := d.Term.(type) {
	case *component.Element:
		return r.asIfGroup(d, b, bg)
	case *component.Group:
		return r.group(d, b, dt, bg)
	}
	return false // a wildcard restricts no group
}

// ranges reports whether the occurrences of d lie within those of b.
func ranges(dmin, dmax, bmin, bmax int) bool {
	return dmin >= bmin && (bmax == component.Unbounded || dmax != component.Unbounded && dmax <= bmax)
}

// element compares elements (NameAndTypeOK). A member of a substitution group stands for
// its head.
func (r *restriction) element(d, b *component.Particle, de, be *component.Element) bool {
	if de.Name != be.Name {
		return r.member(d, b, de, be)
	}
	if de == be {
		return ranges(d.Min, d.Max, b.Min, b.Max)
	}
	fixed := be.Value == nil || !be.Value.Fixed || de.Value != nil && de.Value.Fixed && sameValue(de.Value, be.Value)
	return ranges(d.Min, d.Max, b.Min, b.Max) && (be.Nillable || !de.Nillable) && fixed && identitiesWithin(de, be) &&
		de.Block&be.Block == be.Block && component.DerivesFrom(de.Type, be.Type, component.Extension|component.List|component.Union)
}

// member compares a member of a substitution group with its head, which stands for a choice
// of all its members. A member that is itself a head, or abstract, stands for one, too.
func (r *restriction) member(d, b *component.Particle, de, be *component.Element) bool {
	if !de.Global || !be.Global || !component.Substitutable(de, be) {
		return false
	}
	if own := r.members(de).Particles; len(own) != 1 || de.Abstract {
		outside := func(p *component.Particle) bool {
			e := p.Term.(*component.Element)
			return e != be && !component.Substitutable(e, be)
		}
		return ranges(d.Min, d.Max, b.Min, b.Max) && !slices.ContainsFunc(own, outside)
	}
	// A choice of members that occurs b.Min to b.Max times, restricted by one element, is
	// compared as a group of it alone: RecurseAsIfGroup.
	return ranges(1, 1, b.Min, b.Max) && ranges(d.Min, d.Max, 1, 1)
}

// members returns the choice that the head of a substitution group stands for.
func (r *restriction) members(head *component.Element) *component.Group {
	all := &component.Group{Kind: component.Choice}
	r.schema.Substitutes(head, func(e *component.Element) bool {
		all.Particles = append(all.Particles, &component.Particle{Min: 1, Max: 1, Term: e})
		return len(all.Particles) <= maxSteps
	})
	return all
}

func sameValue(a, b *component.Constraint) bool {
	if a.OK && b.OK {
		return a.Value.Equal(b.Value)
	}
	return a.Text == b.Text
}

// identitiesWithin reports whether the identity constraints of d are some of those of b.
func identitiesWithin(d, b *component.Element) bool {
	for _, i := range d.Identities {
		found := false
		for _, j := range b.Identities {
			found = found || i.Name == j.Name || i.Selector.Text == j.Selector.Text
		}
		if !found {
			return false
		}
	}
	return true
}

// withinHead compares a group with an element that is the head of a substitution group,
// and stands for a choice of its members.
func (r *restriction) withinHead(d, b *component.Particle, head *component.Element) bool {
	g, ok := d.Term.(*component.Group)
	if !ok || !head.Global {
		return false
	}
	members := r.members(head)
	if len(members.Particles) < 2 {
		return false
	}
	return r.group(d, &component.Particle{Min: b.Min, Max: b.Max, Term: members}, g, members)
}

// withinWildcard compares with a wildcard (NSCompat, NSSubset, NSRecurseCheckCardinality).
func (r *restriction) withinWildcard(d, b *component.Particle, w *component.Wildcard) bool {
	switch t := d.Term.(type) {
	case *component.Element:
		return w.Admits(t.Name.Space) && ranges(d.Min, d.Max, b.Min, b.Max)
	case *component.Wildcard:
		return ranges(d.Min, d.Max, b.Min, b.Max) && t.Within(w) && t.Process <= w.Process
	}
	least, most := total(d)
	if !ranges(least, most, b.Min, b.Max) {
		return false
	}
	return r.allAdmitted(d.Term.(*component.Group), w)
}

func (r *restriction) allAdmitted(g *component.Group, w *component.Wildcard) bool {
	once := &component.Particle{Min: 0, Max: component.Unbounded, Term: w}
	for _, p := range g.Particles {
		if inner, ok := p.Term.(*component.Group); ok {
			if !r.allAdmitted(inner, w) {
				return false
			}
		} else if !r.withinWildcard(p, once, w) {
			return false
		}
	}
	return true
}

// total returns the effective total range (3.8.6).
func total(p *component.Particle) (least, most int) {
	g, ok := p.Term.(*component.Group)
	if !ok {
		return p.Min, p.Max
	}
	for i, member := range g.Particles {
		l, m := total(member)
		if g.Kind != component.Choice {
			least, most = least+l, plus(most, m)
			continue
		}
		if i == 0 || l < least {
			least = l
		}
		if m == component.Unbounded || most == component.Unbounded {
			most = component.Unbounded
		} else {
			most = max(most, m)
		}
	}
	return least * p.Min, times(most, p.Max)
}

func plus(a, b int) int {
	if a == component.Unbounded || b == component.Unbounded {
		return component.Unbounded
	}
	return a + b
}

func times(a, b int) int {
	switch {
	case a == 0 || b == 0:
		return 0
	case a == component.Unbounded || b == component.Unbounded:
		return component.Unbounded
	}
	return a * b
}

// asIfGroup compares an element with a group, as if it were a group of one.
func (r *restriction) asIfGroup(d, b *component.Particle, bg *component.Group) bool {
	dg := &component.Group{Kind: bg.Kind, Particles: []*component.Particle{d}}
	return r.group(&component.Particle{Min: 1, Max: 1, Term: dg}, b, dg, bg)
}

// group compares groups.
func (r *restriction) group(d, b *component.Particle, dg, bg *component.Group) bool {
	switch {
	case dg.Kind == component.Sequence && bg.Kind == component.Choice:
		return r.mapAndSum(d, b, dg, bg)
	case dg.Kind == component.Sequence && bg.Kind == component.All:
		return ranges(d.Min, d.Max, b.Min, b.Max) && r.unordered(dg, bg)
	case dg.Kind != bg.Kind || !ranges(d.Min, d.Max, b.Min, b.Max):
		return false
	case dg.Kind == component.Choice:
		return r.ordered(dg, bg, func(*component.Particle) bool { return true })
	}
	return r.ordered(dg, bg, emptiable)
}

func emptiable(p *component.Particle) bool {
	least, _ := total(p)
	return least == 0
}

// ordered maps the members of d to those of b in their order (Recurse, RecurseLax). Those
// of b that are left out must be of a kind that may be.
func (r *restriction) ordered(dg, bg *component.Group, mayMiss func(*component.Particle) bool) bool {
	at := 0
	for _, d := range dg.Particles {
		for ; ; at++ {
			if at == len(bg.Particles) {
				return false
			}
			if r.valid(d, bg.Particles[at]) {
				at++
				break
			}
			if !mayMiss(bg.Particles[at]) {
				return false
			}
		}
	}
	for _, b := range bg.Particles[at:] {
		if !mayMiss(b) {
			return false
		}
	}
	return true
}

// unordered maps the members of a sequence to different members of an all group
// (RecurseUnordered).
func (r *restriction) unordered(dg, bg *component.Group) bool {
	used := make([]bool, len(bg.Particles))
	for _, d := range dg.Particles {
		found := false
		for i, b := range bg.Particles {
			if !used[i] && r.valid(d, b) {
				used[i], found = true, true
				break
			}
		}
		if !found {
			return false
		}
	}
	for i, b := range bg.Particles {
		if !used[i] && !emptiable(b) {
			return false
		}
	}
	return true
}

// mapAndSum maps each member of a sequence to a member of a choice (MapAndSum).
func (r *restriction) mapAndSum(d, b *component.Particle, dg, bg *component.Group) bool {
	n := len(dg.Particles)
	if !ranges(d.Min*n, times(d.Max, n), b.Min, b.Max) {
		return false
	}
	for _, p := range dg.Particles {
		found := false
		for _, q := range bg.Particles {
			if found = r.valid(p, q); found {
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}
