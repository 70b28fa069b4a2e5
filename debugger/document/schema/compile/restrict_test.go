package compile_test

import (
	"strings"
	"testing"
	"time"
)

// restricted returns a complex type b and one that restricts it.
func restricted(base, derived string) string {
	return `<xs:complexType name="b">` + base + `</xs:complexType><xs:complexType name="d"><xs:complexContent>` +
		`<xs:restriction base="t:b">` + derived + `</xs:restriction></xs:complexContent></xs:complexType>`
}

// particles replaces short forms: s( c( a( and ) for groups, letters a to e for elements of
// the type string, h and m for a head and its member, n for an element of the type int, w
// for a wildcard; a range in braces for the occurrences of what comes before.
func particles(short string) string {
	p := &particleParser{rest: short}
	return p.next()
}

type particleParser struct{ rest string }

func (p *particleParser) next() string {
	kind := p.rest[0]
	p.rest = p.rest[1:]
	if group := map[byte]string{'s': "sequence", 'c': "choice", 'a': "all"}[kind]; strings.HasPrefix(p.rest, "(") && group != "" {
		var inner strings.Builder
		for p.rest = p.rest[1:]; p.rest[0] != ')'; {
			inner.WriteString(p.next())
		}
		p.rest = p.rest[1:]
		return "<xs:" + group + p.occurs() + ">" + inner.String() + "</xs:" + group + ">"
	}
	switch kind {
	case 'h', 'm':
		return `<xs:element ref="t:` + string(kind) + `"` + p.occurs() + "/>"
	case 'w':
		return `<xs:any` + p.occurs() + "/>"
	case 'n':
		return `<xs:element name="a" type="xs:int"` + p.occurs() + "/>"
	case 'f':
		return `<xs:element name="a" type="xs:string" fixed="x"` + p.occurs() + "/>"
	}
	return `<xs:element name="` + string(kind) + `" type="xs:string"` + p.occurs() + "/>"
}

func (p *particleParser) occurs() string {
	if !strings.HasPrefix(p.rest, "{") {
		return ""
	}
	bounds, rest, _ := strings.Cut(p.rest[1:], "}")
	p.rest = rest
	least, most, _ := strings.Cut(bounds, ",")
	return ` minOccurs="` + least + `" maxOccurs="` + strings.Replace(most, "*", "unbounded", 1) + `"`
}

const substitutes = `<xs:element name="h" type="xs:string"/><xs:element name="m" type="xs:token" substitutionGroup="t:h"/>`

// TestRestriction has content models and restrictions of them, and whether these are valid
// by the rules of part 1, section 3.9.6.
func TestRestriction(t *testing.T) {
	for _, test := range []struct {
		rule, base, derived string
		valid               bool
	}{
		{"NameAndTypeOK", "s(a{0,5}b)", "s(a{1,5}b)", true},
		{"NameAndTypeOK", "s(a{1,5}b)", "s(a{0,5}b)", false},
		{"NameAndTypeOK", "s(a{0,5}b)", "s(a{0,6}b)", false},
		{"NameAndTypeOK", "s(ab)", "s(nb)", false},
		{"a choice of nothing is emptiable", "c()", "s()", true},
		{"NameAndTypeOK", "s(ab)", "s(fb)", true},
		{"NameAndTypeOK", "s(fb)", "s(ab)", false},
		{"NSCompat", "s(w{0,*})", "s(a{2,3})", true},
		{"NSCompat", "s(w{0,1})", "s(a{0,2})", false},
		{"NSSubset", "s(w{0,5})", "s(w{1,4})", true},
		{"NSRecurseCheckCardinality", "s(w{0,*})", "s(ac(bc{0,*}))", true},
		{"NSRecurseCheckCardinality", "s(w{0,2})", "s(ac(bc{0,3}))", false},
		{"Recurse", "s(ab{0,1}c)", "s(ac)", true},
		{"Recurse", "s(abc)", "s(ac)", false},
		{"Recurse", "s(abc)", "s(acb)", false},
		{"Recurse", "a(ab{0,1}c)", "a(ac)", true},
		{"Recurse", "a(ab)", "a(ba)", false},
		{"RecurseLax", "c(abc)", "c(ac)", true},
		{"RecurseLax", "c(abc)", "c(ca)", false},
		{"RecurseLax", "c(abc){0,*}", "c(bc){1,3}", true},
		{"RecurseAsIfGroup", "c(abc)", "s(b)", true},
		{"RecurseAsIfGroup", "s(ab{0,1})", "s(a)", true},
		{"RecurseUnordered", "a(ab{0,1}c)", "s(ca)", true},
		{"RecurseUnordered", "a(abc)", "s(ca)", false},
		{"MapAndSum", "c(abc){0,*}", "s(cab)", true},
		{"MapAndSum", "c(abc){2,2}", "s(ab)", true},
		{"MapAndSum", "c(abc){0,2}", "s(abc)", false},
		{"forbidden", "s(ab)", "c(ab)", false},
		{"forbidden", "s(ab)", "s(w{2,2})", false},
		{"pointless", "s(s(s(ab)))", "s(ab)", true},
		{"pointless", "s(abs(c{0,1}))", "s(ab)", true},
		{"pointless", "s(ac(){0,0}b)", "s(ab)", true},
		{"substitution", "s(ha)", "s(ma)", true},
		{"substitution", "s(h{0,5}a)", "s(c(m){0,3}a)", true},
		{"substitution", "s(ma)", "s(ha)", false},
	} {
		_, problems := compiled(t, substitutes+restricted(particles(test.base), particles(test.derived)))
		if invalid := strings.Contains(problems, "not a valid restriction"); invalid == test.valid || test.valid && problems != "" {
			t.Errorf("%s: %s restricted to %s: %q, want valid: %v", test.rule, test.base, test.derived, problems, test.valid)
		}
	}
}

// TestLargeRestriction restricts a choice of 5000 elements to a sequence of them all, which
// takes the comparison of each with all those before it.
func TestLargeRestriction(t *testing.T) {
	var all strings.Builder
	for i := range 5000 {
		all.WriteString(`<xs:element name="e` + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + strings.Repeat("y", i/26) + `" type="xs:string"/>`)
	}
	start := time.Now()
	_, problems := compiled(t, restricted(`<xs:choice maxOccurs="unbounded">`+all.String()+`</xs:choice>`, `<xs:sequence>`+all.String()+`</xs:sequence>`))
	if problems != "" {
		t.Error(problems)
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("it takes %v", took)
	}
}
