package document_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/document"
)

// No function tells where the folder of documents is, of a small document, whose text
// is cached, and of a large one.
func TestQueriesDoNotTellTheFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "hidden-folder")
	write(t, dir, map[string]string{"in/a.xml": "<a/>", "in/b.xml": "<a>" + strings.Repeat("<b>text</b>", 3000) + "</a>"})
	lib := open(t, document.Config{Roots: []string{dir}})
	for _, name := range []string{"in/a.xml", filepath.Join(dir, "in", "b.xml")} {
		uri := "file:///in/" + filepath.Base(name)
		for query, want := range map[string]string{
			"base-uri(/)":               uri,
			"document-uri(/)":           uri,
			"static-base-uri()":         uri,
			"string(/a/base-uri())":     uri,
			"substring(base-uri(/), 6)": uri[5:],
			"upper-case(base-uri(/a))":  strings.ToUpper(uri),
			"string(resolve-uri('x'))":  "file:///in/x",
		} {
			for range 2 { // the second time from the cache
				got, err := lib.Query(t.Context(), document.QueryRequest{Document: name, Query: query})
				if err != nil || len(got.Items) != 1 || got.Items[0].Value != want {
					t.Errorf("%s of %s: got %v, %v, want %s", query, name, got.Items, err, want)
				}
			}
		}
		for _, query := range []string{
			"doc('x.xml')", "doc-available('x.xml')", "unparsed-text('x.xml')", "json-doc('x.json')", "collection('x')",
			"uri-collection('x')", "xs:date(base-uri(/))", "error((), base-uri(/))", "path(/)", "base-uri(parse-xml('<c/>'))",
		} {
			if text := said(t, lib, name, query); strings.Contains(text, "hidden-folder") {
				t.Errorf("%s of %s tells %s", query, name, text)
			}
		}
	}
}

// said returns the values of a query, or its error.
func said(t *testing.T, lib *document.Library, name, query string) string {
	t.Helper()
	got, err := lib.Query(t.Context(), document.QueryRequest{Document: name, Query: query})
	if err != nil {
		return err.Error()
	}
	text := ""
	for _, item := range got.Items {
		text += item.Value
	}
	return text
}

// Each error of XPath 3.1 has the code of the specification.
func TestErrorCodes(t *testing.T) {
	lib := open(t, document.Config{})
	for _, tt := range []struct{ query, code string }{
		{"foo(", "XPST0003"}, {"1 +", "XPST0003"}, {`"a`, "XPST0003"}, {"if (1) then 2", "XPST0003"}, {"for $x in 1", "XPST0003"}, {"#", "XPST0003"},
		{"foo()", "XPST0017"}, {"concat(1)", "XPST0017"}, {"string-length(1, 2)", "XPST0017"}, {"unparsed-text-available()", "XPST0017"},
		{"$x", "XPST0008"}, {"let $x := 1 return $y", "XPST0008"},
		{"//p:x", "XPST0081"}, {"p:f()", "XPST0081"},
		{"environment-variable(1)", "XPTY0004"}, {"environment-variable(())", "XPTY0004"}, {"environment-variable(('a', 'b'))", "XPTY0004"},
		{"unparsed-text-available('a', ())", "XPTY0004"}, {"unparsed-text-available(1)", "XPTY0004"}, {"* :a", "XPST0003"}, {"xmlns:a", "XPST0081"},
		{"1 + 'a'", "XPTY0004"}, {"error()", "FOER0000"}, {"1 div 0", "FOAR0001"}, {"xs:date('x')", "FORG0001"},
	} {
		_, err := lib.Query(t.Context(), document.QueryRequest{Document: "<a/>", Query: tt.query})
		if err == nil || !strings.Contains(err.Error(), ": "+tt.code+": ") {
			t.Errorf("%s: got %v, want %s", tt.query, err, tt.code)
		}
	}
	for _, query := range []string{"environment-variable('PATH')", "environment-variable(/a)", "environment-variable(xs:anyURI('HOME'))", "available-environment-variables()"} {
		if got, err := lib.Query(t.Context(), document.QueryRequest{Document: "<a>PATH</a>", Query: query}); err != nil || len(got.Items) != 0 {
			t.Errorf("%s: got %v, %v, want nothing", query, got.Items, err)
		}
	}
	for _, query := range []string{"unparsed-text-available('/etc/passwd')", "unparsed-text-available(())", "unparsed-text-available(/a, 'utf-8')"} {
		if got, err := lib.Query(t.Context(), document.QueryRequest{Document: "<a>PATH</a>", Query: query}); err != nil || got.Items[0].Value != "false" {
			t.Errorf("%s: got %v, %v, want false", query, got.Items, err)
		}
	}
}
