package document_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/triptych-mcp/triptych/debugger/document"
)

// numbers is a document of n elements with their numbers.
func numbers(n int) string {
	var b strings.Builder
	b.WriteString("<a>")
	for i := range n {
		fmt.Fprintf(&b, "<b>%d</b>", i)
	}
	return b.String() + "</a>"
}

func TestPages(t *testing.T) {
	lib := open(t, document.Config{})
	text := numbers(250)
	tests := []struct {
		offset, max int
		items, next int
		first       string
		query       string
		total       int
	}{
		{0, 0, 100, 100, "0", "//b/text()", 250},
		{100, 0, 100, 200, "100", "//b/text()", 250},
		{200, 0, 50, 0, "200", "//b/text()", 250},
		{249, 10, 1, 0, "249", "//b/text()", 250},
		{250, 10, 0, 0, "", "//b/text()", 250},
		{9999, 10, 0, 0, "", "//b/text()", 250},
		{7, 1, 1, 8, "7", "//b/text()", 250},
		{3, 2, 2, 5, "4", "1 to 1000000", 1_000_000},
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.offset, "+", test.max), func(t *testing.T) {
			got, err := lib.Query(t.Context(), document.QueryRequest{Document: text, Query: test.query, Offset: test.offset, MaxResults: test.max})
			if err != nil {
				t.Fatal(err)
			}
			first := ""
			if len(got.Items) > 0 {
				first = got.Items[0].Value
			}
			if len(got.Items) != test.items || got.Next != test.next || first != test.first || got.Total != test.total {
				t.Errorf("got %d items from %q of %d, next %d, want %+v", len(got.Items), first, got.Total, got.Next, test)
			}
		})
	}
}

func TestWrongPages(t *testing.T) {
	lib := open(t, document.Config{})
	for _, req := range []document.QueryRequest{
		{Offset: -1},
		{MaxResults: -1},
		{MaxResults: document.MaxResults + 1},
		{Version: "2.0"},
		{Version: "1.0", Namespaces: map[string]string{"": "urn:x"}},
	} {
		req.Document, req.Query = "<a/>", "/a"
		_, err := lib.Query(t.Context(), req)
		if _, ok := errors.AsType[*document.QueryError](err); !ok {
			t.Errorf("%+v: got %v, want a QueryError", req, err)
		}
	}
}

// An answer that becomes too long is cut between characters, and says so.
func TestLongAnswers(t *testing.T) {
	lib := open(t, document.Config{MaxAnswer: 1000})
	text := "<a>" + strings.Repeat("<b>"+strings.Repeat("é", 100)+"</b>", 20) + "</a>"
	for _, query := range []string{"//b", "//b/text()", "/", "string(/)", "[1 to 10000]", "//b/string()"} {
		got, err := lib.Query(t.Context(), document.QueryRequest{Document: text, Query: query})
		if err != nil {
			t.Fatal(err)
		}
		last := got.Items[len(got.Items)-1]
		if !last.Truncated && got.Next == 0 || len(got.Items) < got.Total && got.Next != len(got.Items) {
			t.Errorf("%s: the last of %d items of %d is not cut, next is %d", query, len(got.Items), got.Total, got.Next)
		}
		size := 0
		for _, item := range got.Items {
			size += len(item.Value) + len(item.Markup)
			if !utf8.ValidString(item.Value + item.Markup) {
				t.Errorf("%s: half a character", query)
			}
		}
		if size > 1000 {
			t.Errorf("%s: the answer has %d bytes", query, size)
		}
	}
}

