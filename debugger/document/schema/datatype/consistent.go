package datatype

// compareLengths checks that the facets of lengths agree (part 2, sections 4.3.1.4 and
// 4.3.2.4).
func (r *restriction) compareLengths() {
	n := &r.facets.numbers
	exact, least, most := n[lengthFacet], n[minLengthFacet], n[maxLengthFacet]
	if least.set && most.set && least.n > most.n {
		r.say(r.last("minLength", "maxLength"), "The minLength %d is greater than the maxLength %d.", least.n, most.n)
	}
	if !exact.set {
		return
	}
	if least.set && (least.n > exact.n || r.both("length", "minLength") && !r.before(minLengthFacet)) {
		r.say(r.last("length", "minLength"), "The facets length and minLength exclude each other.")
	}
	if most.set && (most.n < exact.n || r.both("length", "maxLength") && !r.before(maxLengthFacet)) {
		r.say(r.last("length", "maxLength"), "The facets length and maxLength exclude each other.")
	}
}

// both reports whether this step has two facets.
func (r *restriction) both(a, b string) bool {
	_, hasA := r.own[a]
	_, hasB := r.own[b]
	return hasA && hasB
}

// before reports whether a type that this one is derived from has the same value of a
// facet, and no length.
func (r *restriction) before(facet int) bool {
	for t := r.base; t != nil; t = t.base {
		if n := t.facets.numbers; n[facet].set && n[facet].n == r.facets.numbers[facet].n && !n[lengthFacet].set {
			return true
		}
	}
	return false
}

// last returns the index of the last of two facets that this step has, -1 if it has none.
func (r *restriction) last(a, b string) int {
	i := -1
	for _, name := range []string{a, b} {
		if at, ok := r.own[name]; ok {
			i = max(i, at)
		}
	}
	return i
}

// compareDigits checks that the facets of digits agree (part 2, section 4.3.12.4).
func (r *restriction) compareDigits() {
	total, fraction := r.facets.numbers[totalDigitsFacet], r.facets.numbers[fractionDigitsFacet]
	if total.set && fraction.set && fraction.n > total.n {
		r.say(r.last("totalDigits", "fractionDigits"), "The fractionDigits %d are more than the totalDigits %d.", fraction.n, total.n)
	}
}

// compareBounds checks that the bounds agree (part 2, sections 4.3.7 to 4.3.10).
func (r *restriction) compareBounds() {
	r.exclude("minInclusive", "minExclusive")
	r.exclude("maxInclusive", "maxExclusive")
	for _, low := range []int{minInclusiveFacet, minExclusiveFacet} {
		for _, high := range []int{maxInclusiveFacet, maxExclusiveFacet} {
			r.compareBound(low, high)
		}
	}
}

// exclude reports facets that are not in one step.
func (r *restriction) exclude(a, b string) {
	if r.both(a, b) {
		r.say(r.last(a, b), "The facets %s and %s exclude each other.", a, b)
	}
}

// compareBound checks that a lower bound is not above a higher one. They may be equal if
// both include their value or both exclude it.
func (r *restriction) compareBound(low, high int) {
	a, b := r.facets.bounds[low], r.facets.bounds[high]
	i := r.last(boundNames[low], boundNames[high])
	if a == nil || b == nil || i < 0 {
		return
	}
	o := r.kind.compare(&a.datum, &b.datum)
	inclusive := low == minInclusiveFacet
	if o == greater || o == equal && inclusive != (high == maxInclusiveFacet) {
		r.say(i, "The %s %s is not less than the %s %s.", boundNames[low], a.text, boundNames[high], b.text)
	}
}
