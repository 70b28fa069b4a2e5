package document_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/document"
)

// The schema for schemas has no wildcard among the children of a schema (part 1,
// appendix A).
func TestChildrenOfASchema(t *testing.T) {
	const root = `<xs:element name="r"/>`
	testVerdicts(t, []schemaCase{
		{"none but its own", root, `<r/>`, "valid"},
		{"of another namespace", `<x:y xmlns:x="urn:x"/>` + root, `<r/>`, "refused"},
		{"of no namespace", root + `<element name="x" type="string"/>`, `<r/>`, "refused"},
		{"in an annotation", `<xs:annotation><xs:appinfo><y/></xs:appinfo></xs:annotation>` + root, `<r/>`, "valid"},
	})
}

// A schema without a namespace may be read twice: by itself, and included into a
// namespace by what it imports.
func TestSchemaInTwoNamespaces(t *testing.T) {
	const begin = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" `
	dir := write(t, t.TempDir(), map[string]string{
		"a.xsd": begin + `xmlns:s="urn:s"><xs:import namespace="urn:s" schemaLocation="s.xsd"/>
			<xs:complexType name="T"><xs:sequence><xs:element name="c" type="U"/></xs:sequence></xs:complexType>
			<xs:complexType name="U"><xs:sequence><xs:element ref="s:x" minOccurs="0"/></xs:sequence></xs:complexType>
			<xs:element name="r" type="T"/></xs:schema>`,
		"s.xsd":     begin + `targetNamespace="urn:s" xmlns:v="urn:v"><xs:import namespace="urn:v" schemaLocation="v.xsd"/><xs:element name="x" type="v:U"/></xs:schema>`,
		"v.xsd":     begin + `targetNamespace="urn:v"><xs:include schemaLocation="a.xsd"/></xs:schema>`,
		"other.xsd": begin + `xmlns:s="urn:s" xmlns:v="urn:v"><xs:import namespace="urn:s" schemaLocation="s.xsd"/><xs:element name="r" type="v:U"/></xs:schema>`,
	})
	lib := open(t, document.Config{Roots: []string{dir}})
	for schema, want := range map[string]string{"a.xsd": "valid", "other.xsd": "refused"} {
		got, err := verdict(t, lib, filepath.Join(dir, schema), `<r><c/></r>`)
		if got != want {
			t.Errorf("%s: got %s (%v), want %s", schema, got, err, want)
		}
	}
}

// Attributes of the namespace xml need a declaration as others do: only those of the
// namespace xsi do not (part 1, 3.4.4, clause 3).
func TestAttributesOfXML(t *testing.T) {
	const (
		none  = `<xs:element name="r"><xs:complexType><xs:sequence/></xs:complexType></xs:element>`
		other = `<xs:element name="r"><xs:complexType><xs:sequence/><xs:anyAttribute namespace="##other" processContents="lax"/></xs:complexType></xs:element>`
	)
	testVerdicts(t, []schemaCase{
		{"not declared", none, `<r xml:lang="en"/>`, "invalid"},
		{"by a wildcard", other, `<r xml:lang="en" xml:base="x"/>`, "valid"},
		{"of xsi", none, `<r xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="a b"/>`, "valid"},
	})
}

// A key may select what a wildcard skips: it has no type, and no value.
func TestKeysOfSkippedElements(t *testing.T) {
	const skipping = `<xs:element name="r"><xs:complexType><xs:sequence><xs:any maxOccurs="9" processContents="skip"/></xs:sequence></xs:complexType>
		<xs:unique name="u"><xs:selector xpath="a"/><xs:field xpath="@b"/></xs:unique></xs:element>`
	testVerdicts(t, []schemaCase{
		{"other values", skipping, `<r><a b="1"/><a b="2"/></r>`, "valid"},
		{"the same value", skipping, `<r><a b="1"/><a b="1"/></r>`, "valid"},
		{"the same value, not declared", strings.Replace(skipping, "skip", "lax", 1), `<r><a b="1"/><a b="1"/></r>`, "valid"},
	})
}

// An element that a lax wildcard finds no declaration for is assessed by the ur-type, which
// admits all attributes laxly: those that are declared globally must be right (part 1, 3.3.4).
func TestAttributesOfUndeclaredElements(t *testing.T) {
	const lax = `<xs:attribute name="must" type="xs:boolean"/><xs:element name="r"><xs:complexType><xs:sequence>
		<xs:any processContents="lax" namespace="##any"/></xs:sequence></xs:complexType></xs:element>`
	schema := strings.Replace(schemaOf(lax), "<xs:schema ", `<xs:schema targetNamespace="urn:r" `, 1)
	lib := open(t, document.Config{})
	for doc, want := range map[string]string{
		`<x p:must="true"/>`: "valid", `<x p:must="often"/>`: "invalid", `<x><y p:must="often"/></x>`: "invalid", `<x must="often" p:other="often"/>`: "valid",
	} {
		if got, err := verdict(t, lib, schema, `<p:r xmlns:p="urn:r">`+doc+`</p:r>`); got != want {
			t.Errorf("%s: got %s (%v), want %s", doc, got, err, want)
		}
	}
}
