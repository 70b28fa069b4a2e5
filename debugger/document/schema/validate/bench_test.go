package validate_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/document/schema/event"
	"github.com/triptych-mcp/triptych/debugger/document/schema/validate"
)

const catalog = `<xs:element name="catalog"><xs:complexType><xs:sequence>
<xs:element name="book" minOccurs="0" maxOccurs="unbounded"><xs:complexType><xs:sequence>
<xs:element name="author" type="xs:string"/><xs:element name="title" type="xs:string"/><xs:element name="genre" type="xs:NCName"/>
<xs:element name="price" type="xs:decimal"/><xs:element name="published" type="xs:date"/><xs:element name="description" type="xs:string"/>
</xs:sequence><xs:attribute name="id" type="xs:NCName" use="required"/><xs:attribute name="lang" type="xs:language"/></xs:complexType></xs:element>
</xs:sequence></xs:complexType></xs:element>`

// BenchmarkRecords validates 8 MB of records.
func BenchmarkRecords(b *testing.B) {
	var text strings.Builder
	text.WriteString(`<catalog xmlns="urn:s">`)
	for i := 0; text.Len() < 8<<20; i++ {
		fmt.Fprintf(&text, `<book id="bk%07d" lang="en"><author>Somebody Else</author><title>Something of Note</title><genre>Computer</genre><price>44.95</price><published>2000-10-01</published><description>A look at what can be written down in so many words.</description></book>`+"\n", i)
	}
	text.WriteString("</catalog>")
	g := grammarOf(b, catalog, nil)
	document := []byte(text.String())
	b.SetBytes(int64(len(document)))
	b.ReportAllocs()
	for b.Loop() {
		r, err := g.Document(b.Context(), event.NewParser(bytes.NewReader(document), event.Limits{}), validate.Options{})
		if err != nil || len(r.Violations) > 0 {
			b.Fatal(r, err)
		}
	}
}
