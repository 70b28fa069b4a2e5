package document_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/document"
)

// verdict returns what Validate finds: "valid", "invalid", or "refused" for a
// schema that does not compile.
func verdict(t *testing.T, lib *document.Library, schema, doc string) (string, error) {
	t.Helper()
	_, err := lib.Validate(t.Context(), document.ValidateRequest{Document: doc, Schema: schema})
	if err == nil {
		return "valid", nil
	}
	if _, ok := errors.AsType[*document.SchemaError](err); ok {
		return "refused", err
	}
	if _, ok := errors.AsType[*document.ViolationsError](err); !ok {
		t.Fatal(err)
	}
	return "invalid", err
}

// A schemaCase is a schema, a document and the verdict of Xerces 2.12 on both.
type schemaCase struct{ name, schema, doc, want string }

func testVerdicts(t *testing.T, tests []schemaCase) {
	t.Helper()
	lib := open(t, document.Config{})
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := verdict(t, lib, schemaOf(test.schema), test.doc)
			if got != test.want {
				t.Errorf("got %s (%v), want %s", got, err, test.want)
			}
		})
	}
}

// A restriction inherits the attributes that it does not declare again (XML
// Schema 1.0, part 1, section 3.4.2). A required one stays required.
func TestRestrictionInheritsAttributes(t *testing.T) {
	const measures = `<xs:complexType name="M"><xs:simpleContent><xs:extension base="xs:double">
		<xs:attribute name="uom" use="required"/><xs:attribute name="note"/></xs:extension></xs:simpleContent></xs:complexType>
		<xs:complexType name="L"><xs:simpleContent><xs:restriction base="M"/></xs:simpleContent></xs:complexType>
		<xs:complexType name="K"><xs:simpleContent><xs:restriction base="L">
		<xs:attribute name="note" use="required"/></xs:restriction></xs:simpleContent></xs:complexType>
		<xs:element name="l" type="L"/><xs:element name="k" type="K"/>`
	const prohibiting = measures + `<xs:complexType name="P"><xs:simpleContent><xs:restriction base="M">
		<xs:attribute name="uom" use="prohibited"/></xs:restriction></xs:simpleContent></xs:complexType>`
	testVerdicts(t, []schemaCase{
		{"with the attribute", measures, `<l uom="m">1</l>`, "valid"},
		{"without the attribute", measures, `<l>1</l>`, "invalid"},
		{"redeclared two levels below", measures, `<k uom="m" note="n">1</k>`, "valid"},
		{"missing two levels below", measures, `<k note="n">1</k>`, "invalid"},
		{"prohibited", prohibiting, `<l uom="m">1</l>`, "refused"},
	})
}

// A restriction may replace an element by one that substitutes it, and write flat
// what its base nests (section 3.9.6 and its pointless particles).
func TestRestrictionNarrowsToSubstitutes(t *testing.T) {
	const heads = `<xs:element name="head" type="xs:string"/><xs:element name="m" type="xs:string" substitutionGroup="head"/>
		<xs:element name="other" type="xs:string"/>`
	restrict := func(base, derived string) string {
		return heads + `<xs:complexType name="B">` + base + `</xs:complexType>
			<xs:complexType name="D"><xs:complexContent><xs:restriction base="B">` + derived + `</xs:restriction></xs:complexContent></xs:complexType>
			<xs:element name="d" type="D"/>`
	}
	const anyMember = `<xs:choice minOccurs="0" maxOccurs="unbounded"><xs:element ref="m"/></xs:choice>`
	choice := restrict(`<xs:choice minOccurs="0" maxOccurs="unbounded"><xs:element ref="head"/></xs:choice>`, anyMember)
	repeated := restrict(`<xs:sequence><xs:element ref="head" maxOccurs="unbounded"/></xs:sequence>`, `<xs:sequence><xs:element ref="m"/></xs:sequence>`)
	nested := restrict(
		`<xs:sequence><xs:sequence><xs:element ref="head" minOccurs="0"/><xs:element ref="other" minOccurs="0"/></xs:sequence></xs:sequence>`,
		`<xs:sequence><xs:element ref="head" minOccurs="0"/><xs:element ref="other"/></xs:sequence>`)
	groups := `<xs:element name="abstract" abstract="true" type="xs:string" substitutionGroup="head"/><xs:element name="k" type="xs:string" substitutionGroup="abstract"/>` +
		restrict(`<xs:sequence><xs:element ref="head" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>`,
			`<xs:sequence><xs:element ref="abstract" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>`)
	const extended = `<xs:complexContent><xs:extension base="xs:anyType"><xs:attribute name="id"/></xs:extension></xs:complexContent>`
	testVerdicts(t, []schemaCase{
		{"a member in a choice", choice, `<d><m/><m/></d>`, "valid"},
		{"the head in a choice", choice, `<d><head/></d>`, "invalid"},
		{"one member of a repeated head", repeated, `<d><m/></d>`, "valid"},
		{"two members of a repeated head", repeated, `<d><m/><m/></d>`, "invalid"},
		{"an abstract member in place of a repeated head", groups, `<d><k/><k/></d>`, "valid"},
		{"what is no member of the abstract one", groups, `<d><m/></d>`, "invalid"},
		{"a sequence of members in place of a choice", restrict(
			`<xs:choice><xs:element ref="other"/><xs:element ref="head"/></xs:choice>`, `<xs:sequence><xs:element ref="m"/></xs:sequence>`), `<d><m/></d>`, "valid"},
		{"an extension of any type", restrict(extended, `<xs:sequence><xs:element ref="m"/></xs:sequence>`), `<d><m/></d>`, "valid"},
		{"a repeating member of a repeated head", restrict(
			`<xs:sequence><xs:element ref="head" maxOccurs="unbounded"/></xs:sequence>`,
			`<xs:sequence><xs:element ref="m" maxOccurs="unbounded"/></xs:sequence>`), `<d/>`, "refused"}, // elemZ026 of the W3C's suite
		{"no member", restrict(`<xs:sequence><xs:element ref="head"/></xs:sequence>`, `<xs:sequence><xs:element ref="other"/></xs:sequence>`), `<d/>`, "refused"},
		{"a nested sequence", nested, `<d><other/></d>`, "valid"},
		{"what a nested sequence requires", nested, `<d><head/></d>`, "invalid"},
		{"a nested sequence in another order", restrict(
			`<xs:sequence><xs:sequence><xs:element ref="head"/><xs:element ref="other"/></xs:sequence></xs:sequence>`,
			`<xs:sequence><xs:element ref="other"/><xs:element ref="head"/></xs:sequence>`), `<d/>`, "refused"},
	})
}

