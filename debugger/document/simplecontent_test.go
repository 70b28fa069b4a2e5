package document_test

import "testing"

// A restriction of simple content may give a type or facets to it, which types derived
// from it inherit. It may also begin at a mixed type whose children may all be absent
// (XML Schema 1.0, part 1, section 3.4.2).
func TestRestrictionOfSimpleContent(t *testing.T) {
	const short = `<xs:complexType name="B"><xs:simpleContent><xs:extension base="xs:string"><xs:attribute name="d"/></xs:extension></xs:simpleContent></xs:complexType>
		<xs:complexType name="T"><xs:simpleContent><xs:restriction base="B"><xs:simpleType><xs:restriction base="xs:string"><xs:maxLength value="2"/></xs:restriction></xs:simpleType></xs:restriction></xs:simpleContent></xs:complexType>
		<xs:complexType name="F"><xs:simpleContent><xs:restriction base="B"><xs:maxLength value="2"/></xs:restriction></xs:simpleContent></xs:complexType>
		<xs:complexType name="E"><xs:simpleContent><xs:extension base="T"><xs:attribute name="e"/></xs:extension></xs:simpleContent></xs:complexType>
		<xs:complexType name="G"><xs:simpleContent><xs:restriction base="F"><xs:minLength value="1"/></xs:restriction></xs:simpleContent></xs:complexType>
		<xs:element name="t" type="T"/><xs:element name="f" type="F"/><xs:element name="e" type="E"/><xs:element name="g" type="G"/>`
	integer := func(base string) string {
		return base + `<xs:complexType name="R"><xs:simpleContent><xs:restriction base="B"><xs:simpleType>
		<xs:restriction base="xs:int"/></xs:simpleType></xs:restriction></xs:simpleContent></xs:complexType><xs:element name="r" type="R"/>`
	}
	anything := integer(`<xs:complexType name="B" abstract="true"><xs:complexContent><xs:extension base="xs:anyType"><xs:attribute name="d"/></xs:extension></xs:complexContent></xs:complexType>`)
	optional := integer(`<xs:complexType name="B" mixed="true"><xs:sequence><xs:element name="q" minOccurs="0"/></xs:sequence></xs:complexType>`)
	required := integer(`<xs:complexType name="B" mixed="true"><xs:sequence><xs:element name="q"/></xs:sequence></xs:complexType>`)
	extended := integer(`<xs:complexType name="A" mixed="true"><xs:sequence><xs:element name="q"/></xs:sequence></xs:complexType>
		<xs:complexType name="B"><xs:complexContent><xs:extension base="A"/></xs:complexContent></xs:complexType>`)
	unmixed := integer(`<xs:complexType name="B"><xs:sequence><xs:element name="q" minOccurs="0"/></xs:sequence></xs:complexType>`)
	keys := integer(`<xs:complexType name="B" mixed="true"><xs:sequence/></xs:complexType>`) +
		`<xs:element name="k"><xs:complexType><xs:sequence><xs:element ref="r" maxOccurs="9"/></xs:sequence></xs:complexType>
		<xs:unique name="u"><xs:selector xpath="r"/><xs:field xpath="."/></xs:unique></xs:element>`
	testVerdicts(t, []schemaCase{
		{"a type of its own", short, `<t>ab</t>`, "valid"},
		{"against a type of its own", short, `<t>abc</t>`, "invalid"},
		{"facets", short, `<f>ab</f>`, "valid"},
		{"against facets", short, `<f>abc</f>`, "invalid"},
		{"against the type of what it extends", short, `<e>abc</e>`, "invalid"},
		{"against the facets of what it restricts", short, `<g>abc</g>`, "invalid"},
		{"of an extension of anyType", anything, `<r d="1">12</r>`, "valid"},
		{"against it", anything, `<r d="1">x</r>`, "invalid"},
		{"of a mixed type", optional, `<r>12</r>`, "valid"},
		{"against that of a mixed type", optional, `<r>x</r>`, "invalid"},
		{"of a mixed type with a child", optional, `<r><q/></r>`, "invalid"},
		{"of a type whose child must be there", required, `<r>12</r>`, "refused"},
		{"of an extension of such a type", extended, `<r>12</r>`, "refused"},
		{"of a type that is not mixed", unmixed, `<r>12</r>`, "refused"},
		{"in a key, other values", keys, `<k><r>1</r><r>2</r></k>`, "valid"},
		{"in a key, the same value", keys, `<k><r>1</r><r>01</r></k>`, "invalid"},
	})
}
