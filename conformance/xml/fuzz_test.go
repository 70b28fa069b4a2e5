package xml_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/document"
)

// Choices decides what is made from the bytes of a fuzz input. Behind them, the first of
// all possibilities is chosen.
type choices struct{ rest []byte }

// n returns a number below limit.
func (c *choices) n(limit int) int {
	if len(c.rest) == 0 {
		return 0
	}
	b := c.rest[0]
	c.rest = c.rest[1:]
	return int(b) % limit
}

func (c *choices) pick(from ...string) string { return from[c.n(len(from))] }

// some returns a text in one of two cases.
func (c *choices) some(text string) string { return c.pick("", text) }

// A schemaMaker makes schemas that use most constructs of XML Schema 1.0, right ones and
// wrong ones, and documents that are near to matching them.
type schemaMaker struct {
	choices
	made int // identity constraints
}

const makerTypes = 3 // complex types, besides simple ones

func (m *schemaMaker) schema() string {
	var b strings.Builder
	b.WriteString(`<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"` + m.pick("", ` elementFormDefault="qualified"`) + ">\n")
	for i := range 2 {
		fmt.Fprintf(&b, "<xs:simpleType name=\"s%d\">%s</xs:simpleType>\n", i, m.simple())
	}
	fmt.Fprintf(&b, "<xs:group name=\"g\">%s</xs:group>\n", m.compositor(1, ""))
	fmt.Fprintf(&b, "<xs:attributeGroup name=\"h\">%s</xs:attributeGroup>\n", m.attributes())
	for i := range makerTypes {
		fmt.Fprintf(&b, "<xs:complexType name=\"t%d\"%s%s%s</xs:complexType>\n", i, m.some(` mixed="true"`), m.pick("", "", ` abstract="true"`, ` final="#all"`, ` block="extension"`)+">", m.complex(i))
	}
	for i, name := range []string{"a", "b", "c", "d"} {
		head := ""
		if i > 0 {
			head = m.pick("", "", ` substitutionGroup="a"`, ` substitutionGroup="b"`)
		}
		fmt.Fprintf(&b, "<xs:element name=\"%s\"%s%s%s>%s</xs:element>\n", name, m.typed(), head, m.pick("", "", ` abstract="true"`, ` nillable="true"`, ` default="1"`), m.keys())
	}
	fmt.Fprintf(&b, "<xs:element name=\"r\"><xs:complexType>%s%s</xs:complexType>%s</xs:element>\n</xs:schema>\n", m.compositor(2, ""), m.attributes(), m.keys())
	return b.String()
}

func (m *schemaMaker) typed() string {
	return m.pick("", ` type="xs:int"`, ` type="xs:string"`, ` type="t0"`, ` type="t1"`, ` type="t2"`, ` type="s0"`, ` type="s1"`, ` type="xs:ID"`, ` type="xs:anyType"`)
}

func (m *schemaMaker) simple() string {
	base := m.pick("xs:int", "xs:string", "xs:decimal", "xs:token", "xs:NMTOKENS", "xs:date", "xs:boolean", "xs:hexBinary", "s0", "xs:duration")
	switch m.n(6) {
	case 0:
		return `<xs:list itemType="` + base + `"/>`
	case 1:
		return `<xs:union memberTypes="` + base + m.some(" xs:boolean") + `"/>`
	}
	var b strings.Builder
	for range m.n(4) {
		facet := m.pick("enumeration", "maxLength", "minLength", "length", "minInclusive", "maxExclusive", "pattern", "totalDigits", "fractionDigits", "whiteSpace")
		value := m.pick("1", "0", "2", "-1", "a", "[0-9]*|a+", "2024-02-29", "collapse", "P1Y", "1.5", "true")
		fmt.Fprintf(&b, `<xs:%s value="%s"%s/>`, facet, value, m.pick("", "", "", ` fixed="true"`))
	}
	return `<xs:restriction base="` + base + `">` + b.String() + "</xs:restriction>"
}

func (m *schemaMaker) occurs() string {
	return m.pick("", ` minOccurs="0"`, ` maxOccurs="unbounded"`, ` minOccurs="0" maxOccurs="2"`, ` minOccurs="2" maxOccurs="3"`, ` minOccurs="0" maxOccurs="0"`)
}

