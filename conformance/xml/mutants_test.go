package xml_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/document"
)

// A grown schema has a document that matches it, from which mutants are made.
type grown struct{ name, schema, document string }

// folder makes a folder with the schema.
func (s grown) folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	save(t, dir, "s.xsd", `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">`+s.schema+`</xs:schema>`)
	return dir
}

var grownSchemas = []grown{
	{
		"sequences, choices and occurrences", `<xs:element name="r"><xs:complexType><xs:sequence>
  <xs:element name="a" type="xs:int" minOccurs="0" maxOccurs="2"/>
  <xs:choice maxOccurs="unbounded"><xs:element name="b" type="xs:string"/><xs:sequence><xs:element name="c"/><xs:element name="d" type="xs:date"/></xs:sequence></xs:choice>
  <xs:element name="e" minOccurs="1"><xs:complexType mixed="true"><xs:sequence><xs:any minOccurs="0" processContents="skip"/></xs:sequence></xs:complexType></xs:element>
</xs:sequence><xs:attribute name="x" type="xs:positiveInteger" use="required"/><xs:attribute name="y" type="xs:NCName"/></xs:complexType></xs:element>`,
		`<r x="3" y="name"><a>1</a><a>-22</a><b>text</b><c/><d>2024-02-29</d><b/><e>mixed<b/>text</e></r>`,
	},
	{
		"all and facets", `<xs:element name="r"><xs:complexType><xs:all>
  <xs:element name="a"><xs:simpleType><xs:restriction base="xs:string"><xs:pattern value="[A-Z]{2}\d+"/><xs:maxLength value="6"/></xs:restriction></xs:simpleType></xs:element>
  <xs:element name="b" minOccurs="0"><xs:simpleType><xs:restriction base="xs:token"><xs:enumeration value="one"/><xs:enumeration value="two words"/></xs:restriction></xs:simpleType></xs:element>
  <xs:element name="c"><xs:simpleType><xs:restriction base="xs:decimal"><xs:minInclusive value="-1"/><xs:maxExclusive value="10"/><xs:fractionDigits value="2"/></xs:restriction></xs:simpleType></xs:element>
  <xs:element name="d"><xs:simpleType><xs:list itemType="xs:short"/></xs:simpleType></xs:element>
</xs:all></xs:complexType></xs:element>`,
		`<r><c>9.99</c><a>AB12</a><d>1 -2 3</d><b>two  words</b></r>`,
	},
	{
		"keys and references", `<xs:element name="r"><xs:complexType><xs:sequence maxOccurs="unbounded">
  <xs:element name="a"><xs:complexType><xs:attribute name="x" type="xs:int" use="required"/><xs:attribute name="y" type="xs:string"/></xs:complexType></xs:element>
  <xs:element name="b" minOccurs="0" type="xs:int"/></xs:sequence></xs:complexType>
  <xs:key name="k"><xs:selector xpath="a"/><xs:field xpath="@x"/></xs:key>
  <xs:keyref name="kr" refer="k"><xs:selector xpath="b"/><xs:field xpath="."/></xs:keyref>
  <xs:unique name="u"><xs:selector xpath="a"/><xs:field xpath="@y"/></xs:unique>
</xs:element>`,
		`<r><a x="1" y="p"/><b>2</b><a x="2" y="q"/><b>1</b><a x="3"/><b>03</b></r>`,
	},
	{
		"derivation, nil and substitution", `<xs:complexType name="base"><xs:sequence><xs:element name="a" type="xs:string"/></xs:sequence><xs:attribute name="x" type="xs:boolean"/></xs:complexType>
<xs:complexType name="more"><xs:complexContent><xs:extension base="base"><xs:sequence><xs:element name="b" type="xs:duration" nillable="true"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>
<xs:element name="item" type="base"/><xs:element name="special" type="more" substitutionGroup="item"/>
<xs:element name="r"><xs:complexType><xs:sequence><xs:element ref="item" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>`,
		`<r xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><item x="true"><a>t</a></item><special><a/><b>P1DT2H</b></special><item xsi:type="more"><a/><b xsi:nil="true"/></item></r>`,
	},
	{
		"unions and identifiers, but no references, which libxml2 does not check", `<xs:simpleType name="size"><xs:union memberTypes="xs:unsignedByte"><xs:simpleType><xs:restriction base="xs:string"><xs:enumeration value="all"/></xs:restriction></xs:simpleType></xs:union></xs:simpleType>
<xs:element name="r"><xs:complexType><xs:choice minOccurs="0" maxOccurs="9"><xs:element name="a" type="size"/>
  <xs:element name="b"><xs:complexType><xs:simpleContent><xs:extension base="xs:float"><xs:attribute name="x" type="xs:ID"/><xs:attribute name="y" type="xs:NMTOKEN"/></xs:extension></xs:simpleContent></xs:complexType></xs:element>
</xs:choice></xs:complexType></xs:element>`,
		`<r><a>255</a><b x="i1" y="i2">1e3</b><a>all</a><b x="i2">-INF</b><b y="i1">0</b></r>`,
	},
}

