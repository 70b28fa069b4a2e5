package document

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/debugger/document/selection"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// eventLibrary returns a library that reads all documents as events if a query permits.
func eventLibrary(t testing.TB) *Library {
	t.Helper()
	lib, err := Open(Config{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lib.Close() }) // it only reads
	lib.streamFrom = 0
	return lib
}

// sameAsTree compares the answer from events with that of the tree, and reports whether
// there was one.
func sameAsTree(t testing.TB, lib *Library, req QueryRequest) bool {
	t.Helper()
	got, err := lib.queryEvents(t.Context(), req)
	if errors.Is(err, selection.ErrTree) {
		return false
	}
	want, wantErr := lib.queryTree(t.Context(), req)
	if err != nil || wantErr != nil {
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("%s in %s %q: got error %v, the tree's is %v", req.Query, req.Version, req.Document, err, wantErr)
		}
		return true
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s in %q %q (tree -, events +):\n%s", req.Query, req.Version, req.Document, diff)
	}
	return true
}

// eventDocuments have what events could lose: namespaces that end, CDATA sections,
// comments between texts, line ends, elements in themselves.
var eventDocuments = []string{
	`<c><b id="1"><p>10</p><t>x</t></b><b id="2"><p>45.5</p><t>y</t><t>z</t></b><b><p>abc</p></b></c>`,
	`<a xmlns="u" xmlns:p="v" p:x="1"><b p:x="2" x="3"/><p:b xmlns="" xmlns:p="w"><b>t</b><p:c p:d="&lt;"/></p:b></a>`,
	"<a>one<!--c-->two<![CDATA[<3>]]>three<?p i?>\r\nfour&amp;<b/>five<b>6</b>\r</a>",
	`<a><a k="1"><a><b>1</b></a><b>2</b></a><a k="2"/><b>1</b><b>3</b></a>`,
	"<?xml version='1.0'?><!--x--><!DOCTYPE r SYSTEM 'r.dtd'><r>\n <e a='1'\n b='2' a.c='é'>ü<f/></e>\n</r>",
	`<!DOCTYPE r [<!ENTITY e "f"><!ATTLIST r x CDATA "1">]><r>&e;</r>`,
	`<a><b><![CDATA[]]></b><b> </b><b>` + strings.Repeat("long ", 4000) + `</b><b xml:lang="en"/></a>`,
	`<a xmlns:q="u&amp;&quot;&#9;v"><q:b q:c=""/><b q:c="1 2"/></a>`,
	`<a><b></a>`, `<a>`, `<a/>text`, `<a xmlns:p=""/>`, `<p:a/>`,
}

// eventQueries are answered from events.
var eventQueries = []string{
	"/c/b", "//b", "/a", "/*", "//*", "/a/b/c", "//a//b", "/a//b", "//a/b", "//b/@id", "//@*", "//@x", "/a/@x", "//text()", "/a/text()",
	"//b/text()", "/a//text()", "/*/@*", "//b[1]", "//b[2]/t", "/c/b[position() < 3]/p", "//b[position() != 1]", "//b[@id]",
	"//b[@id = '2']", "//b[@id = 2]", "//b[@id > 1]/t", "//b['1' = @id]", "//b[1 < @id]", "//b[p]", "//b[t]/p", "//b[p > 40]/t",
	"//b[p = '10']", "//b[not(t)]", "//b[t and @id = 1]", "//b[t or @id]", "//b[contains(t, 'x')]", "//b[starts-with(p, '4')]",
	"//b[contains(., '4')]", "//b[. = '1']", "//a[b = 1]", "//a[b > 2]/b", "//*[b]", "//*[b = 2]", "//a[@k][1]", "//a[@k = '2'][1]",
	"//b[1][. > 0]", "//text()[. = '1']", "//text()[contains(., 'o')]", "/a/text()[starts-with(., 'f')]", "//@*[. = '1']",
	"//@id[. > 1]", "//b[text()]", "//b[text() = '6']", "//b[c/@d]", "//*[c/@d = '<']", "//a[a/b = 1]/@k", "//*[*]", "//*[@*]",
	"//*[@* = '1']", "count(//b)", "count(//@*)", "count(//text())", "count(//a[b]/b)", "boolean(//b)", "not(//x)", "boolean(//x)",
	"//child::b", "/descendant::b", "/descendant::b/attribute::id", "//b[-1]", "//b[1.0]", "//b[contains(t, '')]", "//b[contains(p, '')]",
	"/r/e/f", "//*[. = 'x']/.", "//@xml:lang", "/c/b[@id='1' and not(@x)][1]/p/text()", "//a[.//b]", "//a[b][1]", "//b[last()]", "/", "//.", "/@id",
	"//comment()", "//b/..", "sum(//p)", "//p:b", "//p:*", "//p:*/@p:*", "/p:a/p:b",
}

// newEventQueries are of XPath 3.1 only.
var newEventQueries = []string{"exists(//b)", "empty(//b)", "//*:b", "//Q{v}b", "//Q{w}b/Q{w}c", "//b[@id = 1e0]", "//b[not(@id)]/p[. != '']", "//@Q{v}x"}

