package document

import (
	"slices"

	dom "github.com/lestrrat-go/helium"
	"github.com/triptych-mcp/triptych/debugger/document/internal/xsd"
)

// A rest is the part of a content model that is still allowed: a particle a
// number of times, followed by the next rest. nil is the end.
type rest struct {
	term     xsd.ParticleTerm
	min, max int // max may be xsd.Unbounded
	next     *rest

	left *rest // cached result of fewer
	body *rest // cached result of sequence
}

// rests holds alternative ways to continue.
type rests []*rest

// has reports whether all contains r.
func (all rests) has(r *rest) bool {
	return slices.ContainsFunc(all, r.equal)
}

func (r *rest) equal(other *rest) bool {
	for ; r != other; r, other = r.next, other.next {
		if r == nil || other == nil || r.term != other.term || r.min != other.min || r.max != other.max {
			return false
		}
	}
	return true
}

// particleRest returns the rest for a particle followed by next. Groups have
// occurrence limits of their own.
func particleRest(p *xsd.Particle, next *rest) *rest {
	if group, ok := p.Term.(*xsd.ModelGroup); ok {
		return groupRest(group, next)
	}
	return &rest{term: p.Term, min: p.MinOccurs, max: p.MaxOccurs, next: next}
}

func groupRest(group *xsd.ModelGroup, next *rest) *rest {
	return &rest{term: group, min: group.MinOccurs, max: group.MaxOccurs, next: next}
}

// fewer returns the rest after its particle has occurred once. It always returns
// the same pointer.
func (r *rest) fewer() *rest {
	switch {
	case r.max == 1:
		return r.next
	case r.max == xsd.Unbounded && r.min == 0:
		return r
	case r.left == nil:
		r.left = &rest{term: r.term, min: max(0, r.min-1), max: oneLess(r.max), next: r.next}
	}
	return r.left
}

func oneLess(most int) int {
	if most == xsd.Unbounded {
		return most
	}
	return most - 1
}

// A step leads to what follows an element: a rest, behind what is left of an all
// group if there is one. That is made only for the element that is there, since an
// all group of thousands has as many steps for each child.
type step struct {
	after  *rest
	group  *xsd.ModelGroup // nil outside of an all group
	member int             // of the group
}

func (s step) rest() *rest {
	if s.group == nil {
		return s.after
	}
	return groupRest(without(s.group, s.member), s.after)
}

// next visits the elements and wildcards that may come next in r, up to stop,
// each with the step to what follows it. With leap, required elements may be
// missing.
func (o *orderer) next(r, stop *rest, leap bool, visit func(xsd.ParticleTerm, step)) {
	for ; r != stop; r = r.next {
		if r.max != 0 {
			o.enter(r, leap, visit)
		}
		if !leap && r.min > 0 && !o.canBeEmpty(r.term) {
			return
		}
	}
}

// enter visits what may come next in the first particle of r.
func (o *orderer) enter(r *rest, leap bool, visit func(xsd.ParticleTerm, step)) {
	group, ok := r.term.(*xsd.ModelGroup)
	if !ok {
		visit(r.term, step{after: r.fewer()})
		return
	}
	if group.Compositor == xsd.CompositorSequence {
		o.next(r.sequence(group), r.fewer(), leap, visit)
		return
	}
	for i, p := range group.Particles {
		if p.MaxOccurs == 0 {
			continue
		}
		after := r.fewer()
		if group.Compositor == xsd.CompositorAll {
			visit(p.Term, step{after, group, i})
			continue
		}
		o.next(particleRest(p, after), after, leap, visit)
	}
}

// sequence returns the contents of a sequence, followed by what follows r.
func (r *rest) sequence(group *xsd.ModelGroup) *rest {
	if r.body == nil {
		r.body = r.fewer()
		for _, p := range slices.Backward(group.Particles) {
			r.body = particleRest(p, r.body)
		}
	}
	return r.body
}

// without returns an all group without its i-th member.
func without(group *xsd.ModelGroup, i int) *xsd.ModelGroup {
	come := group.Particles[i]
	left := &xsd.ModelGroup{Compositor: xsd.CompositorAll, MinOccurs: 1, MaxOccurs: 1}
	left.Particles = slices.Delete(slices.Clone(group.Particles), i, i+1)
	if come.MaxOccurs != 1 {
		less := &xsd.Particle{MinOccurs: max(0, come.MinOccurs-1), MaxOccurs: oneLess(come.MaxOccurs), Term: come.Term}
		left.Particles = append(left.Particles, less)
	}
	return left
}

// canBeEmpty reports whether a term may match no element.
func (o *orderer) canBeEmpty(term xsd.ParticleTerm) bool {
	group, ok := term.(*xsd.ModelGroup)
	if !ok {
		return false
	}
	empty, known := o.empties[group]
	if !known {
		empty = o.hasEmptyForm(group)
		o.empties[group] = empty
	}
	return empty
}

// hasEmptyForm reports whether a group may match no element: one particle of a
// choice, or all particles of another group, must permit it. So a choice without
// particles matches nothing at all.
func (o *orderer) hasEmptyForm(group *xsd.ModelGroup) bool {
	avoidable := func(p *xsd.Particle) bool {
		r := particleRest(p, nil)
		return r.min == 0 || o.canBeEmpty(r.term)
	}
	if group.Compositor == xsd.CompositorChoice {
		return slices.ContainsFunc(group.Particles, avoidable)
	}
	return !slices.ContainsFunc(group.Particles, func(p *xsd.Particle) bool { return !avoidable(p) })
}

// afterThese returns what may follow those of some children that fit now. A child that is
// out of place is one violation: it is not also reported as missing.
func (o *orderer) afterThese(now rests, children []*dom.Element) rests {
	for i := 0; i < len(children); {
		next := o.after(now, children[i], false)
		if len(next) == 0 {
			i++
			continue
		}
		now, children = next, slices.Delete(children, i, i+1)
		i = 0 // those before it may fit now
	}
	return now
}