// compositor makes a group of particles.
func (m *schemaMaker) compositor(depth int, occurs string) string {
	kind := m.pick("sequence", "choice", "sequence", "all")
	var b strings.Builder
	for range m.n(4) {
		b.WriteString(m.particle(depth - 1))
	}
	if kind == "choice" { // one of nothing is nothing here, and empty to others
		b.WriteString(`<xs:element name="f"/>`)
	}
	return "<xs:" + kind + occurs + ">" + b.String() + "</xs:" + kind + ">"
}

func (m *schemaMaker) particle(depth int) string {
	switch n := m.n(9); {
	case n < 3:
		return `<xs:element name="` + m.pick("a", "b", "c", "e") + `"` + m.typed() + m.occurs() + m.pick("", "", "", ` nillable="true"`, ` fixed="1"`) + "/>"
	case n < 5:
		return `<xs:element ref="` + m.pick("a", "b", "c", "d") + `"` + m.occurs() + "/>"
	case n == 5:
		return `<xs:any namespace="` + m.pick("##any", "##other", "##local", "u") + `" processContents="` + m.pick("lax", "skip", "strict") + `"` + m.occurs() + "/>"
	case n == 6 && depth >= 0:
		return `<xs:group ref="g"` + m.occurs() + "/>"
	case depth > 0:
		return m.compositor(depth, m.occurs())
	}
	return `<xs:element name="e"` + m.typed() + m.occurs() + "/>"
}

func (m *schemaMaker) attributes() string {
	var b strings.Builder
	for _, name := range []string{"x", "y"} {
		if m.n(2) == 1 {
			fmt.Fprintf(&b, `<xs:attribute name="%s" type="%s"%s/>`, name, m.pick("xs:int", "xs:ID", "s0", "s1", "xs:IDREF"), m.pick("", ` use="required"`, ` use="prohibited"`, ` default="1"`, ` fixed="2"`))
		}
	}
	return b.String() + m.pick("", "", `<xs:anyAttribute processContents="lax"/>`, `<xs:anyAttribute namespace="##other"/>`)
}

// complex makes the content of a complex type, which may derive from one before it.
func (m *schemaMaker) complex(i int) string {
	own := m.compositor(2, "") + m.attributes() + m.some(`<xs:attributeGroup ref="h"/>`)
	how := m.pick("", "", "extension", "restriction", "simple")
	switch {
	case how == "simple":
		return `<xs:simpleContent><xs:extension base="` + m.pick("xs:int", "s0", "s1") + `">` + m.attributes() + "</xs:extension></xs:simpleContent>"
	case how == "" || i == 0:
		return own
	}
	return fmt.Sprintf(`<xs:complexContent><xs:%s base="t%d">%s</xs:%s></xs:complexContent>`, how, m.n(i), own, how)
}

func (m *schemaMaker) keys() string {
	if m.n(4) < 3 {
		return ""
	}
	path := func() string { return m.pick("a", "b", ".//c", "*", "a/b", ".", "a|b") }
	field := func() string { return m.pick("@x", ".", "a", "@*", "b/@y") }
	m.made++
	return fmt.Sprintf(`<xs:%s name="k%d"><xs:selector xpath="%s"/><xs:field xpath="%s"/></xs:%[1]s>`, m.pick("key", "unique"), m.made, path(), field())
}

// document makes a document with the names that the schemas have.
func (m *schemaMaker) document() string {
	return "<r xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"" + m.given() + ">" + m.content(3) + "</r>\n"
}

func (m *schemaMaker) given() string {
	return m.pick("", ` x="1"`, ` y="2"`, ` x="2" y="a"`) + m.pick("", "", "", "", ` xsi:nil="true"`, ` xsi:type="t1"`)
}

func (m *schemaMaker) content(depth int) string {
	var b strings.Builder
	for range m.n(4) {
		name := m.pick("a", "b", "c", "d", "e")
		fmt.Fprintf(&b, "\n<%s%s>", name, m.given())
		if depth > 0 && m.n(2) == 1 {
			b.WriteString(m.content(depth - 1))
		} else {
			b.WriteString(m.pick("", "1", "2", "a", "true", "2024-02-29"))
		}
		b.WriteString("</" + name + ">")
	}
	return b.String()
}

