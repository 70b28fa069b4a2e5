package document

import (
	"cmp"
	"context"
	"slices"
	"strings"

	dom "github.com/lestrrat-go/helium"
	"github.com/triptych-mcp/triptych/debugger/document/internal/xsd"
)

// An orderer finds every misplaced child of an element. It follows the children
// through the content model. For a child that does not fit, an element before it
// may be missing, it may be superfluous, or it may stand in place of another: the
// orderer chooses the assumption under which most of the following children fit.
type orderer struct {
	schema      *xsd.Schema
	substitutes map[*xsd.ElementDecl][]*xsd.ElementDecl
	empties     map[*xsd.ModelGroup]bool
}

func newOrderer(schema *xsd.Schema) *orderer {
	return &orderer{schema, map[*xsd.ElementDecl][]*xsd.ElementDecl{}, map[*xsd.ModelGroup]bool{}}
}

const (
	// maxRests limits the alternatives that are followed, and the misplaced children
	// that may be missing elsewhere. Schemas are deterministic, so only nested counters
	// cause more than a few.
	maxRests = 64
	// ahead is the number of children that decide how to continue after a
	// violation.
	ahead = 8
	// maxExpected limits the names in a message.
	maxExpected = 24
)

// judge returns the misplaced children of an element and the names of missing
// ones. It returns nothing if it cannot follow the model or ctx ends.
func (o *orderer) judge(ctx context.Context, e *dom.Element, td *xsd.TypeDef) []remark {
	if td.OpenContent != nil || takesAny(td) || hasNestedAll(td.ContentModel) {
		return nil
	}
	children := childElements(e)
	now := rests{nil}
	if td.ContentModel != nil {
		now = rests{groupRest(td.ContentModel, nil)}
	}
	var found []remark
	var misplaced []*dom.Element
	for i, child := range children {
		next := o.after(now, child, false)
		if len(next) == 0 {
			if len(misplaced) < maxRests {
				misplaced = append(misplaced, child)
			}
			found = append(found, remark{number: child.Line(), message: saysUnexpected + o.expected(now)})
			next = o.recover(now, children[i:])
		}
		if now = next; len(now) > maxRests || ctx.Err() != nil {
			return nil
		}
		if len(found) == MaxViolations {
			return found
		}
	}
	if now = o.afterThese(now, misplaced); !slices.ContainsFunc(now, o.done) {
		found = append(found, remark{number: e.Line(), message: saysMissing + o.expected(now)})
	}
	return found
}

// takesAny reports whether a type is xs:anyType, which allows any children, or
// extends it without adding elements.
func takesAny(td *xsd.TypeDef) bool {
	if td.ContentType != xsd.ContentTypeMixed {
		return false
	}
	for ; td != nil && td.ContentModel == nil; td = td.BaseType {
		if td.Name.NS == namespaceXSD && td.Name.Local == "anyType" {
			return true
		}
		if td.Derivation != xsd.DerivationExtension {
			return false
		}
	}
	return false
}

const namespaceXSD = "http://www.w3.org/2001/XMLSchema"

// hasNestedAll reports whether an all group contains other groups, which only XML
// Schema 1.1 allows.
func hasNestedAll(group *xsd.ModelGroup) bool {
	return group != nil && group.Compositor == xsd.CompositorAll && slices.ContainsFunc(group.Particles, func(p *xsd.Particle) bool {
		_, nested := p.Term.(*xsd.ModelGroup)
		return nested
	})
}

func childElements(e *dom.Element) []*dom.Element {
	var all []*dom.Element
	for c := elementFrom(e.FirstChild()); c != nil; c = elementFrom(c.NextSibling()) {
		all = append(all, c)
	}
	return all
}

// recover returns how to continue after the first of children, which does not
// fit.
func (o *orderer) recover(now rests, children []*dom.Element) rests {
	ways := []rests{o.after(now, children[0], true), now, o.afterAny(now)}
	return slices.MaxFunc(ways, func(a, b rests) int {
		return cmp.Compare(o.score(a, children[1:]), o.score(b, children[1:]))
	})
}

// score returns how many of the next children fit, plus one if that completes the
// content. It is negative if there is no way to continue.
func (o *orderer) score(now rests, children []*dom.Element) int {
	if len(now) == 0 {
		return -1
	}
	for i, child := range children[:min(ahead, len(children))] {
		if now = o.after(now, child, false); len(now) == 0 {
			return i
		}
	}
	if len(children) <= ahead && slices.ContainsFunc(now, o.done) {
		return len(children) + 1
	}
	return min(ahead, len(children))
}

