package document_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/document"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// each returns a text for each number below n.
func each(n int, text func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(text(i))
	}
	return b.String()
}

// rootOf is a declaration of an element r with a type.
func rootOf(contents string) string {
	return `<xs:element name="r"><xs:complexType>` + contents + `</xs:complexType></xs:element>`
}

// stringsOf is the element r with elements v that are strings with facets.
func stringsOf(facets string) string {
	return rootOf(`<xs:sequence><xs:element name="v" maxOccurs="unbounded"><xs:simpleType><xs:restriction base="xs:string">` + facets + `</xs:restriction></xs:simpleType></xs:element></xs:sequence>`)
}

// manyOf is the element r with elements e that have a type.
func manyOf(contents string) string {
	return rootOf(`<xs:sequence><xs:element name="e" maxOccurs="unbounded"><xs:complexType>` + contents + `</xs:complexType></xs:element></xs:sequence>`)
}

// keyed is manyOf with identity constraints.
func keyed(contents, constraints string) string {
	return strings.TrimSuffix(manyOf(contents), "</xs:element>") + constraints + "</xs:element>"
}

// hostileSchemas are schemas and documents that took time or memory out of all proportion.
// The answer is valid, or has these words.
var hostileSchemas = []struct{ name, schema, text, want string }{
	{
		"extensions, each with an element more", `<xs:complexType name="t0"/>` + each(1800, func(i int) string {
			return fmt.Sprintf(`<xs:complexType name="t%d"><xs:complexContent><xs:extension base="t%d"><xs:sequence><xs:element name="e%d"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>`, i+1, i, i)
		}) + `<xs:element name="r" type="t1800"/>`, "<r/>", "particles of all content models",
	},
	{
		"extensions, each with an attribute more", `<xs:complexType name="t0"/>` + each(1800, func(i int) string {
			return fmt.Sprintf(`<xs:complexType name="t%d"><xs:complexContent><xs:extension base="t%d"><xs:attribute name="a%d"/></xs:extension></xs:complexContent></xs:complexType>`, i+1, i, i)
		}) + `<xs:element name="r" type="t1800"/>`, "<r/>", "attributes of types and groups",
	},
	{
		"a large group in many types", `<xs:group name="g"><xs:sequence>` + each(4000, func(i int) string { return fmt.Sprintf(`<xs:element name="a%d"/>`, i) }) + `</xs:sequence></xs:group>` +
			each(300, func(i int) string {
				return fmt.Sprintf(`<xs:complexType name="t%d"><xs:group ref="g" maxOccurs="%d"/></xs:complexType>`, i, i+2)
			}) + `<xs:element name="r" type="t0"/>`, "<r/>", "particles of all content models",
	},
	{
		"groups in each other in many types", `<xs:group name="g0"><xs:choice><xs:element name="a"/></xs:choice></xs:group>` +
			each(1000, func(i int) string {
				return fmt.Sprintf(`<xs:group name="g%d"><xs:choice><xs:group ref="g%d"/><xs:element name="a%d"/></xs:choice></xs:group>`, i+1, i, i)
			}) + each(100, func(i int) string {
			return fmt.Sprintf(`<xs:complexType name="t%d"><xs:group ref="g1000" maxOccurs="%d"/></xs:complexType>`, i, i+2)
		}) + `<xs:element name="r" type="t0"/>`, "<r><a/><a999/></r>", "",
	},
	{
		"substitution groups in each other", `<xs:element name="h0"/>` + each(10_000, func(i int) string {
			return fmt.Sprintf(`<xs:element name="h%d" substitutionGroup="h%d"/>`, i+1, i)
		}) + rootOf(`<xs:sequence><xs:element ref="h0" maxOccurs="unbounded"/></xs:sequence>`), "<r><h1/></r>", "more than 2000 substitution groups",
	},
	{
		"a large substitution group in many types", `<xs:element name="h" type="xs:string"/>` + each(3000, func(i int) string {
			return fmt.Sprintf(`<xs:element name="h%d" substitutionGroup="h"/><xs:complexType name="t%d"><xs:sequence><xs:element ref="h" maxOccurs="unbounded"/></xs:sequence></xs:complexType>`, i, i)
		}) + `<xs:element name="r" type="t0"/>`, "<r><h/><h7/></r>", "",
	},
	{
		"a long way to the type of xsi:type", `<xs:complexType name="t0"/>` + each(10_000, func(i int) string {
			return fmt.Sprintf(`<xs:complexType name="t%d"><xs:complexContent><xs:extension base="t%d"/></xs:complexContent></xs:complexType>`, i+1, i)
		}) + rootOf(`<xs:sequence><xs:element name="e" type="t0" maxOccurs="unbounded"/></xs:sequence>`),
		`<r xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">` + strings.Repeat(`<e xsi:type="t10000"/>`, 20_000) + "</r>", "",
	},
	{
		"unknown elements in a large choice", rootOf(`<xs:choice maxOccurs="unbounded">` + each(10_000, func(i int) string { return fmt.Sprintf(`<xs:element name="a%d"/>`, i) }) + `</xs:choice>`),
		"<r>" + each(20_000, func(i int) string { return fmt.Sprintf("<b%d/>", i) }) + "</r>", "not expected",
	},
	{
		"counters in each other", rootOf(strings.Repeat(`<xs:sequence minOccurs="2" maxOccurs="3">`, 60) + `<xs:element name="a" minOccurs="2" maxOccurs="3"/>` + strings.Repeat(`</xs:sequence>`, 60)),
		"<r>" + strings.Repeat("<a/>", 20_000) + "</r>", "ways open",
	},
	{
		"attributes that are missing", manyOf(each(2000, func(i int) string { return fmt.Sprintf(`<xs:attribute name="a%d" use="required"/>`, i) })),
		"<r>" + strings.Repeat("<e"+each(2000, func(i int) string { return fmt.Sprintf(" b%d=''", i) })+"/>", 100) + "</r>", "not allowed",
	},
	{
		"attributes with defaults", manyOf(each(2000, func(i int) string { return fmt.Sprintf(`<xs:attribute name="a%d" default="1"/>`, i) })),
		"<r>" + strings.Repeat("<e/>", 100_000) + "</r>", "",
	},
	{
		"a key of many attributes", keyed(each(2000, func(i int) string { return fmt.Sprintf(`<xs:attribute name="a%d"/>`, i) }),
			`<xs:key name="k"><xs:selector xpath="e"/>`+each(2000, func(i int) string { return fmt.Sprintf(`<xs:field xpath="@a%d"/>`, i) })+"</xs:key>"),
		"<r>" + each(200, func(k int) string {
			return "<e" + each(2000, func(i int) string { return fmt.Sprintf(" a%d='%d'", i, k) }) + "/>"
		}) + "</r>", "",
	},
	{
		"many keys of one attribute each", keyed(each(2000, func(i int) string { return fmt.Sprintf(`<xs:attribute name="a%d"/>`, i) }),
			each(2000, func(i int) string {
				return fmt.Sprintf(`<xs:key name="k%d"><xs:selector xpath="e"/><xs:field xpath="@a%d"/></xs:key>`, i, i)
			})),
		"<r>" + each(50, func(k int) string {
			return "<e" + each(2000, func(i int) string { return fmt.Sprintf(" a%d='%d'", i, k) }) + "/>"
		}) + "</r>", "",
	},
	{
		"a value and many patterns", `<xs:element name="r"><xs:simpleType><xs:restriction base="xs:string">` + each(40, func(i int) string {
			return fmt.Sprintf(`<xs:pattern value="(a|b)*a(a|b){%d}c?"/>`, 9000+i)
		}) + `</xs:restriction></xs:simpleType></xs:element>`, "<r>" + strings.Repeat("ab", 5000) + "</r>", "compared with patterns",
	},
	{
		"values and a pattern", stringsOf(`<xs:pattern value="(a|b)*a(a|b){16000}"/>`),
		"<r>" + each(5000, func(i int) string { return "<v>" + strings.Repeat("abb"+strings.Repeat("a", i%7), 100) + "</v>" }) + "</r>", "compared with patterns",
	},
	{
		"patterns of many bases", `<xs:simpleType name="s0"><xs:restriction base="xs:string"/></xs:simpleType>` + each(8000, func(i int) string {
			return fmt.Sprintf(`<xs:simpleType name="s%d"><xs:restriction base="s%d"><xs:pattern value="a{%d}a*"/></xs:restriction></xs:simpleType>`, i+1, i, i%9)
		}) + rootOf(`<xs:sequence><xs:element name="v" type="s8000" maxOccurs="unbounded"/></xs:sequence>`), "<r>" + strings.Repeat("<v>aaaaaaaaaa</v>", 1000) + "</r>", "compared with patterns",
	},
	{
		"many prefixes", rootOf(`<xs:sequence><xs:any processContents="skip" maxOccurs="unbounded"/></xs:sequence>`),
		"<r>" + each(100, func(d int) string {
			return "<e" + each(700, func(i int) string { return fmt.Sprintf(` xmlns:p%d_%d="urn:%d"`, d, i, i) }) + ">"
		}) + strings.Repeat("<p0_0:x/>", 20_000) + strings.Repeat("</e>", 100) + "</r>", "",
	},
	{
		"keys in each other", `<xs:element name="r"><xs:complexType><xs:sequence><xs:element ref="r" minOccurs="0"/><xs:element name="e" minOccurs="0" maxOccurs="unbounded"><xs:complexType><xs:attribute name="i"/></xs:complexType></xs:element></xs:sequence></xs:complexType>` +
			`<xs:key name="k"><xs:selector xpath=".//e"/><xs:field xpath="@i"/></xs:key><xs:keyref name="kr" refer="k"><xs:selector xpath="e"/><xs:field xpath="@i"/></xs:keyref></xs:element>`,
		strings.Repeat("<r>", 100) + each(1000, func(i int) string { return fmt.Sprintf(`<e i="%d"/>`, i) }) + strings.Repeat("</r>", 100), "",
	},
}

// TestHostileSchemas validates documents by schemas that mean harm. Each takes less than 2 s
// of processor time where no race detector makes it slower; that the limit is a minute is
// for those.
func TestHostileSchemas(t *testing.T) {
	sample.Alone(t)
	lib := open(t, document.Config{MaxTime: time.Minute})
	for _, test := range hostileSchemas {
		t.Run(test.name, func(t *testing.T) {
			before := allocated()
			_, err := lib.Validate(t.Context(), document.ValidateRequest{Document: test.text, Schema: `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">` + test.schema + `</xs:schema>`})
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %.300v, want %q", err, test.want)
			}
			if limit, ok := errors.AsType[*document.LimitError](err); ok && limit.Elapsed > 0 {
				t.Errorf("it took %v", limit.Elapsed)
			}
			if used := allocated() - before; used > 2<<30 {
				t.Errorf("it allocated %d MB", used>>20)
			}
		})
	}
}
