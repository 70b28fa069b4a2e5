package document_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/debugger/document"
)

// open opens a library that is closed when the test ends. On a busy machine the
// usual deadline is too short.
func open(t testing.TB, config document.Config) *document.Library {
	t.Helper()
	if config.MaxTime == 0 {
		config.MaxTime = 5 * time.Minute
	}
	lib, err := document.Open(config, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := lib.Close(); err != nil {
			t.Error(err)
		}
	})
	return lib
}

// write writes files into a directory, and gives the directory.
func write(t testing.TB, dir string, files map[string]string) string {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const shelf = `<?xml version="1.0"?>
<shelf xmlns:x="urn:x">
  <book id="1"><title>One</title></book>
  <book id="2" x:rank="7"><title>Two &amp; more</title><!--new--></book>
  <x:box>é<?print now?></x:box>
</shelf>
`

func TestQuery(t *testing.T) {
	lib := open(t, document.Config{})
	type result = document.QueryResult
	type items = []document.Item
	tests := []struct {
		name, query, version string
		want                 result
	}{
		{"elements", "//book[2]/title", "", result{Type: document.Nodes, Total: 1, Items: items{
			{Kind: "element", Path: "/shelf[1]/book[2]/title[1]", Name: "title", Markup: "<title>Two &amp; more</title>", Line: 4, Column: 27},
		}}},
		{"attribute with a namespace", "//@x:rank", "1.0", result{Type: document.Nodes, Total: 1, Items: items{
			{Kind: "attribute", Path: "/shelf[1]/book[2]/@Q{urn:x}rank", Name: "x:rank", Value: "7", Line: 4, Column: 3},
		}}},
		{"text, comment and instruction", "//x:box/text() | //comment() | //processing-instruction()", "1.0", result{Type: document.Nodes, Total: 3, Items: items{
			{Kind: "comment", Path: "/shelf[1]/book[2]/comment()[1]", Value: "new", Line: 4, Column: 3},
			{Kind: "text", Path: "/shelf[1]/Q{urn:x}box[1]/text()[1]", Value: "é", Line: 5, Column: 3},
			{Kind: "processing-instruction", Path: "/shelf[1]/Q{urn:x}box[1]/processing-instruction(print)[1]", Name: "print", Value: "now", Line: 5, Column: 3},
		}}},
		{"number", "count(//book)", "1.0", result{Type: document.Number, Total: 1, Items: items{{Kind: "number", Value: "2"}}}},
		{"number that is none", "number('x')", "1.0", result{Type: document.Number, Total: 1, Items: items{{Kind: "number", Value: "NaN"}}}},
		{"string", "string(//title)", "1.0", result{Type: document.String, Total: 1, Items: items{{Kind: "string", Value: "One"}}}},
		{"boolean", "//book/@id = 2", "1.0", result{Type: document.Boolean, Total: 1, Items: items{{Kind: "boolean", Value: "true"}}}},
		{"no nodes", "//magazine", "1.0", result{Type: document.Nodes, Items: items{}}},
		{"no nodes in 3.1", "//magazine", "", result{Type: document.Nodes, Items: items{}}},
		{"integer in 3.1", "count(//book)", "3.1", result{Type: document.Number, Total: 1, Items: items{{Kind: "xs:integer", Value: "2"}}}},
		{"sequence", "('a', 2.5, true())", "", result{Type: document.Sequence, Total: 3, Items: items{
			{Kind: "xs:string", Value: "a"}, {Kind: "xs:decimal", Value: "2.5"}, {Kind: "xs:boolean", Value: "true"},
		}}},
		{"map", "map{'a': (1, 2), 'b': [true(), '\"', ()]}", "", result{Type: document.Sequence, Total: 1, Items: items{{Kind: "map", Value: `map{"a":(1,2),"b":[true(),"""",()]}`}}}},
		{"arrow, string join and filter", "//book[@id > 1] ! title => string-join(', ')", "", result{Type: document.String, Total: 1, Items: items{{Kind: "xs:string", Value: "Two & more"}}}},
		{"a node that the query made", "parse-xml('<a><b/></a>')//b", "", result{Type: document.Nodes, Total: 1, Items: items{{Kind: "element", Name: "b", Markup: "<b/>"}}}},
		{"environment", "environment-variable('PATH')", "", result{Type: document.Nodes, Items: items{}}},
		{"environment by another road", "for $f in function-lookup(xs:QName('fn:environment-variable'), 1) return $f('PATH')", "", result{Type: document.Nodes, Items: items{}}},
		{"names of the environment", "Q{http://www.w3.org/2005/xpath-functions}available-environment-variables()", "", result{Type: document.Nodes, Items: items{}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := lib.Query(t.Context(), document.QueryRequest{Document: shelf, Query: test.query, Version: test.version})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// Markup has the characters of the document, and no references in their place,
// whatever the document's own encoding is.
func TestLettersInMarkup(t *testing.T) {
	dir := write(t, t.TempDir(), map[string]string{"latin.xml": "<?xml version='1.0' encoding='ISO-8859-1'?><a>\xe9</a>"})
	lib := open(t, document.Config{Roots: []string{dir}})
	for text, want := range map[string]string{
		"<a b='\u00e9'>\u00e9\u0394\u65e5\U0001F600&lt;</a>": "<a b=\"\u00e9\">\u00e9\u0394\u65e5\U0001F600&lt;</a>",
		"latin.xml": "<a>\u00e9</a>",
	} {
		for _, query := range []string{"/a", "/"} {
			got, err := lib.Query(t.Context(), document.QueryRequest{Document: text, Query: query})
			if err != nil || len(got.Items) != 1 || strings.TrimSuffix(got.Items[0].Markup, "\n") != want {
				t.Errorf("%s of %s: got %+v, %v, want %s", query, text, got, err, want)
			}
		}
	}
}