// afterAny returns what may follow any child that would fit, or nothing if there
// are too many such children to follow.
func (o *orderer) afterAny(now rests) rests {
	fitting := 0
	for _, r := range now {
		o.next(r, nil, false, func(xsd.ParticleTerm, step) { fitting++ })
	}
	if fitting > maxRests {
		return nil
	}
	return o.afterSome(now, false, func(xsd.ParticleTerm) bool { return true })
}

// after returns what may follow a child, or nothing if the child does not fit.
// With leap, required elements before the child may be missing.
func (o *orderer) after(now rests, child *dom.Element, leap bool) rests {
	return o.afterSome(now, leap, func(term xsd.ParticleTerm) bool { return o.fits(term, child) })
}

func (o *orderer) afterSome(now rests, leap bool, fits func(xsd.ParticleTerm) bool) rests {
	var next rests
	for _, r := range now {
		o.next(r, nil, leap, func(term xsd.ParticleTerm, to step) {
			if len(next) > maxRests || !fits(term) {
				return
			}
			if after := to.rest(); !next.has(after) {
				next = append(next, after)
			}
		})
	}
	return next
}

// done reports whether the content may end here.
func (o *orderer) done(r *rest) bool {
	for ; r != nil; r = r.next {
		if r.min > 0 && !o.canBeEmpty(r.term) {
			return false
		}
	}
	return true
}

// expected returns the names of elements that may come next, in the engine's
// wording.
func (o *orderer) expected(now rests) string {
	var names []string
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, r := range now {
		o.next(r, nil, false, func(term xsd.ParticleTerm, _ step) {
			if len(names) <= maxExpected {
				o.name(term, add)
			}
		})
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

// name passes the names of the elements that a term allows to add.
func (o *orderer) name(term xsd.ParticleTerm, add func(string)) {
	switch term := term.(type) {
	case *xsd.Wildcard:
		add(term.Namespace)
	case *xsd.ElementDecl:
		for _, decl := range o.forms(term) {
			add(clark(decl.Name))
		}
	}
}

// clark returns a name in Clark notation: {namespace}local.
func clark(name xsd.QName) string {
	if name.NS == "" {
		return name.Local
	}
	return "{" + name.NS + "}" + name.Local
}

// forms returns an element and those that may substitute it, without abstract
// ones.
func (o *orderer) forms(decl *xsd.ElementDecl) []*xsd.ElementDecl {
	all, ok := o.substitutes[decl]
	if !ok {
		all = slices.Concat([]*xsd.ElementDecl{decl}, substitutes(o.schema, decl))
		all = slices.DeleteFunc(all, func(d *xsd.ElementDecl) bool { return d.Abstract })
		o.substitutes[decl] = all
	}
	return all
}

// fits reports whether a child matches an element or wildcard.
func (o *orderer) fits(term xsd.ParticleTerm, child *dom.Element) bool {
	name := xsd.QName{Local: child.LocalName(), NS: child.URI()}
	switch term := term.(type) {
	case *xsd.Wildcard:
		return o.admits(term, name)
	case *xsd.ElementDecl:
		return slices.ContainsFunc(o.forms(term), func(d *xsd.ElementDecl) bool { return d.Name == name })
	}
	return false
}

// admits reports whether a wildcard allows a name.
func (o *orderer) admits(w *xsd.Wildcard, name xsd.QName) bool {
	_, global := o.schema.LookupElement(name.Local, name.NS)
	switch {
	case slices.Contains(w.NotQName, name),
		w.NotQNameDefined && global,
		w.NotQNameDefinedSibling && slices.Contains(w.SiblingNames, name):
		return false
	case w.NotNamespace != nil:
		return !slices.Contains(w.NotNamespace, name.NS)
	}
	return admitsNamespace(w, name.NS)
}

// admitsNamespace reports whether a wildcard lists a namespace.
func admitsNamespace(w *xsd.Wildcard, space string) bool {
	switch w.Namespace {
	case xsd.WildcardNSAny:
		return true
	case xsd.WildcardNSOther:
		return space != "" && space != w.TargetNS
	case xsd.WildcardNSNotAbsent:
		return space != ""
	}
	for one := range strings.FieldsSeq(w.Namespace) {
		switch one {
		case xsd.WildcardNSLocal:
			one = ""
		case xsd.WildcardNSTargetNamespace:
			one = w.TargetNS
		}
		if one == space {
			return true
		}
	}
	return false
}
