package document_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/document"
)

// A document in UTF-8 is validated whatever its size is; in other encodings it is read
// whole, and so has a limit.
func TestValidationHasNoLimitOfSize(t *testing.T) {
	text := "<r>" + strings.Repeat("<a>é</a>\n", 200_000) + "<b/></r>"
	latin := `<?xml version="1.0" encoding="ISO-8859-1"?>` + strings.ReplaceAll(text, "é", "\xE9")
	dir := write(t, t.TempDir(), map[string]string{
		"s.xsd":     schemaOf(`<xs:element name="r"><xs:complexType><xs:sequence><xs:element name="a" type="xs:string" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>`),
		"utf8.xml":  text,
		"latin.xml": latin,
	})
	small, large := open(t, document.Config{Roots: []string{dir}, MaxDocument: 1 << 20}), open(t, document.Config{Roots: []string{dir}})
	for _, tt := range []struct {
		lib  *document.Library
		name string
		want any
	}{
		{small, "utf8.xml", new(*document.ViolationsError)},
		{large, "utf8.xml", new(*document.ViolationsError)},
		{small, "latin.xml", new(*document.LimitError)},
		{large, "latin.xml", new(*document.ViolationsError)},
	} {
		_, err := tt.lib.Validate(t.Context(), document.ValidateRequest{Document: tt.name, Schema: "s.xsd"})
		if err == nil || !errors.As(err, tt.want) {
			t.Errorf("%s: got %v, want %T", tt.name, err, tt.want)
		}
		if wrong, ok := errors.AsType[*document.ViolationsError](err); ok && (len(wrong.Violations) != 1 || wrong.Violations[0].Line != 200_001) {
			t.Errorf("%s: got %v, want a violation in line 200,001", tt.name, err)
		}
	}
}

// A query that needs no tree is answered whatever the size of the document is. Another
// query has a limit.
func TestQueriesWithoutTreesHaveNoLimitOfSize(t *testing.T) {
	const records = 100_000
	text := "<r xmlns='u'>" + strings.Repeat("<a k='1'><b>é</b></a>\n", records) + "<c/></r>"
	dir := write(t, t.TempDir(), map[string]string{"a.xml": text})
	lib := open(t, document.Config{Roots: []string{dir}, MaxDocument: 1 << 20})
	names := map[string]string{"u": "u"}
	got, err := lib.Query(t.Context(), document.QueryRequest{Document: "a.xml", Query: "count(//u:a[u:b = 'é']/@k)", Namespaces: names})
	if err != nil || got.Items[0] != (document.Item{Kind: "xs:integer", Value: "100000"}) {
		t.Errorf("got %+v, %v, want 100000", got, err)
	}
	got, err = lib.Query(t.Context(), document.QueryRequest{Document: "a.xml", Query: "//u:a", Namespaces: names, Offset: records - 1})
	want := document.Item{Kind: "element", Path: "/Q{u}r[1]/Q{u}a[100000]", Name: "a", Markup: `<a xmlns="u" k="1"><b>é</b></a>`, Line: records, Column: 1}
	if err != nil || got.Total != records || len(got.Items) != 1 || got.Items[0].Markup != want.Markup || got.Items[0] != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	for _, query := range []string{"//u:a[last()]", "/u:r"} {
		_, err = lib.Query(t.Context(), document.QueryRequest{Document: "a.xml", Query: query, Namespaces: names})
		if limit, ok := errors.AsType[*document.LimitError](err); !ok || limit.What != document.LimitSize {
			t.Errorf("%s: got %v, want the limit of size", query, err)
		}
	}
}

// The answer says the version of XML Schema that the schema is read as, and warns of types
// that are nowhere.
func TestValidationTellsVersionAndWarnings(t *testing.T) {
	lib := open(t, document.Config{})
	lax := `<xs:element name="r"><xs:complexType><xs:sequence><xs:any processContents="lax"/></xs:sequence></xs:complexType></xs:element>`
	later := strings.Replace(schemaOf(lax), "<xs:schema ", `<xs:schema xmlns:vc="http://www.w3.org/2007/XMLSchema-versioning" vc:minVersion="1.1" `, 1)
	text := `<r><x xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="none"/></r>`
	got, err := lib.Validate(t.Context(), document.ValidateRequest{Document: text, Schema: schemaOf(lax)})
	if err != nil || got.Version != "1.0" || len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "'none'") {
		t.Errorf("got %+v, %v, want version 1.0 and a warning", got, err)
	}
	got, err = lib.Validate(t.Context(), document.ValidateRequest{Document: "<r><x/></r>", Schema: later})
	if err != nil || got.Version != "1.1" || len(got.Warnings) != 0 {
		t.Errorf("got %+v, %v, want version 1.1", got, err)
	}
}