// FuzzSchemas compares the verdicts on made schemas and documents with those of Xerces
// and xmllint. Where both agree, they count as right.
func FuzzSchemas(f *testing.F) {
	xmllint(f)
	for i := range 12 {
		g := newGenerator(uint64(i))
		seed := make([]byte, 300)
		for j := range seed {
			seed[j] = byte(g.IntN(256) * g.IntN(2)) // more of the simple possibilities, so that half of the schemas compile
		}
		f.Add(seed)
	}
	judge := startXerces(f)
	dir := f.TempDir()
	lib := open(f, document.Config{Roots: []string{dir}, MaxTime: 20 * time.Second})
	f.Fuzz(func(t *testing.T, data []byte) {
		judge.t = t
		compareMade(t, lib, judge, dir, data)
	})
}

// compareMade compares the verdicts on the schema and the documents that are made of data.
func compareMade(t *testing.T, lib *document.Library, judge *xerces, dir string, data []byte) {
	t.Helper()
	m := &schemaMaker{choices: choices{data}}
	schema := filepath.Join(dir, "s.xsd")
	text := m.schema()
	if err := os.WriteFile(schema, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var paths []string
	for i := range 5 {
		paths = append(paths, filepath.Join(dir, fmt.Sprintf("%d.xml", i)))
		if err := os.WriteFile(paths[i], []byte(m.document()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ours, theirs := compiles(t.Context(), lib, schema), judge.judge("S", schema)
	if ours.none {
		t.Fatalf("no verdict: %v\n%s", ours, text)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second) // it does not end with some models
	defer cancel()
	said, lint := lintDocuments(ctx, schema, paths)
	if ctx.Err() != nil {
		return
	}
	if ours.valid != theirs.valid && theirs.valid == lint.valid {
		t.Errorf("schema: ours %v\nXerces  %v\nxmllint %v\n%s", ours, theirs, lint, text)
	}
	if !ours.valid || !theirs.valid || !lint.valid {
		return
	}
	for _, path := range paths {
		ours, theirs := matches(t.Context(), lib, path, schema), judge.judge("D", path)
		if ours.none || ours.valid != theirs.valid && said[path].valid == theirs.valid && !said[path].none {
			content, _ := os.ReadFile(path) // for the message only
			t.Errorf("document: ours %v\nXerces  %v\nxmllint %v\n%s\n%s", ours, theirs, said[path], content, text)
		}
	}
}

// FuzzDocuments compares whether arbitrary texts are well-formed with what Xerces and
// xmllint say, where both agree.
func FuzzDocuments(f *testing.F) {
	xmllint(f)
	for _, text := range []string{
		"<a b='c'>d</a>", "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY e '<b/>'><!ATTLIST a c CDATA 'd'>]><a>&e;</a>",
		"<p:a xmlns:p='u'><p:b xmlns:p='v'/></p:a>", "<a><![CDATA[]]]]>&#xe9;<!--b--><?c d?></a>", "<a>]]></a>", "<a b='&lt;' c=\"'\"/>\r\n",
		"<!DOCTYPE a [<!ELEMENT a (#PCDATA|b)*><!NOTATION n PUBLIC 'p'><!ENTITY % p '<!--x-->'>%p;]><a/>", "<a xmlns='u' xmlns:xml='http://www.w3.org/XML/1998/namespace'/>",
	} {
		f.Add(text)
	}
	judge := startXerces(f)
	dir := f.TempDir()
	schema := save(f, dir, "s.xsd", `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>`)
	lib := open(f, document.Config{Roots: []string{dir}, MaxTime: 20 * time.Second})
	f.Fuzz(func(t *testing.T, text string) {
		judge.t = t
		if strings.Contains(text, "SYSTEM") || strings.Contains(text, "PUBLIC") || strings.Contains(text, "1.1") {
			return // what is outside is not read here
		}
		path := save(t, dir, "a.xml", text)
		_, err := lib.Validate(t.Context(), document.ValidateRequest{Document: path, Schema: schema})
		ours := err == nil || errors.As(err, new(*document.ViolationsError))
		if !ours && !errors.As(err, new(*document.SyntaxError)) {
			return // a limit, or an encoding
		}
		judge.judge("S", schema)
		theirs := judge.judge("D", path)
		wellFormed := theirs.valid || strings.Contains(theirs.message, "cvc-")
		said, _ := lintDocuments(t.Context(), schema, []string{path})
		lint := said[path].valid || strings.Contains(said[path].message, "No matching global")
		if ours != wellFormed && wellFormed == lint {
			t.Errorf("%q: ours %v, Xerces %v, xmllint %v", text, err, theirs, said[path])
		}
	})
}