func TestNamespaces(t *testing.T) {
	lib := open(t, document.Config{})
	const text = `<p:a xmlns:p="urn:p" xmlns="urn:d"><b/><c xmlns=""/><q:d xmlns:q="urn:q"/></p:a>`
	type bindings = map[string]string
	tests := []struct {
		query, version string
		bound          bindings
		want           string // how many, or an error if empty
	}{
		{"//p:a", "1.0", nil, "1"},
		{"//p:a", "3.1", nil, "1"},
		{"//b", "1.0", nil, "0"},
		{"//b", "3.1", nil, "0"},
		{"//c", "1.0", nil, "1"},
		{"//x:b", "1.0", bindings{"x": "urn:d"}, "1"},
		{"//x:b", "3.1", bindings{"x": "urn:d"}, "1"},
		{"//b", "3.1", bindings{"": "urn:d"}, "1"},
		{"//Q{urn:d}b", "3.1", nil, "1"},
		{"//*:d", "3.1", nil, "1"},
		{"//p:b", "1.0", bindings{"p": "urn:d"}, "1"}, // the request outweighs the document
		{"//q:d", "1.0", nil, ""},
		{"//q:d", "3.1", nil, ""},
	}
	for _, test := range tests {
		t.Run(test.query+" "+test.version, func(t *testing.T) {
			got, err := lib.Query(t.Context(), document.QueryRequest{Document: text, Query: "count(" + test.query + ")", Version: test.version, Namespaces: test.bound})
			if test.want == "" {
				if err == nil {
					t.Errorf("got %v, want an error", got.Items)
				}
				return
			}
			if err != nil || got.Items[0].Value != test.want {
				t.Errorf("got %v %v, want %s", got.Items, err, test.want)
			}
		})
	}
}

// The path of a node, asked as a query, must give that node and no other.
func TestPathsLeadBack(t *testing.T) {
	lib := open(t, document.Config{})
	const text = `<?before?><!--c--><p:a xmlns:p="urn:p" p:x="1" x="2"><b>t</b>u<b><c/>v<!--d--><?e f?>w</b><p:b xmlns="urn:d"><b y="3"/></p:b></p:a><!--last-->`
	all, err := lib.Query(t.Context(), document.QueryRequest{Document: text, Query: "//node() | //@*"})
	if err != nil {
		t.Fatal(err)
	}
	if all.Total != 18 {
		t.Errorf("there are %d nodes, want 18", all.Total)
	}
	seen := map[string]bool{}
	for _, item := range all.Items {
		if seen[item.Path] {
			t.Errorf("two nodes have the path %s", item.Path)
		}
		seen[item.Path] = true
		back, err := lib.Query(t.Context(), document.QueryRequest{Document: text, Query: item.Path})
		if err != nil || back.Total != 1 || back.Items[0] != item {
			t.Errorf("%s leads to %+v %v, want %+v", item.Path, back.Items, err, item)
		}
	}
}

// XPath knows one sort of text: what is written in CDATA sections or brought in
// by entities is part of the text around it.
func TestOneSortOfText(t *testing.T) {
	lib := open(t, document.Config{})
	const text = `<!DOCTYPE a [<!ENTITY e "f&#38;#38;g"><!ENTITY m "<b>i</b>j">]><a>c<![CDATA[<d>]]>&amp;&e;h&m;k<![CDATA[l]]></a>`
	for query, want := range map[string]string{
		"count(//text())": "3", "/a/text()[1]": "c<d>&f&gh", "string(/a/b)": "i", "/a/text()[2]": "jkl",
	} {
		for _, version := range []string{"1.0", "3.1"} {
			got, err := lib.Query(t.Context(), document.QueryRequest{Document: text, Query: query, Version: version})
			if err != nil || got.Total != 1 || got.Items[0].Value != want {
				t.Errorf("%s in %s: got %v %v, want %s", query, version, got.Items, err, want)
			}
		}
	}
}

// TestMarkupEndsAtTheLimit truncates markup wherever the limit is.
func TestMarkupEndsAtTheLimit(t *testing.T) {
	const text = `<a b="c"><d>e</d><!--f--><g/>&amp;</a>`
	for limit := 1; limit <= len(text)+1; limit++ {
		lib := open(t, document.Config{MaxAnswer: limit})
		got, err := lib.Query(t.Context(), document.QueryRequest{Document: text, Query: "/a"})
		if err != nil {
			t.Fatal(err)
		}
		item := got.Items[0]
		if want := text[:min(limit, len(text))]; item.Markup != want || item.Truncated != (limit < len(text)) {
			t.Errorf("limit %d: got %q, truncated %v, want %q", limit, item.Markup, item.Truncated, want)
		}
	}
}
