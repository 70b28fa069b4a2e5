package datatype

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/document/schema/pattern"
)

// A Facet is a constraining facet as a schema document has it.
type Facet struct {
	Name  string // such as maxLength
	Value string
	Fixed bool
	Scope Scope // of the prefixes in the value; may be nil if there are none
}

// A Problem is an error in the definition of a type.
type Problem struct {
	Facet   int // index of the facet, -1 if it concerns none
	Message string
}

// NewRestriction returns the type that restricts base by facets (part 2, section 4.3).
// Facets with problems are left out; the type can be used all the same.
func NewRestriction(name Name, base *Type, facets []Facet) (*Type, []Problem) {
	t := *base
	t.name, t.base = name, base
	if base.unknown {
		return &t, nil
	}
	r := &restriction{Type: &t, own: map[string]int{}}
	for i := range facets {
		r.add(i, &facets[i])
	}
	r.addPatterns()
	r.addValues(facets)
	r.compareLengths()
	r.compareDigits()
	r.compareBounds()
	return &t, r.problems
}

// A restriction is a type in the making.
type restriction struct {
	*Type
	own      map[string]int // indexes of the facets of this step, the last of each name
	patterns []*pattern.Pattern
	values   []int // indexes of the enumerations
	problems []Problem
}

func (r *restriction) say(i int, format string, args ...any) {
	r.problems = append(r.problems, Problem{i, fmt.Sprintf(format, args...)})
}

// add adds a facet.
func (r *restriction) add(i int, f *Facet) {
	if !r.applicable(f.Name) {
		r.say(i, "The facet %s is not applicable to the type %s.", f.Name, r.base.display())
		return
	}
	if _, twice := r.own[f.Name]; twice && f.Name != "pattern" && f.Name != "enumeration" {
		r.say(i, "The facet %s is there twice.", f.Name)
		return
	}
	r.own[f.Name] = i
	switch f.Name {
	case "pattern":
		p, err := pattern.Compile(f.Value)
		if err != nil {
			r.say(i, "The pattern %s is not valid: %v.", quote(f.Value), err)
			return
		}
		r.patterns = append(r.patterns, p)
	case "enumeration":
		r.values = append(r.values, i)
	case "whiteSpace":
		r.addWhiteSpace(i, f)
	default:
		if facet := slices.Index(numberNames[:], f.Name); facet >= 0 {
			r.addNumber(i, f, facet)
		} else {
			r.addBound(i, f, slices.Index(boundNames[:], f.Name))
		}
	}
}

// applicable reports whether types like this have a facet (part 2, section 4.1.5).
func (r *restriction) applicable(name string) bool {
	switch name {
	case "pattern":
		return r.variety != Any
	case "enumeration":
		return r.variety != Any && r.kind != booleanKind
	case "whiteSpace":
		return r.variety == Atomic || r.variety == List
	case "length", "minLength", "maxLength":
		return r.variety == List || r.kind.hasLength()
	case "totalDigits", "fractionDigits":
		return r.kind == decimalKind
	}
	return slices.Contains(boundNames[:], name) && r.kind.ordered()
}

func (r *restriction) addWhiteSpace(i int, f *Facet) {
	white, ok := whiteSpaces[collapse.normalize(f.Value)]
	switch was := &r.facets; {
	case !ok:
		r.say(i, "The value %s of the facet whiteSpace is none of preserve, replace and collapse.", quote(f.Value))
	case white < was.white, was.whiteFixed && white != was.white:
		r.say(i, "The facet whiteSpace cannot be %s: the base type has a stricter or fixed value.", collapse.normalize(f.Value))
	default:
		was.white, was.whiteFixed = white, was.whiteFixed || f.Fixed
	}
}

func (r *restriction) addNumber(i int, f *Facet, facet int) {
	text := collapse.normalize(f.Value)
	d, point, ok := parseDecimal(text)
	if !ok || point || d.negative || facet == totalDigitsFacet && d.whole == "" {
		r.say(i, "The value %s of the facet %s is not a number that it can have.", quote(f.Value), f.Name)
		return
	}
	n, err := strconv.Atoi("0" + d.whole)
	if err != nil {
		n = math.MaxInt // more than any value has
	}
	was := r.facets.numbers[facet]
	narrower := n <= was.n
	switch facet {
	case lengthFacet:
		narrower = n == was.n
	case minLengthFacet:
		narrower = n >= was.n
	}
	if was.set && (!narrower || was.fixed && n != was.n) {
		r.say(i, "The facet %s cannot be %s: the base type has %d.", f.Name, text, was.n)
		return
	}
	r.facets.numbers[facet] = number{set: true, fixed: was.fixed || f.Fixed, n: n}
	r.facets.checked = true
}

func (r *restriction) addBound(i int, f *Facet, facet int) {
	text := r.facets.white.normalize(f.Value)
	was := r.base.facets.bounds[facet]
	if !r.base.lexical(text, nil) {
		r.say(i, "The value %s of the facet %s is not of the type %s.", quote(f.Value), f.Name, r.base.display())
		return
	}
	b := &bound{text: quote(text), datum: r.kind.parse(strings.Clone(text)), fixed: f.Fixed}
	if was != nil && was.fixed {
		if r.kind.compare(&was.datum, &b.datum) != equal {
			r.say(i, "The facet %s cannot be %s: that of the base type, %s, is fixed.", f.Name, b.text, was.text)
			return
		}
		b.fixed = true
	}
	for other, bound := range r.base.facets.bounds {
		if bound == nil {
			continue
		}
		// A bound must be within those of the base type. One that excludes its value may
		// equal another that does.
		o := r.kind.compare(&b.datum, &bound.datum)
		if !allows(other, o) && !(o == equal && other == facet) {
			r.say(i, "The facet %s cannot be %s: the base type has the %s %s.", f.Name, b.text, boundNames[other], bound.text)
			return
		}
	}
	r.facets.bounds[facet] = b
	r.facets.checked = true
}

func (r *restriction) addPatterns() {
	if len(r.patterns) > 0 {
		r.facets.patterns = &step{r.patterns, r.facets.patterns}
		r.facets.checked = true
	}
}

// addValues adds the enumeration. Its values are of the base type.
func (r *restriction) addValues(facets []Facet) {
	if len(r.values) == 0 {
		return
	}
	e := &enumeration{texts: map[string]bool{}, keys: map[string]bool{}}
	for _, i := range r.values {
		f := &facets[i]
		var ctx Context
		if f.Scope != nil {
			ctx = definition{f.Scope}
		}
		var v Value
		normal, failed := r.base.check(f.Value, ctx, &v)
		if failed != nil {
			r.say(i, "The value of the facet enumeration is not valid: %s", failed.err())
			continue
		}
		if r.kind != stringKind && r.kind != anyURIKind { // of these the text is the value
			e.keys[v.key] = true
		}
		e.list = append(e.list, f.Value)
		if r.variety == List {
			normal = collapse.normalize(normal)
		}
		if !r.contextual || r.kind == stringKind { // which entities there are is checked before
			e.texts[normal] = true
		}
	}
	r.facets.values, r.facets.checked = e, true
}

// A definition is the context of values in schema documents: entities and notations are
// looked up elsewhere.
type definition struct{ Scope }

// UnparsedEntity implements [Context].
func (definition) UnparsedEntity(string) bool { return true }

// Notation implements [Context].
func (definition) Notation(Name) bool { return true }