// Mixed content without a particle is text and no element (section 3.4.2). Only
// xs:anyType, and what extends it, allows any child.
func TestMixedContentWithoutParticle(t *testing.T) {
	const mixed = `<xs:element name="model"><xs:complexType mixed="true"><xs:attribute name="fallback"/></xs:complexType></xs:element>`
	const extended = `<xs:complexType name="E"><xs:complexContent><xs:extension base="xs:anyType"><xs:attribute name="a"/></xs:extension></xs:complexContent></xs:complexType>
		<xs:element name="e" type="E"/>`
	const restricted = `<xs:complexType name="R"><xs:complexContent mixed="true"><xs:restriction base="xs:anyType"><xs:attribute name="a"/></xs:restriction></xs:complexContent></xs:complexType>
		<xs:element name="r" type="R"/>`
	testVerdicts(t, []schemaCase{
		{"text", mixed, `<model fallback="1">x</model>`, "valid"},
		{"a child", mixed, `<model><groupId>x</groupId></model>`, "invalid"},
		{"any type", `<xs:element name="a"/>`, `<a>x<b/></a>`, "valid"},
		{"an extension of any type", extended, `<e a="1">x<b/></e>`, "valid"},
		{"text of a restriction of any type", restricted, `<r a="1">x</r>`, "valid"},
		{"a child of a restriction of any type", restricted, `<r><b/></r>`, "invalid"},
	})
}

// Beside the child, what else is wrong in the document is found.
func TestMixedContentHidesNothing(t *testing.T) {
	schema := schemaOf(`<xs:element name="r"><xs:complexType><xs:sequence>
		<xs:element name="m"><xs:complexType mixed="true"/></xs:element><xs:element name="n" type="xs:int"/></xs:sequence></xs:complexType></xs:element>`)
	_, err := verdict(t, open(t, document.Config{}), schema, `<r><m><x/></m><n>a</n></r>`)
	wrong, ok := errors.AsType[*document.ViolationsError](err)
	if !ok || len(wrong.Violations) != 2 || wrong.Violations[0].Path != "/r[1]/m[1]/x[1]" || wrong.Violations[1].Path != "/r[1]/n[1]" {
		t.Errorf("got %v, want violations at /r[1]/m[1]/x[1] and /r[1]/n[1]", err)
	}
}

