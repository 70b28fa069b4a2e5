package validate_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/triptych-mcp/triptych/debugger/document/schema/compile"
	"github.com/triptych-mcp/triptych/debugger/document/schema/event"
	"github.com/triptych-mcp/triptych/debugger/document/schema/read"
	"github.com/triptych-mcp/triptych/debugger/document/schema/validate"
)

// A loader reads schema documents from a map.
type loader map[string]string

func (l loader) Load(ctx context.Context, _, location string) (*read.Node, error) {
	text, ok := l[location]
	if !ok {
		return nil, nil
	}
	return read.Document(ctx, location, event.NewBytes([]byte(text), event.Limits{}))
}

// grammarOf compiles a schema of the namespace urn:s, whose prefix is s.
func grammarOf(t testing.TB, body string, files loader) *validate.Grammar {
	t.Helper()
	text := `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:s="urn:s" targetNamespace="urn:s" elementFormDefault="qualified">` + body + `</xs:schema>`
	root, err := read.Document(t.Context(), "s.xsd", event.NewBytes([]byte(text), event.Limits{}))
	if err != nil {
		t.Fatal(err)
	}
	schema, problems, err := compile.Compile(t.Context(), root, files)
	if err != nil || len(problems) > 0 {
		t.Fatalf("%v %v", problems, err)
	}
	return validate.NewGrammar(schema)
}

const shop = `
<xs:element name="shop"><xs:complexType><xs:sequence>
  <xs:element name="name" type="xs:string" minOccurs="0" fixed="Ann"/>
  <xs:element name="count" type="xs:int" minOccurs="0" nillable="true"/>
  <xs:element ref="s:thing" minOccurs="0" maxOccurs="unbounded"/>
  <xs:any namespace="urn:lax" processContents="lax" minOccurs="0" maxOccurs="unbounded"/>
  <xs:any namespace="urn:strict" minOccurs="0" maxOccurs="unbounded"/>
  <xs:any namespace="urn:skip" processContents="skip" minOccurs="0" maxOccurs="unbounded"/>
</xs:sequence><xs:attribute name="at" type="xs:date" use="required"/><xs:anyAttribute namespace="urn:lax" processContents="lax"/></xs:complexType></xs:element>
<xs:element name="thing" type="s:thing" abstract="true"/>
<xs:element name="book" type="s:book" substitutionGroup="s:thing"/>
<xs:element name="plain" type="s:thing" substitutionGroup="s:thing" block="extension"/>
<xs:complexType name="thing"><xs:sequence><xs:element name="id" type="xs:ID" minOccurs="0"/></xs:sequence><xs:attribute name="to" type="xs:IDREF"/></xs:complexType>
<xs:complexType name="book"><xs:complexContent><xs:extension base="s:thing"><xs:sequence><xs:element name="page" type="xs:int"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>
<xs:complexType name="secret" abstract="true"><xs:complexContent><xs:extension base="s:thing"/></xs:complexContent></xs:complexType>
<xs:element name="empty"><xs:complexType/></xs:element>
<xs:element name="mixed" fixed="so"><xs:complexType mixed="true"><xs:sequence><xs:element name="b" minOccurs="0"/></xs:sequence></xs:complexType></xs:element>`

// found lists the violations of a document: the path with the local names only, and the
// message.
func found(t testing.TB, g *validate.Grammar, text string, o validate.Options) []string {
	t.Helper()
	r, err := g.Document(t.Context(), event.NewParser(iotest.OneByteReader(strings.NewReader(text)), event.Limits{}), o)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, v := range r.Violations {
		all = append(all, fmt.Sprintf("%d:%d %s: %s", v.Line, v.Column, strings.NewReplacer("Q{urn:s}", "", "[1]", "").Replace(v.Path), v.Message))
	}
	for _, w := range r.Warnings {
		all = append(all, "warning: "+w)
	}
	return all
}

