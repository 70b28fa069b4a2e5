package document_test

import (
	"errors"
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
	testVerdicts(t, []schemaCase{
		{"a member in a choice", choice, `<d><m/><m/></d>`, "valid"},
		{"the head in a choice", choice, `<d><head/></d>`, "invalid"},
		{"one member of a repeated head", repeated, `<d><m/></d>`, "valid"},
		{"two members of a repeated head", repeated, `<d><m/><m/></d>`, "invalid"},
		{"no member", restrict(`<xs:sequence><xs:element ref="head"/></xs:sequence>`, `<xs:sequence><xs:element ref="other"/></xs:sequence>`), `<d/>`, "refused"},
		{"a nested sequence", nested, `<d><other/></d>`, "valid"},
		{"what a nested sequence requires", nested, `<d><head/></d>`, "invalid"},
		{"a nested sequence in another order", restrict(
			`<xs:sequence><xs:sequence><xs:element ref="head"/><xs:element ref="other"/></xs:sequence></xs:sequence>`,
			`<xs:sequence><xs:element ref="other"/><xs:element ref="head"/></xs:sequence>`), `<d/>`, "refused"},
	})
}
