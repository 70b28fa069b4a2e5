package read_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/document/schema/event"
	"github.com/triptych-mcp/triptych/debugger/document/schema/read"
)

func document(t *testing.T, attributes, body string) *read.Node {
	t.Helper()
	text := `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:vc="http://www.w3.org/2007/XMLSchema-versioning" ` + attributes + `>` + body + `</xs:schema>`
	root, err := read.Document(t.Context(), "s.xsd", event.NewBytes([]byte(text), event.Limits{}))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// problems lists the elements that are reported, with what is said of them.
func problems(root *read.Node) string {
	var all []string
	read.Check(root, func(n *read.Node, message string) {
		_, message, _ = strings.Cut(message, ": ")
		all = append(all, fmt.Sprintf("%s: %s", n.Name.Local, message))
	})
	return strings.Join(all, "\n")
}

// What schema documents may have is in the schema for schemas (part 1, appendix A).
func TestCheck(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{`<xs:annotation><xs:documentation>Any <b>thing</b></xs:documentation></xs:annotation><xs:element name="a"/>`, ""},
		{`<xs:element/>`, "element: The attribute 'name' is required but missing."},
		{`<xs:element name="a" x="1" vc:y="2"/>`, "element: The attribute 'x' is not allowed."},
		{`<xs:element name="a">text</xs:element>`, "element: Character content is not allowed."},
		{`<xs:element name="a"/><xs:include schemaLocation="b"/>`, "include: This element is not expected."},
		{`<xs:complexType name="t"><xs:attribute name="b"/><xs:sequence/><xs:anyAttribute/></xs:complexType>`, "sequence: This element is not expected."},
		{`<xs:element name="a"><xs:key name="k"><xs:selector xpath="."/></xs:key></xs:element>`, "key: The content is not complete."},
		{`<xs:element name="a"><other/></xs:element>`, "other: This element is not expected."},
		{`<xs:complexType name="t"><xs:assert test="1"/></xs:complexType>`, `assert: This element is one of XML Schema 1.1, and the schema is read as 1.0. Add vc:minVersion="1.1" (xmlns:vc="http://www.w3.org/2007/XMLSchema-versioning") to the schema element.`},
	} {
		if got := problems(document(t, "", c.body)); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.body, got, c.want)
		}
	}
	long := `<xs:choice/>` + strings.Repeat(`<xs:element name="a"/>`, 50_000)
	if got := strings.Count(problems(document(t, "", strings.Repeat(long, 2))), "\n"); got != 1 {
		t.Errorf("%d problems with two elements out of place", got+1)
	}
}

// Elements for other versions are left out (XML Schema 1.1, part 1, section 4.2.2).
func TestVersions(t *testing.T) {
	for attributes, want := range map[string]bool{
		"": true, `vc:minVersion="1.0"`: true, `vc:minVersion="1.00"`: true, `vc:minVersion="1.1"`: false, `vc:minVersion="+2"`: false,
		`vc:maxVersion="1.1"`: true, `vc:maxVersion="1.0"`: false, `vc:maxVersion="0.9"`: false, `vc:minVersion="-2"`: true,
		`vc:typeAvailable="xs:int xs:anyType"`: true, `vc:typeAvailable="xs:error"`: false, `vc:typeAvailable="int"`: false,
		`vc:typeUnavailable="xs:int"`: false, `vc:typeUnavailable="xs:int xs:error"`: true,
		`vc:facetAvailable="xs:pattern"`: true, `vc:facetAvailable="xs:assertion"`: false, `vc:facetUnavailable="xs:assertion"`: true,
	} {
		root := document(t, "", `<xs:element name="a" `+attributes+`/>`)
		read.Check(root, func(*read.Node, string) {})
		if got := len(root.Children) == 1; got != want {
			t.Errorf("%s: %v, want %v", attributes, got, want)
		}
	}
	for attributes, want := range map[string]bool{"": false, `vc:minVersion="1.1"`: true, `vc:minVersion=" 1.10 "`: true, `vc:minVersion="1.0"`: false, `vc:minVersion="one"`: false} {
		if got := read.Version11(document(t, attributes, "")); got != want {
			t.Errorf("%s: of 1.1: %v, want %v", attributes, got, want)
		}
	}
	for attribute, want := range map[string]bool{`namespace="##any"`: false, `notNamespace="##local"`: true, `notQName="a"`: true} {
		body := `<xs:complexType name="t"><xs:sequence><xs:any ` + attribute + `/></xs:sequence></xs:complexType>`
		if got := read.Version11(document(t, "", body)); got != want {
			t.Errorf("with %s: of 1.1: %v, want %v", attribute, got, want)
		}
	}
}