// A file that leads back to itself through includes and imports is read once,
// whichever way comes first, and two files of one namespace are both read.
func TestSchemaFilesAreReadOnce(t *testing.T) {
	dir := t.TempDir()
	of := func(ns, body string) string {
		return `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:a="urn:a" xmlns:b="urn:b" targetNamespace="` + ns + `">` + body + `</xs:schema>`
	}
	write(t, dir, map[string]string{
		// Through b, a's part is imported before a includes it.
		"a.xsd":      of("urn:a", `<xs:import namespace="urn:b" schemaLocation="b.xsd"/><xs:include schemaLocation="part.xsd"/><xs:element name="a" type="a:T"/>`),
		"part.xsd":   of("urn:a", `<xs:import namespace="urn:b" schemaLocation="b.xsd"/><xs:complexType name="T"><xs:sequence><xs:element ref="b:b"/></xs:sequence></xs:complexType>`),
		"b.xsd":      of("urn:b", `<xs:import namespace="urn:a" schemaLocation="part.xsd"/><xs:element name="b" type="xs:int"/><xs:element name="c" type="a:T"/>`),
		"both.xsd":   of("urn:c", `<xs:import namespace="urn:a" schemaLocation="one.xsd"/><xs:include schemaLocation="rest.xsd"/><xs:element name="r"><xs:complexType><xs:sequence><xs:element ref="a:one"/><xs:element ref="a:two"/></xs:sequence></xs:complexType></xs:element>`),
		"rest.xsd":   of("urn:c", `<xs:import namespace="urn:a" schemaLocation="two.xsd"/>`),
		"one.xsd":    of("urn:a", `<xs:element name="one" type="xs:int"/>`),
		"two.xsd":    of("urn:a", `<xs:element name="two" type="xs:int"/>`),
		"twice.xsd":  of("urn:a", `<xs:include schemaLocation="one.xsd"/><xs:include schemaLocation="again.xsd"/>`),
		"again.xsd":  of("urn:a", `<xs:element name="one" type="xs:int"/>`),
		"middle.xsd": of("urn:b", `<xs:import namespace="urn:a" schemaLocation="one.xsd"/><xs:element name="m"><xs:complexType><xs:sequence><xs:element ref="a:one"/></xs:sequence></xs:complexType></xs:element>`),
		"top.xsd":    of("urn:a", `<xs:include schemaLocation="one.xsd"/><xs:import namespace="urn:b" schemaLocation="middle.xsd"/>`),
	})
	lib := open(t, document.Config{Roots: []string{dir}})
	for _, test := range []struct{ schema, doc, want string }{
		{"a.xsd", `<a xmlns="urn:a"><b xmlns="urn:b">1</b></a>`, "valid"},
		{"a.xsd", `<c xmlns="urn:b"><b>x</b></c>`, "invalid"},
		{"b.xsd", `<c xmlns="urn:b"><b>1</b></c>`, "valid"},
		{"both.xsd", `<r xmlns="urn:c"><one xmlns="urn:a">1</one><two xmlns="urn:a">2</two></r>`, "valid"},
		{"top.xsd", `<m xmlns="urn:b"><one xmlns="urn:a">1</one></m>`, "valid"},
		{"twice.xsd", `<one xmlns="urn:a">1</one>`, "refused"}, // two declarations of one name
	} {
		if got, err := verdict(t, lib, test.schema, test.doc); got != test.want {
			t.Errorf("%s, %s: got %s (%v), want %s", test.schema, test.doc, got, err, test.want)
		}
	}
}

// What only version 1.1 knows is refused in a schema that is read as 1.0, since
// dropping it would call invalid documents valid.
func TestElementsOfVersion11(t *testing.T) {
	const assert = `<xs:element name="r"><xs:complexType><xs:attribute name="a" type="xs:int"/><xs:attribute name="b" type="xs:int"/>
		<xs:assert test="@a le @b"/></xs:complexType></xs:element>`
	const versioned = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:vc="http://www.w3.org/2007/XMLSchema-versioning" vc:minVersion="1.1">` + assert + `</xs:schema>`
	const conditional = `<xs:element name="r"><xs:complexType><xs:attribute name="a"/>
		<xs:assert xmlns:vc="http://www.w3.org/2007/XMLSchema-versioning" vc:minVersion="1.1" test="@a"/></xs:complexType></xs:element>`
	const documented = `<xs:element name="r"><xs:annotation><xs:appinfo><xs:assert test="@a"/></xs:appinfo></xs:annotation></xs:element>`
	lib := open(t, document.Config{})
	for _, test := range []schemaCase{
		{"read as 1.0", schemaOf(assert), `<r a="3" b="2"/>`, "refused"},
		{"read as 1.1", versioned, `<r a="3" b="2"/>`, "invalid"},
		{"read as 1.1 and true", versioned, `<r a="1" b="2"/>`, "valid"},
		{"for processors of 1.1 only", schemaOf(conditional), `<r/>`, "valid"},
		{"in an annotation", schemaOf(documented), `<r/>`, "valid"},
		{"alternative", schemaOf(`<xs:element name="r" type="xs:string"><xs:alternative test="@a" type="xs:int"/></xs:element>`), `<r/>`, "refused"},
		{"openContent", schemaOf(`<xs:complexType name="T"><xs:openContent><xs:any/></xs:openContent><xs:sequence/></xs:complexType><xs:element name="r"/>`), `<r/>`, "refused"},
	} {
		got, err := verdict(t, lib, test.schema, test.doc)
		if got != test.want {
			t.Errorf("%s: got %s (%v), want %s", test.name, got, err, test.want)
		}
		if got == "refused" && !strings.Contains(err.Error(), `vc:minVersion="1.1"`) {
			t.Errorf("%s: %v does not say what to add", test.name, err)
		}
	}
}