// TestEventQueries compares answers from events with those from trees.
func TestEventQueries(t *testing.T) {
	sample.Alone(t)
	lib := eventLibrary(t)
	answers := 0
	for _, text := range eventDocuments {
		for _, version := range []string{XPath10, XPath31} {
			for _, query := range append(eventQueries, newEventQueries...) {
				for _, names := range []map[string]string{nil, {"p": "v", "q": "w"}, {"p": "u", "": "u"}} {
					req := QueryRequest{Document: text, Query: query, Version: version, Namespaces: names}
					if sameAsTree(t, lib, req) {
						answers++
					}
				}
			}
		}
	}
	if answers < 2000 {
		t.Errorf("%d answers came from events, want more", answers)
	}
}

// TestEventPages compares pages of answers that do not begin with the first result.
func TestEventPages(t *testing.T) {
	sample.Alone(t)
	lib := eventLibrary(t)
	lib.config.MaxAnswer = 150
	for _, text := range eventDocuments[:4] {
		for _, query := range eventQueries {
			for offset := range 5 {
				for count := range 4 {
					sameAsTree(t, lib, QueryRequest{Document: text, Query: query, Version: XPath10, Offset: offset, MaxResults: count})
				}
			}
		}
	}
}

// TestRandomEventQueries compares random queries of random documents.
func TestRandomEventQueries(t *testing.T) {
	sample.Alone(t)
	lib := eventLibrary(t)
	answers := 0
	for seed := range uint64(150) {
		g := eventGenerator{rand.New(rand.NewPCG(seed, 7))}
		text := `<r xmlns:p="urn:p">` + g.content(5) + "</r>"
		for range 40 {
			req := QueryRequest{Document: text, Query: g.query(), Version: g.pick(XPath10, XPath31), Offset: g.IntN(3)}
			if sameAsTree(t, lib, req) {
				answers++
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if answers < 3000 {
		t.Errorf("%d answers came from events, want more", answers)
	}
}

type eventGenerator struct{ *rand.Rand }

func (g eventGenerator) pick(from ...string) string { return from[g.IntN(len(from))] }

func (g eventGenerator) content(depth int) string {
	var b strings.Builder
	for range g.IntN(5) {
		switch n := g.IntN(9); {
		case n < 5 && depth > 0:
			name := g.pick("a", "b", "c", "p:a")
			fmt.Fprintf(&b, "<%s%s>%s</%s>", name, g.pick("", ` x="1"`, ` x="2" y="one"`, ` p:x="1" x=""`, ` xmlns="u"`), g.content(depth-1), name)
		case n == 5:
			b.WriteString(g.pick("<!---->", "<?i?>"))
		default:
			b.WriteString(g.pick("1", "2", " 3\n", "one", "&lt;", "<![CDATA[1]]>"))
		}
	}
	return b.String()
}

func (g eventGenerator) query() string {
	var b strings.Builder
	for range 1 + g.IntN(3) {
		b.WriteString(g.pick("/", "//", "//", "/r//") + g.pick("a", "b", "*", "c", "p:a", "p:*"))
		for range g.IntN(3) {
			b.WriteString("[" + g.condition(1) + "]")
		}
	}
	b.WriteString(g.pick("", "", "", "/@x", "//@*", "/text()", "//text()", "/text()[. = '1']", "/@x[. > 1]"))
	if g.IntN(4) == 0 {
		return g.pick("count(", "boolean(", "not(") + b.String() + ")"
	}
	return b.String()
}

func (g eventGenerator) condition(depth int) string {
	path := g.pick("a", "b", "*", "a/b", "a/@x", "@x", "@*", "text()", "b/text()", ".", "c")
	switch n := g.IntN(9); {
	case n == 0 && depth == 1:
		return g.pick("1", "2", "position() > 1", "position() <= 2")
	case n < 3 && depth > 0:
		return g.condition(0) + g.pick(" and ", " or ") + g.condition(0)
	case n == 3 && depth > 0:
		return "not(" + g.condition(0) + ")"
	case n == 4:
		return g.pick("contains", "starts-with") + "(" + path + ", " + g.pick("'1'", "''", "'on'") + ")"
	case n == 5:
		return path
	}
	return path + g.pick(" = ", " != ", " < ", " >= ") + g.pick("1", "'1'", "2", "'one'", "''", "-1")
}

// FuzzEventQuery compares answers to arbitrary queries of arbitrary documents.
func FuzzEventQuery(f *testing.F) {
	for i, query := range eventQueries {
		f.Add(eventDocuments[i%len(eventDocuments)], query, i%2 == 0)
	}
	lib := eventLibrary(f)
	f.Fuzz(func(t *testing.T, text, query string, strict bool) {
		req := QueryRequest{Document: "<" + strings.TrimPrefix(text, "<"), Query: query, Version: XPath31, MaxResults: 20}
		if strict {
			req.Version = XPath10
		}
		sameAsTree(t, lib, req)
	})
}
