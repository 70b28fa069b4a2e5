package datatype

// Builtin returns the built-in type with a local name, or nil.
func Builtin(local string) *Type { return builtins[local] }

// Unknown returns a type that stands in for one that could not be made. It has all values,
// and so have its restrictions, by whatever facets.
func Unknown() *Type {
	t := *builtins["anySimpleType"]
	t.base, t.unknown = builtins["anySimpleType"], true
	return &t
}

// builtins are the built-in types, by name.
var builtins = newBuiltins()

// derived are the built-in types that are derived from others by restriction (part 2,
// section 3.3), each after its base.
var derived = []struct {
	name, base  string
	white       whiteSpace
	subset      subset
	role        role
	least, most string // inclusive bounds
}{
	{name: "normalizedString", base: "string", white: replace},
	{name: "token", base: "normalizedString", white: collapse},
	{name: "language", base: "token", white: collapse, subset: languages},
	{name: "NMTOKEN", base: "token", white: collapse, subset: nmtokens},
	{name: "Name", base: "token", white: collapse, subset: names},
	{name: "NCName", base: "Name", white: collapse, subset: ncNames},
	{name: "ID", base: "NCName", white: collapse, subset: ncNames, role: idRole},
	{name: "IDREF", base: "NCName", white: collapse, subset: ncNames, role: idrefRole},
	{name: "ENTITY", base: "NCName", white: collapse, subset: ncNames, role: entityRole},
	{name: "integer", base: "decimal", white: collapse, subset: integers},
	{name: "nonPositiveInteger", base: "integer", white: collapse, subset: integers, most: "0"},
	{name: "negativeInteger", base: "nonPositiveInteger", white: collapse, subset: integers, most: "-1"},
	{name: "long", base: "integer", white: collapse, subset: integers, least: "-9223372036854775808", most: "9223372036854775807"},
	{name: "int", base: "long", white: collapse, subset: integers, least: "-2147483648", most: "2147483647"},
	{name: "short", base: "int", white: collapse, subset: integers, least: "-32768", most: "32767"},
	{name: "byte", base: "short", white: collapse, subset: integers, least: "-128", most: "127"},
	{name: "nonNegativeInteger", base: "integer", white: collapse, subset: integers, least: "0"},
	{name: "unsignedLong", base: "nonNegativeInteger", white: collapse, subset: integers, most: "18446744073709551615"},
	{name: "unsignedInt", base: "unsignedLong", white: collapse, subset: integers, most: "4294967295"},
	{name: "unsignedShort", base: "unsignedInt", white: collapse, subset: integers, most: "65535"},
	{name: "unsignedByte", base: "unsignedShort", white: collapse, subset: integers, most: "255"},
	{name: "positiveInteger", base: "nonNegativeInteger", white: collapse, subset: integers, least: "1"},
}

// lists are the built-in lists, and the types of their items. They have at least one item.
var lists = map[string]string{"NMTOKENS": "NMTOKEN", "IDREFS": "IDREF", "ENTITIES": "ENTITY"}

func newBuiltins() map[string]*Type {
	all := map[string]*Type{}
	root := &Type{name: Name{Space: space, Local: "anySimpleType"}, cost: 1}
	all[root.name.Local] = root
	for k, local := range primitives {
		if k > 0 {
			all[local] = primitive(kind(k), root)
		}
	}
	for _, d := range derived {
		t := *all[d.base]
		t.name, t.base, t.subset, t.role = Name{Space: space, Local: d.name}, all[d.base], d.subset, d.role
		t.facets.white = d.white
		t.ids, t.refs, t.contextual = d.role == idRole, d.role == idrefRole, d.role == entityRole
		if d.subset == integers {
			t.facets.numbers[fractionDigitsFacet] = number{set: true, fixed: true}
		}
		t.facets.limit(minInclusiveFacet, d.least)
		t.facets.limit(maxInclusiveFacet, d.most)
		all[d.name] = &t
	}
	for local, item := range lists {
		t, _ := newList(Name{Space: space, Local: local}, all[item], root)
		t.facets.numbers[minLengthFacet] = number{set: true, n: 1}
		t.facets.checked = true
		all[local] = t
	}
	return all
}

func primitive(k kind, root *Type) *Type {
	t := &Type{name: Name{Space: space, Local: primitives[k]}, base: root, variety: Atomic, kind: k, cost: 1}
	if k != stringKind {
		t.facets.white, t.facets.whiteFixed = collapse, true
	}
	t.contextual = k == qNameKind || k == notationKind
	return t
}

// limit sets a bound of integers unless it is empty.
func (f *facets) limit(facet int, text string) {
	if text != "" {
		f.bounds[facet] = &bound{text: quote(text), datum: decimalKind.parse(text)}
		f.checked = true
	}
}