// mutant changes a document in one to three places, so that it stays well-formed.
func (g *generator) mutant(text string) string {
	for range 1 + g.IntN(3) {
		text = g.mutate(text)
	}
	return text
}

var (
	leaf      = regexp.MustCompile(`<[a-z]+[^<>/]*(/>|>[^<>]*</[a-z]+>)`)
	attribute = regexp.MustCompile(` [a-z]="[^"]*"`)
	content   = regexp.MustCompile(`>[^<>]+<`)
)

// mutate changes one place. Numbers with blanks around them are left out: libxml2
// does not always collapse the blanks.
func (g *generator) mutate(text string) string {
	value := g.pick("", "1", "0", "-1", "3", "x", "i1", "i2", "two words", "2024-02-30", "2024-12-05", "9.999", "255", "256", "all", "1e3", "NaN", "true", "P1D", "AB7", "12345678901234567890")
	switch g.IntN(7) {
	case 0: // leave an element out
		return g.replace(text, leaf, func(string) string { return "" })
	case 1: // have it twice
		return g.replace(text, leaf, func(s string) string { return s + s })
	case 2: // put another one beside it
		return g.replace(text, leaf, func(s string) string { return s + "<" + g.pick("a", "b", "c", "d", "e") + "/>" })
	case 3: // change a value
		return g.replace(text, attribute, func(s string) string { return s[:4] + value + `"` })
	case 4:
		return g.replace(text, attribute, func(string) string { return "" })
	case 5: // call it otherwise
		return g.replace(text, attribute, func(s string) string { return " z" + s[1:] })
	}
	return g.replace(text, content, func(string) string { return ">" + value + "<" })
}

// replace changes one of the matches of an expression.
func (g *generator) replace(text string, what *regexp.Regexp, by func(string) string) string {
	all := what.FindAllStringIndex(text, -1)
	if len(all) == 0 {
		return text
	}
	at := all[g.IntN(len(all))]
	return text[:at[0]] + by(text[at[0]:at[1]]) + text[at[1]:]
}

// TestMutants compares our verdicts on changed documents with xmllint's.
func TestMutants(t *testing.T) {
	xmllint(t)
	for i, s := range grownSchemas {
		t.Run(s.name, func(t *testing.T) {
			dir := s.folder(t)
			g := newGenerator(uint64(i))
			paths := []string{save(t, dir, "whole.xml", s.document)}
			for n := range 400 {
				paths = append(paths, save(t, dir, fmt.Sprintf("%03d.xml", n), g.mutant(s.document)))
			}
			compareVerdicts(t, dir, paths)
		})
	}
}

func save(t testing.TB, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// compareVerdicts validates files against s.xsd.
func compareVerdicts(t *testing.T, dir string, paths []string) {
	t.Helper()
	args := append([]string{"--noout", "--nonet", "--schema", filepath.Join(dir, "s.xsd")}, paths...)
	out, _ := exec.CommandContext(t.Context(), "xmllint", args...).CombinedOutput() // it fails if one of them does
	said := string(out)
	lib := open(t, document.Config{Roots: []string{dir}})
	valid := 0
	for _, path := range paths {
		_, err := lib.Validate(t.Context(), document.ValidateRequest{Document: path, Schema: "s.xsd"})
		if err != nil && !errors.As(err, new(*document.ViolationsError)) {
			t.Errorf("%s: %v", path, err)
			continue
		}
		want := strings.Contains(said, path+" validates\n")
		if !want && !strings.Contains(said, path+" fails to validate\n") {
			t.Fatalf("xmllint has no verdict on %s", path)
		}
		if want {
			valid++
		}
		if got := err == nil; got != want {
			text, _ := os.ReadFile(path) // for the message only
			t.Errorf("valid is %v, xmllint says %v:\n%s\n%v\n%s", got, want, text, err, linesOf(said, path))
		}
	}
	t.Logf("%d of %d documents are valid, as xmllint says", valid, len(paths))
	if valid == 0 || valid == len(paths) {
		t.Error("a test of one verdict only shows nothing")
	}
}

// linesOf are the lines that name a file.
func linesOf(text, path string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, path) {
			b.WriteString(line)
		}
	}
	return b.String()
}
