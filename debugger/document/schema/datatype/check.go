package datatype

// check returns text with normalized white space if it is a value of the type. It sets v
// to the value unless v is nil.
func (t *Type) check(text string, ctx Context, v *Value) (normal string, failed *failure) {
	switch t.variety {
	case List:
		return text, t.checkList(text, ctx, v)
	case Union:
		return t.checkUnion(text, ctx, v)
	}
	text = t.facets.white.normalize(text)
	switch {
	case t.variety == Any:
	case t.kind == decimalKind:
		failed = t.checkDecimal(text, ctx)
	case !t.lexical(text, ctx):
		failed = &failure{t: t, text: text}
	case t.facets.checked:
		failed = t.facets.check(t, text, ctx)
	}
	if v != nil && failed == nil {
		*v = Value{t: t, key: t.key(text, ctx)}
	}
	return text, failed
}

// checkDecimal checks a decimal, which is read only once.
func (t *Type) checkDecimal(text string, ctx Context) *failure {
	d, point, ok := parseDecimal(text)
	if !ok || point && t.subset == integers {
		return &failure{t: t, text: text}
	}
	f := &t.facets
	if !f.checked {
		return nil
	}
	if failed := f.checkDigits(t, text, d); failed != nil {
		return failed
	}
	for facet, b := range f.bounds {
		if b != nil && !allows(facet, orderOf(d.compare(b.datum.decimal))) {
			return b.failure(t, text, facet)
		}
	}
	if failed := f.checkPatterns(t, text, ctx); failed != nil {
		return failed
	}
	return f.checkValues(t, text, func() string { return t.key(text, nil) })
}

// checkList checks the items of a list, and its facets.
func (t *Type) checkList(text string, ctx Context, v *Value) *failure {
	if v == nil && t.facets.values != nil {
		v = new(Value)
	}
	items, failed := t.checkItems(text, ctx, v)
	if failed != nil || !t.facets.checked {
		return failed
	}
	if failed := t.facets.checkLength(t, text, func() int { return items }); failed != nil {
		return failed
	}
	if t.facets.patterns == nil && t.facets.values == nil {
		return nil
	}
	text = collapse.normalize(text)
	if failed := t.facets.checkPatterns(t, text, ctx); failed != nil {
		return failed
	}
	return t.facets.checkValues(t, text, func() string { return v.key })
}

// checkItems checks the items of a list, and returns their number.
func (t *Type) checkItems(text string, ctx Context, v *Value) (n int, failed *failure) {
	var item *Value
	if v != nil {
		*v, item = Value{t: t}, new(Value)
	}
	ender, _ := ctx.(Ender)
	for word, rest := nextWord(text); word != ""; word, rest = nextWord(rest) {
		if n%itemsBetween == itemsBetween-1 && ender != nil && ender.Ended() {
			return n, &failure{t: t, text: text}
		}
		if _, failed := t.item.check(word, ctx, item); failed != nil {
			failed.item = true
			return n, failed
		}
		if v != nil {
			v.items = append(v.items, *item)
		}
		n++
	}
	if v != nil {
		v.key = keyOfList(v.items)
	}
	return n, nil
}

// checkUnion checks the members of a union in their order, and the facets with the text as
// the first member that it is valid for normalizes it.
func (t *Type) checkUnion(text string, ctx Context, v *Value) (normal string, failed *failure) {
	if v == nil && t.facets.values != nil {
		v = new(Value)
	}
	failed = &failure{t: t, text: text}
	for _, m := range t.members {
		if normal, failed = m.check(text, ctx, v); failed == nil {
			break
		}
	}
	switch {
	case failed != nil:
		return text, &failure{t: t, text: text}
	case !t.facets.checked:
		return normal, nil
	}
	if failed := t.facets.checkPatterns(t, normal, ctx); failed != nil {
		return normal, failed
	}
	return normal, t.facets.checkValues(t, normal, func() string { return v.key })
}
