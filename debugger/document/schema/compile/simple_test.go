package compile_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/document/schema/compile"
	"github.com/triptych-mcp/triptych/debugger/document/schema/component"
	"github.com/triptych-mcp/triptych/debugger/document/schema/event"
	"github.com/triptych-mcp/triptych/debugger/document/schema/read"
)

// noDocuments is a loader for schemas of one document.
type noDocuments struct{}

func (noDocuments) Load(context.Context, string, string) (*read.Node, error) { return nil, nil }

// compiled returns the schema with some contents, in the namespace urn:t, whose prefix is
// t, and the messages of its problems.
func compiled(t *testing.T, contents string) (*component.Schema, string) {
	t.Helper()
	return compiledText(t, `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" targetNamespace="urn:t">`+contents+`</xs:schema>`)
}

// compiledText is compiled for a whole schema document.
func compiledText(t *testing.T, text string) (*component.Schema, string) {
	t.Helper()
	root, err := read.Document(t.Context(), "t.xsd", event.NewBytes([]byte(text), event.Limits{}))
	if err != nil {
		t.Fatal(err)
	}
	s, problems, err := compile.Compile(t.Context(), root, noDocuments{})
	if err != nil {
		t.Fatal(err)
	}
	var messages []string
	for _, p := range problems {
		messages = append(messages, p.Message)
	}
	return s, strings.Join(messages, "\n")
}

// simple returns a simple type s with contents.
func simple(contents string) string {
	return `<xs:simpleType name="s">` + contents + `</xs:simpleType>`
}

// TestNestedUnions has a union of unions in 2^40 ways, and elements whose types are a member
// of it or not (part 1, section 3.14.6).
func TestNestedUnions(t *testing.T) {
	contents := `<xs:simpleType name="u0"><xs:restriction base="xs:string"/></xs:simpleType><xs:simpleType name="v0"><xs:restriction base="xs:string"/></xs:simpleType>`
	for i := range 12 { // a union has 10,000 members at most
		contents += fmt.Sprintf(`<xs:simpleType name="u%d"><xs:union memberTypes="t:u%d t:v%d"/></xs:simpleType><xs:simpleType name="v%[1]d"><xs:union memberTypes="t:v%[2]d t:u%[2]d"/></xs:simpleType>`, i+1, i, i)
	}
	contents += `<xs:simpleType name="w12"><xs:union memberTypes="t:u12 t:u12"/></xs:simpleType>`
	for i := 12; i < 40; i++ {
		contents += fmt.Sprintf(`<xs:simpleType name="w%d"><xs:union memberTypes="t:w%d t:w%[2]d"/></xs:simpleType>`, i+1, i)
	}
	contents += `<xs:element name="head" type="t:w40"/>`
	if _, got := compiled(t, contents+`<xs:element name="e" type="t:v0" substitutionGroup="t:head"/>`); got != "" {
		t.Errorf("a member of the union: %s", got)
	}
	_, got := compiled(t, contents+`<xs:element name="e" type="xs:int" substitutionGroup="t:head"/>`)
	if !strings.Contains(got, "is not validly derived") {
		t.Errorf("no member of the union: %s", got)
	}
}

// TestLongReferences has definitions of each kind that refer to the next one.
func TestLongReferences(t *testing.T) {
	for _, c := range []struct{ link, last string }{
		{`<xs:simpleType name="s%d"><xs:restriction base="t:s%d"/></xs:simpleType>`, `<xs:simpleType name="s%d"><xs:restriction base="xs:int"/></xs:simpleType>`},
		{`<xs:group name="g%d"><xs:sequence><xs:group ref="t:g%d"/></xs:sequence></xs:group>`, `<xs:group name="g%d"><xs:sequence/></xs:group>`},
		{`<xs:element name="e%d" substitutionGroup="t:e%d"/>`, `<xs:element name="e%d"/>`},
		{`<xs:attributeGroup name="a%d"><xs:attributeGroup ref="t:a%d"/></xs:attributeGroup>`, `<xs:attributeGroup name="a%d"/>`},
		{`<xs:complexType name="c%d"><xs:complexContent><xs:extension base="t:c%d"/></xs:complexContent></xs:complexType>`, `<xs:complexType name="c%d"/>`},
	} {
		for _, n := range []int{1_000, 3_000} {
			var contents strings.Builder
			for i := range n {
				fmt.Fprintf(&contents, c.link, i, i+1)
			}
			fmt.Fprintf(&contents, c.last, n)
			_, got := compiled(t, contents.String())
			if refused := strings.Contains(got, "behind more than 2000 others"); refused != (n > 2_000) || !refused && got != "" || strings.Contains(got, "\n") {
				t.Errorf("%d of %s: %.300s", n, c.last, got)
			}
		}
	}
}