// What is wrong follows from part 1, sections 3.3.4, 3.4.4 and 3.10.4.
func TestViolations(t *testing.T) {
	g := grammarOf(t, shop, nil)
	const head = `<shop xmlns="urn:s" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" at="2024-01-01">` + "\n"
	for _, c := range []struct{ name, text, want string }{
		{"nothing", head + `<name>Ann</name><count>1</count></shop>`, ""},
		{"a default", head + `<name/></shop>`, ""},
		{"another value", head + `<name>Bob</name></shop>`, "2:1 /shop/name: The element content 'Bob' does not match the fixed value constraint 'Ann'."},
		{"nil", head + `<count xsi:nil=" true "/></shop>`, ""},
		{"nil with text", head + `<count xsi:nil="1">5</count></shop>`, "2:1 /shop/count: Character content is not allowed, because the element is nilled."},
		{"not nillable", head + `<name xsi:nil="false">Ann</name></shop>`, "2:1 /shop/name: Element is not nillable."},
		{"an order", head + `<count>1</count><name>Ann</name></shop>`, "2:17 /shop/name: This element is not expected. Expected is one of ( {urn:s}book, {urn:s}plain, urn:lax, urn:strict, urn:skip )."},
		{"text", head + `x<name/>y</shop>`, "1:1 /shop: Character content other than whitespace is not allowed because the content type is 'element-only'."},
		{"abstract", head + `<thing/></shop>`, "2:1 /shop/thing: This element is not expected. Expected is one of ( {urn:s}name, {urn:s}count, {urn:s}book, {urn:s}plain, urn:lax, urn:strict, urn:skip )."},
		{"members", head + `<book><page>1</page></book><plain/></shop>`, ""},
		{"what a member lacks", head + `<book/></shop>`, "2:1 /shop/book: Missing child element(s). Expected is one of ( {urn:s}id, {urn:s}page )."},
		{"a type in the document", head + `<plain xsi:type="book"><page>1</page></plain></shop>`, "2:1 /shop/plain: The xsi:type definition is blocked by the element declaration."},
		{"an abstract type", head + `<book xsi:type="secret"/></shop>`, "2:1 /shop/book: The type definition '{urn:s}secret' is not validly derived from the type definition '{urn:s}book'."},
		{"no such type", head + `<plain xsi:type="none"><x/></plain></shop>`, "2:1 /shop/plain: The value 'none' of the xsi:type attribute does not resolve to a type definition."},
		{"identifiers", head + `<plain to="b"/><plain to="a"><id>a</id></plain><plain><id>a</id></plain></shop>`,
			"2:1 /shop/plain: There is no ID/IDREF binding for the IDREF 'b' (attribute 'to').\n2:55 /shop/plain[3]/id: Duplicate key-sequence; the ID value 'a' is already defined elsewhere in the document."},
		{"wildcards", head + `<x xmlns="urn:lax" p="q"><y/></x><x xmlns="urn:skip" xsi:type="none"><empty xmlns="urn:s">text</empty></x></shop>`, ""},
		{"within a wildcard", head + `<x xmlns="urn:lax"><s:empty xmlns:s="urn:s"> </s:empty></x></shop>`, "2:20 /shop/Q{urn:lax}x/empty: Character content is not allowed, because the content type is empty."},
		{"a strict wildcard", head + `<x xmlns="urn:strict"/></shop>`, "2:1 /shop/Q{urn:strict}x: No matching global declaration available, but demanded by the strict wildcard."},
		{"a type that is nowhere", head + `<x xmlns="urn:lax" xsi:type="none"/></shop>`, "warning: the value 'none' of xsi:type does not resolve to a type definition, so /Q{urn:s}shop[1]/Q{urn:lax}x[1] was not validated by it"},
		{"attributes", `<shop xmlns="urn:s" at="x" xmlns:l="urn:lax" l:y="z" no="1"/>`, "1:1 /shop/@at: The value 'x' is not of the type xs:date.\n1:1 /shop/@no: The attribute 'no' is not allowed."},
		{"an attribute that is missing", `<shop xmlns="urn:s"/>`, "1:1 /shop: The attribute 'at' is required but missing."},
		{"another root", `<a/>`, "1:1 /a: No matching global declaration available for the validation root."},
		{"a type at the root", `<a xmlns:i="http://www.w3.org/2001/XMLSchema-instance" xmlns:s="urn:s" i:type="s:secret"/>`, "1:1 /a: The type definition is abstract."},
		{"mixed", `<mixed xmlns="urn:s">so</mixed>`, ""},
		{"mixed content that is fixed", `<mixed xmlns="urn:s">no</mixed>`, "1:1 /mixed: The element content 'no' does not match the fixed value constraint 'so'."},
		{"children where content is fixed", `<mixed xmlns="urn:s">so<b/></mixed>`, "1:1 /mixed: Element children are not allowed because the element declaration has a fixed value constraint 'so'."},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := strings.Join(found(t, g, c.text, validate.Options{}), "\n"); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// A document may point to schemas of further namespaces. Those that are wrong or of another
// namespace are disregarded.
func TestHints(t *testing.T) {
	g := grammarOf(t, shop, nil)
	further := func(space string) string {
		return `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="` + space + `"><xs:element name="x" type="xs:int"/></xs:schema>`
	}
	files := loader{"lax.xsd": further("urn:lax"), "other.xsd": further("urn:other"), "bad.xsd": further("urn:lax") + "<"}
	for file, want := range map[string]string{
		"lax.xsd": "1:178 /shop/Q{urn:lax}x: The value 'y' is not of the type xs:int.", "other.xsd": "", "bad.xsd": "", "none.xsd": "",
	} {
		text := `<shop xmlns="urn:s" at="2024-01-01" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="urn:s none.xsd urn:lax ` + file + `">`
		text += strings.Repeat(" ", 177-len(text)) + `<x xmlns="urn:lax">y</x></shop>`
		if got := strings.Join(found(t, g, text, validate.Options{Loader: files}), "\n"); got != want {
			t.Errorf("%s: got %s, want %s", file, got, want)
		}
		if got := found(t, g, text, validate.Options{}); len(got) > 0 {
			t.Errorf("without a loader: got %s", got)
		}
	}
}

// Violations beyond the limit are counted.
func TestLimit(t *testing.T) {
	g := grammarOf(t, shop, nil)
	r, err := g.Document(t.Context(), event.NewBytes([]byte(`<shop xmlns="urn:s" at="2024-01-01">`+strings.Repeat("<no/>", 50)+`</shop>`), event.Limits{}), validate.Options{Limit: 20})
	if err != nil || len(r.Violations) != 20 || r.More != 30 {
		t.Errorf("got %d and %d more (%v), want 20 and 30", len(r.Violations), r.More, err)
	}
}

// What is not well-formed, or ends with the context, has no verdict.
func TestErrors(t *testing.T) {
	g := grammarOf(t, shop+`<xs:element name="words" type="xs:NMTOKENS"/>`, nil)
	if _, err := g.Document(t.Context(), event.NewBytes([]byte(`<a></b>`), event.Limits{}), validate.Options{}); err == nil {
		t.Error("what is not well-formed was validated")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	attributes := ""
	for i := range 100 {
		attributes += fmt.Sprintf(" a%d=''", i)
	}
	for _, text := range []string{`<a>` + strings.Repeat("<b/>", 100) + `</a>`, `<empty xmlns="urn:s"` + attributes + `/>`, `<words xmlns="urn:s">` + strings.Repeat("a ", 100) + `</words>`} {
		if _, err := g.Document(ctx, event.NewBytes([]byte(text), event.Limits{}), validate.Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%.30s: got %v, want %v", text, err, context.Canceled)
		}
	}
}

// A document is refused in which constraints in each other select too much. At the
// depth d each constraint has d(d-1)/2 targets and d scopes, together 990 at the depth 44
// and 1035 at 45.
func TestManyTargets(t *testing.T) {
	var constraints strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&constraints, `<xs:unique name="u%d"><xs:selector xpath=".//s:a"/><xs:field xpath="@x"/></xs:unique>`, i)
	}
	g := grammarOf(t, `<xs:element name="a"><xs:complexType><xs:sequence><xs:element ref="s:a" minOccurs="0"/></xs:sequence><xs:attribute name="x"/></xs:complexType>`+constraints.String()+`</xs:element>`, nil)
	document := func(depth int) *event.Parser {
		return event.NewBytes([]byte(`<a xmlns="urn:s">`+strings.Repeat("<a>", depth-1)+strings.Repeat("</a>", depth)), event.Limits{})
	}
	if _, err := g.Document(t.Context(), document(20), validate.Options{}); err != nil {
		t.Errorf("20 elements in each other: %v", err)
	}
	_, err := g.Document(t.Context(), document(256), validate.Options{})
	if limit, ok := errors.AsType[*event.LimitError](err); !ok || limit.Limit != 1_000_000 || limit.Column != len(`<a xmlns="urn:s">`)+43*len("<a>")+1 {
		t.Errorf("got %v, want the limit of 1000000 at the 45th element", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := g.Document(ctx, document(40), validate.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}
