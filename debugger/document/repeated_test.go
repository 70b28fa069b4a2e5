package document_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/debugger/document"
)

// TestRepeatedValues checks that what was found out about a value holds for later
// elements only as far as it does not depend on them.
func TestRepeatedValues(t *testing.T) {
	lib := open(t, document.Config{})
	schema := schemaOf(`<xs:element name="all"><xs:complexType><xs:choice maxOccurs="unbounded">
  <xs:element name="n" type="xs:int"/><xs:element name="q" type="xs:QName"/><xs:element name="f" type="xs:int" fixed="1"/>
  <xs:element name="qs" type="names"/><xs:element name="s" type="short"/><xs:element name="i" type="item"/>
</xs:choice></xs:complexType></xs:element>
<xs:simpleType name="names"><xs:list><xs:simpleType><xs:union memberTypes="xs:int xs:QName"/></xs:simpleType></xs:list></xs:simpleType>
<xs:simpleType name="short"><xs:restriction base="xs:string"><xs:maxLength value="3"/></xs:restriction></xs:simpleType>
<xs:complexType name="item">` + attributes(12) + `<xs:attribute name="must" type="xs:int" use="required"/><xs:attribute name="q" type="xs:QName"/></xs:complexType>`)
	items := []struct {
		text  string
		valid bool
	}{
		{`<n>7</n>`, true}, {`<n>7</n>`, true}, {`<n> 7 </n>`, true}, {`<n>7x</n>`, false}, {`<n>7x</n>`, false},
		{`<n/>`, false}, {`<n></n>`, false}, {`<n><![CDATA[7]]></n>`, true}, {`<n>7<!-- 7 -->0</n>`, true}, {`<n>7<!-- 7 -->x</n>`, false},
		{`<q xmlns:p="urn:p">p:x</q>`, true}, {`<q>p:x</q>`, false}, {`<q xmlns:p="urn:p">p:x</q>`, true},
		{`<qs xmlns:p="urn:p">1 p:x</qs>`, true}, {`<qs>1 p:x</qs>`, false},
		{`<f>1</f>`, true}, {`<f>01</f>`, true}, {`<f>7</f>`, false}, {`<f/>`, true},
		{`<s>7</s>`, true}, {`<s>7777</s>`, false}, {`<s>777</s>`, true}, {`<s> 7 </s>`, true}, {`<s>  7 </s>`, false},
		{`<i must="7"/>`, true}, {`<i must="7" a11="7"/>`, true}, {`<i must="7" a11="x"/>`, false}, {`<i must="x"/>`, false},
		{`<i a0="7"/>`, false}, {`<i must="7" a12="7"/>`, false}, {`<i must="" />`, false},
		{`<i must="7" q="p:x" xmlns:p="urn:p"/>`, true}, {`<i must="7" q="p:x"/>`, false},
	}
	var text strings.Builder
	text.WriteString("<all>\n")
	var want, got []int
	for i, item := range items {
		fmt.Fprintln(&text, item.text)
		if !item.valid {
			want = append(want, i+2)
		}
	}
	text.WriteString("</all>")
	_, err := lib.Validate(t.Context(), document.ValidateRequest{Document: text.String(), Schema: schema})
	wrong, ok := errors.AsType[*document.ViolationsError](err)
	if !ok {
		t.Fatal(err)
	}
	for _, v := range wrong.Violations {
		got = append(got, v.Line)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines with violations (-want +got)\n%s", diff)
	}
}

// attributes declares optional integers a0, a1 and so on.
func attributes(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `<xs:attribute name="a%d" type="xs:int"/>`, i)
	}
	return b.String()
}
