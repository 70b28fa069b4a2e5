package datatype

import (
	"strconv"
	"unicode/utf8"

	"github.com/triptych-mcp/triptych/debugger/document/schema/pattern"
)

// facets are the constraining facets that values of a type must satisfy, those of its base
// included.
type facets struct {
	numbers  [numberFacets]number
	bounds   [boundFacets]*bound
	patterns *step
	values   *enumeration
	checked  bool // any of the above is set

	white      whiteSpace
	whiteFixed bool
}

// The facets whose value is a number.
const (
	lengthFacet = iota
	minLengthFacet
	maxLengthFacet
	totalDigitsFacet
	fractionDigitsFacet
	numberFacets
)

// The facets whose value is one of the base type.
const (
	minInclusiveFacet = iota
	minExclusiveFacet
	maxInclusiveFacet
	maxExclusiveFacet
	boundFacets
)

var (
	numberNames = [numberFacets]string{"length", "minLength", "maxLength", "totalDigits", "fractionDigits"}
	boundNames  = [boundFacets]string{"minInclusive", "minExclusive", "maxInclusive", "maxExclusive"}
	boundWords  = [boundFacets]string{"at least", "greater than", "at most", "less than"}
)

// A number is the value of a facet.
type number struct {
	set, fixed bool
	n          int
}

// A bound is the value of a facet that bounds others.
type bound struct {
	text  string
	datum datum
	fixed bool
}

// A step holds the patterns of one step of derivation, of which one must match, and the
// steps before it.
type step struct {
	alternatives []*pattern.Pattern
	base         *step
}

// An enumeration is a set of values.
type enumeration struct {
	texts map[string]bool // normalized texts of values that do not depend on the context
	keys  map[string]bool // of values that may have several texts
	list  []string        // as they stand in the schema
}

// A datum is a value of an ordered type.
type datum struct {
	decimal  decimal
	float    float64
	duration duration
	moment   moment
}

// parse returns the value of a text that is in the lexical space of the kind.
func (k kind) parse(text string) (d datum) {
	switch k {
	case decimalKind:
		d.decimal, _, _ = parseDecimal(text)
	case floatKind:
		d.float = parseFloat(text, 32)
	case doubleKind:
		d.float = parseFloat(text, 64)
	case durationKind:
		parts, _ := parseParts(text)
		d.duration = parts.duration()
	default:
		f, _ := parseFields(forms[k], text)
		d.moment = f.moment(k)
	}
	return d
}

func (k kind) compare(a, b *datum) order {
	switch k {
	case decimalKind:
		return orderOf(a.decimal.compare(b.decimal))
	case floatKind, doubleKind:
		return compareFloats(a.float, b.float)
	case durationKind:
		return a.duration.compare(b.duration)
	}
	return a.moment.compare(b.moment)
}

// allows reports whether a value with an order to the bound satisfies the facet.
func allows(facet int, o order) bool {
	switch facet {
	case minInclusiveFacet:
		return o == greater || o == equal
	case minExclusiveFacet:
		return o == greater
	case maxInclusiveFacet:
		return o == less || o == equal
	}
	return o == less
}

// check returns the failure of a value of an atomic type that is not derived from decimal,
// or nil. text is normalized and in the lexical space.
func (f *facets) check(t *Type, text string, ctx Context) *failure {
	if failed := f.checkPatterns(t, text, ctx); failed != nil {
		return failed
	}
	if t.kind.hasLength() && t.kind != qNameKind && t.kind != notationKind {
		if failed := f.checkLength(t, text, func() int { return t.kind.length(text) }); failed != nil {
			return failed
		}
	}
	if f.bounds != [boundFacets]*bound{} {
		if failed := f.checkBounds(t, text); failed != nil {
			return failed
		}
	}
	return f.checkValues(t, text, func() string { return t.key(text, ctx) })
}

func (f *facets) checkPatterns(t *Type, text string, ctx Context) *failure {
	if f.patterns == nil {
		return nil
	}
	spender, _ := ctx.(Spender)
	bases := 0
	for s := f.patterns; s != nil; s = s.base {
		ok, err := s.match(text, spender, bases/manyBases)
		bases++
		switch {
		case err != nil:
			return &failure{t: t, text: text, facet: effort, limit: quoteAll(s.texts())}
		case !ok:
			return &failure{t: t, text: text, facet: "pattern", limit: quoteAll(s.texts())}
		}
	}
	return nil
}

// manyBases is the number of types with patterns, each derived from the next, above which
// the comparisons of a value themselves count as steps.
const manyBases = 16

// match reports whether one of the patterns matches. It returns an error if none does, but
// one may have. It spends more steps than those that the comparisons take.
func (s *step) match(text string, spender Spender, more int) (ok bool, err error) {
	for _, p := range s.alternatives {
		ok, steps, failed := p.Steps(text)
		if spender != nil && !spender.Spend(steps+more) {
			return false, pattern.ErrWork
		}
		if ok {
			return true, nil
		}
		if failed != nil {
			err = failed
		}
	}
	return false, err
}

func (s *step) texts() []string {
	var all []string
	for _, p := range s.alternatives {
		all = append(all, p.String())
	}
	return all
}

// length returns the length of a value of the kind.
func (k kind) length(text string) int {
	switch k {
	case hexBinaryKind:
		return hexLength(text)
	case base64BinaryKind:
		return base64Length(text)
	}
	return utf8.RuneCountInString(text)
}

// checkLength checks the facets of lengths. It counts only if there are any.
func (f *facets) checkLength(t *Type, text string, count func() int) *failure {
	exact, least, most := f.numbers[lengthFacet], f.numbers[minLengthFacet], f.numbers[maxLengthFacet]
	if !exact.set && !least.set && !most.set {
		return nil
	}
	n := count()
	failed := func(facet int) *failure {
		return &failure{t: t, text: text, facet: numberNames[facet], limit: strconv.Itoa(f.numbers[facet].n), length: n}
	}
	switch {
	case exact.set && n != exact.n:
		return failed(lengthFacet)
	case least.set && n < least.n:
		return failed(minLengthFacet)
	case most.set && n > most.n:
		return failed(maxLengthFacet)
	}
	return nil
}

// checkDigits checks the facets of the digits of decimals.
func (f *facets) checkDigits(t *Type, text string, d decimal) *failure {
	total, fraction := f.numbers[totalDigitsFacet], f.numbers[fractionDigitsFacet]
	switch {
	case total.set && len(d.whole)+len(d.fraction) > total.n:
		return &failure{t: t, text: text, facet: "totalDigits", limit: strconv.Itoa(total.n)}
	case fraction.set && len(d.fraction) > fraction.n:
		return &failure{t: t, text: text, facet: "fractionDigits", limit: strconv.Itoa(fraction.n)}
	}
	return nil
}

func (f *facets) checkBounds(t *Type, text string) *failure {
	value := t.kind.parse(text)
	for facet, b := range f.bounds {
		if b != nil && !allows(facet, t.kind.compare(&value, &b.datum)) {
			return b.failure(t, text, facet)
		}
	}
	return nil
}

func (b *bound) failure(t *Type, text string, facet int) *failure {
	return &failure{t: t, text: text, facet: boundNames[facet], limit: b.text}
}

// checkValues checks the enumeration. It makes the key of the value only if the text is
// not listed.
func (f *facets) checkValues(t *Type, text string, key func() string) *failure {
	v := f.values
	if v == nil || v.texts[text] || len(v.keys) > 0 && v.keys[key()] {
		return nil
	}
	return &failure{t: t, text: text, facet: "enumeration", limit: quoteAll(f.values.list)}
}