// TestSimpleProblems has definitions of simple types that are not allowed (part 1, section
// 3.14), each with a part of the message.
func TestSimpleProblems(t *testing.T) {
	for _, test := range []struct{ contents, want string }{
		{simple(`<xs:restriction base="xs:anySimpleType"/>`), "anySimpleType cannot be restricted"},
		{simple(`<xs:restriction base="t:none"/>`), "does not resolve"},
		{simple(`<xs:restriction base="xs:anyType"/>`), "is not simple"},
		{simple(`<xs:restriction/>`), "is needed"},
		{simple(`<xs:restriction base="xs:int"><xs:simpleType><xs:list itemType="xs:int"/></xs:simpleType></xs:restriction>`), "exclude each other"},
		{simple(`<xs:list/>`), "is needed"},
		{simple(`<xs:list itemType="xs:NMTOKENS"/>`), "items of a list cannot be lists"},
		{simple(`<xs:union/>`), "is needed"},
		{simple(`<xs:list itemType="xs:NOTATION"/>`), "NOTATION can only be used"},
		{simple(`<xs:restriction base="t:s"><xs:length value="1"/></xs:restriction>`), "circular"},
		{simple(`<xs:restriction base="xs:string"><xs:pattern value="\$"/></xs:restriction>`), `\$ is not an escape`},
		{simple(`<xs:restriction base="xs:QName"><xs:enumeration value="q:a"/></xs:restriction>`), "not of the type xs:QName"},
		{simple(`<xs:restriction base="xs:NOTATION"><xs:enumeration value="t:gif"/></xs:restriction>`), "does not resolve to a(n) notation declaration"},
		{`<xs:simpleType name="f" final="restriction"><xs:list itemType="xs:int"/></xs:simpleType>` + simple(`<xs:restriction base="t:f"/>`), "final for restriction"},
		{`<xs:simpleType name="f" final="list"><xs:restriction base="xs:int"/></xs:simpleType>` + simple(`<xs:list itemType="t:f"/>`), "final for lists"},
		{`<xs:simpleType name="f" final="#all"><xs:restriction base="xs:int"/></xs:simpleType>` + simple(`<xs:union memberTypes="t:f"/>`), "final for unions"},
		{`<xs:element name="e" type="xs:int" default="x"/>`, "'x' is not valid"},
		{`<xs:element name="e" type="xs:ID" fixed="x"/>`, "ID cannot have a default"},
	} {
		if _, got := compiled(t, test.contents); !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q", test.contents, got, test.want)
		}
	}
}

// TestSimpleTypes checks the values of types that refer to each other.
func TestSimpleTypes(t *testing.T) {
	s, problems := compiled(t, `
		<xs:notation name="gif" public="gif"/>
		<xs:simpleType name="size"><xs:union memberTypes="t:number t:word"/></xs:simpleType>
		<xs:simpleType name="word"><xs:restriction base="xs:token"><xs:enumeration value="small"/></xs:restriction></xs:simpleType>
		<xs:simpleType name="number"><xs:restriction base="xs:int"><xs:minInclusive value="1"/></xs:restriction></xs:simpleType>
		<xs:simpleType name="sizes"><xs:restriction><xs:simpleType><xs:list itemType="t:size"/></xs:simpleType>
			<xs:maxLength value="2"/></xs:restriction></xs:simpleType>
		<xs:simpleType name="some"><xs:restriction base="t:size"><xs:pattern value="1|small"/></xs:restriction></xs:simpleType>
		<xs:simpleType name="kind"><xs:restriction base="xs:NOTATION"><xs:enumeration value="t:gif"/></xs:restriction></xs:simpleType>`)
	if problems != "" {
		t.Fatal(problems)
	}
	for name, texts := range map[string][2][]string{
		"size": {{"1", "small"}, {"0", "large"}}, "sizes": {{"small 2", ""}, {"1 2 3", "0"}}, "some": {{"1", " small "}, {"2"}},
	} {
		data := s.Type(component.Name{Space: "urn:t", Local: name}).(*component.Simple).Data
		for i, valid := range []bool{true, false} {
			for _, text := range texts[i] {
				if err := data.Valid(text, nil); (err == nil) != valid {
					t.Errorf("%s: %q: %v", name, text, err)
				}
			}
		}
	}
	// A member is derived from its union, but not from a restriction of that, whose
	// facets it does not have (part 1, section 3.14.6).
	typeOf := func(name string) component.Type { return s.Type(component.Name{Space: "urn:t", Local: name}) }
	if !component.DerivesFrom(typeOf("word"), typeOf("size"), 0) || component.DerivesFrom(typeOf("word"), typeOf("some"), 0) {
		t.Error("a member is not derived from its union, or is from a restriction of it")
	}
}

// TestSchemaForSchemas reads simple types of the schema for schemas, which restrict
// anySimpleType, as the built-in types.
func TestSchemaForSchemas(t *testing.T) {
	text := `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="http://www.w3.org/2001/XMLSchema">
		<xs:simpleType name="string"><xs:restriction base="xs:anySimpleType"><xs:whiteSpace value="preserve"/></xs:restriction></xs:simpleType>
		<xs:simpleType name="form"><xs:restriction base="xs:string"><xs:enumeration value="qualified"/></xs:restriction></xs:simpleType></xs:schema>`
	s, problems := compiledText(t, text)
	if problems != "" {
		t.Fatal(problems)
	}
	form := s.Type(component.Name{Space: component.Space, Local: "form"}).(*component.Simple)
	if form.Data.Valid("qualified", nil) != nil || form.Data.Valid("other", nil) == nil {
		t.Error("the type form does not have its values")
	}
	if form.Base != component.Builtin(component.Name{Space: component.Space, Local: "string"}) {
		t.Error("the base of the type form is not the built-in type")
	}
}

// TestUnknownBase reports a type that is not known, and nothing that follows from that.
func TestUnknownBase(t *testing.T) {
	_, problems := compiled(t, simple(`<xs:restriction base="t:none"><xs:enumeration value="a"/></xs:restriction>`)+
		`<xs:simpleType name="u"><xs:restriction base="t:s"><xs:maxLength value="1"/></xs:restriction></xs:simpleType>`)
	if problems == "" || strings.Contains(problems, "\n") {
		t.Errorf("the problems are not one: %s", problems)
	}
}
