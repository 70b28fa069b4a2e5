package document_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/document"
)

// repeated returns a text for each number below n.
func repeated(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// What is large in one way takes a second or less of processor time, or is refused with
// the name of the limit. The race detector takes ten times as long, and there are machines
// that are slower.
func TestLargeInOneWay(t *testing.T) {
	lib := open(t, document.Config{MaxTime: 2 * time.Minute})
	element := func(content string) string {
		return schemaOf(`<xs:element name="r"><xs:complexType>` + content + `</xs:complexType></xs:element>`)
	}
	all := element("<xs:all>" + repeated(2000, `<xs:element name="e%d" type="xs:string"/>`) + "</xs:all>")
	choice := element(`<xs:choice maxOccurs="unbounded">` + repeated(20_000, `<xs:element name="e%d" type="xs:string"/>`) + "</xs:choice>")
	optional := element("<xs:sequence>" + repeated(20_000, `<xs:element name="e%d" minOccurs="0"/>`) + "</xs:sequence>")
	groups := ""
	for i := range 30 {
		groups += fmt.Sprintf(`<xs:group name="g%d"><xs:sequence><xs:group ref="g%d"/><xs:group ref="g%d"/></xs:sequence></xs:group>`, i, i+1, i+1)
	}
	groups = schemaOf(groups + `<xs:group name="g30"><xs:sequence><xs:element name="x"/></xs:sequence></xs:group><xs:element name="r"><xs:complexType><xs:group ref="g0"/></xs:complexType></xs:element>`)
	integer := schemaOf(`<xs:element name="r"><xs:simpleType><xs:restriction base="xs:integer"><xs:maxInclusive value="5"/></xs:restriction></xs:simpleType></xs:element>`)
	for _, tt := range []struct{ name, schema, document, want string }{
		{"all of 2,000", all, "<r>" + repeated(2000, "<e%d/>") + "</r>", ""},
		{"all of 2,000, one of them twice", all, "<r>" + repeated(2000, "<e%d/>") + "<e7/></r>", "not expected"},
		{"all of 2,000, each of them twice", all, "<r>" + repeated(2000, "<e%d/>") + repeated(2000, "<e%d/>") + "</r>", "(and 1999 more)"},
		{"choice of 20,000", choice, "<r>" + repeated(20_000, "<e%d/>") + "</r>", ""},
		{"choice of 20,000, none of them", choice, "<r><e5/><x/></r>", "not expected"},
		{"sequence of 20,000 that may be absent", optional, "<r/>", ""},
		{"a group nested 30 times twice", groups, "<r/>", "exceeds the limit of particles"},
		{"integer of a megabyte", integer, "<r>" + strings.Repeat("1", 1<<20) + "</r>", "maxInclusive"},
		{"negative integer of a megabyte", integer, "<r>-" + strings.Repeat("1", 1<<20) + "</r>", ""},
	} {
		start := time.Now()
		_, err := lib.Validate(t.Context(), document.ValidateRequest{Document: tt.document, Schema: tt.schema})
		t.Logf("%s: %v", tt.name, time.Since(start))
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: got %.300v, want %q", tt.name, err, tt.want)
		}
	}
	text := "<r>" + repeated(200_000, `<a xmlns:p%[1]d="urn:%[1]d"/>`) + "</r>"
	got, err := lib.Query(t.Context(), document.QueryRequest{Document: text, Query: "count(//*)"})
	if _, limit := errors.AsType[*document.LimitError](err); limit || err != nil || got.Items[0].Value != "200001" {
		t.Errorf("200,000 namespaces: got %v, %v, want 200001", got.Items, err)
	}
}
