package event_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/debugger/document/schema/event"
)

// told reads a document and writes its events down, adjacent text as one.
func told(p *event.Parser) (string, error) {
	var out, text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			fmt.Fprintf(&out, "%q ", text.String())
			text.Reset()
		}
	}
	for {
		e, err := p.Next()
		if err != nil {
			flush()
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return strings.TrimSpace(out.String()), err
		}
		switch e.Kind {
		case event.Text:
			text.Write(e.Text)
		case event.Start:
			flush()
			fmt.Fprintf(&out, "<%s@%d:%d", e.Name, e.Line, e.Column)
			for _, a := range e.Attrs {
				fmt.Fprintf(&out, " %s@%d:%d=%q", a.Name, a.Line, a.Column, a.Value)
			}
			out.WriteString("> ")
		case event.End:
			flush()
			fmt.Fprintf(&out, "</%s@%d:%d> ", e.Name, e.Line, e.Column)
		}
	}
}

// TestEvents has documents whose events follow from XML 1.0 and Namespaces 1.0.
func TestEvents(t *testing.T) {
	for _, c := range []struct{ document, want string }{
		{"<a/>", `<a@1:1> </a@1:1>`},
		{"\ufeff<?xml version='1.0' encoding=\"utf-8\" standalone='yes' ?>\n<!-- x - y --><?p?>\n<a></a >\n<?q r?>", `<a@3:1> </a@3:4>`},
		{"<a>\r\n<b/>\r<c/>é<d/></a>", `<a@1:1> "\n" <b@2:1> </b@2:1> "\n" <c@3:1> </c@3:1> "é" <d@3:6> </d@3:6> </a@3:10>`},
		{"<a x='1' \n y = \"'2'\"/>", `<a@1:1 x@1:4="1" y@2:2="'2'"> </a@1:1>`},
		{"<a x='&lt;&#x41;&#10;\t\r\nz'/>", "<a@1:1 x@1:4=\"<A\\n  z\"> </a@1:1>"},
		{"<a xmlns='u' xmlns:p='v' p:x='1' x='2'><p:b/><b xmlns=''/></a>",
			`<{u}a@1:1 {v}x@1:26="1" x@1:34="2"> <{v}b@1:40> </{v}b@1:40> <b@1:46> </b@1:46> </{u}a@1:59>`},
		{"<p:a xml:lang='en' xmlns:p='u'><p:b xmlns:p='v'/><p:c/></p:a>",
			`<{u}a@1:1 {http://www.w3.org/XML/1998/namespace}lang@1:6="en"> <{v}b@1:32> </{v}b@1:32> <{u}c@1:50> </{u}c@1:50> </{u}a@1:56>`},
		{"<a>x<![CDATA[<&]]]]>y<!-- - -->&amp;z&#x1F600;]]</a>", `<a@1:1> "x<&]]y&z😀]]" </a@1:49>`},
		{"<!DOCTYPE a [<!ENTITY e 'x<b>&f;</b>'><!ENTITY f \"&#38;#38;\"><!ENTITY e 'no'>]><a y='&f;'>\n&e;</a>",
			`<a@1:80 y@1:83="&"> "\nx" <b@2:1> "&" </b@2:1> </a@2:4>`},
		{"<!DOCTYPE a [<!ATTLIST a x CDATA ' 1 ' y NMTOKENS #IMPLIED z (b|c) 'b' xmlns:q CDATA 'u' q:w CDATA #FIXED '2' x CDATA '3'>]><a y='  m   n ' z='c'/>",
			`<a@1:125 y@1:128="m n" z@1:141="c" x@1:125=" 1 " {u}w@1:125="2"> </a@1:125>`},
		{"<!DOCTYPE a [<!ENTITY % p '<!ENTITY e \"f\">'> %p; <!ELEMENT a (b,(c|d)*,e?)><!ELEMENT b (#PCDATA|c)*><!NOTATION n PUBLIC 'p'><!ENTITY u SYSTEM 'x' NDATA n><!-- c --><?p i?>]><a>&e;</a>",
			`<a@1:174> "f" </a@1:180>`},
	} {
		for name, p := range map[string]*event.Parser{
			"bytes":  event.NewBytes([]byte(c.document), event.Limits{}),
			"single": event.NewParser(iotest.OneByteReader(strings.NewReader(c.document)), event.Limits{}),
		} {
			got, err := told(p)
			if err != nil || got != c.want {
				t.Errorf("%s: %q is\n%s, want\n%s (%v)", name, c.document, got, c.want, err)
			}
		}
	}
}

// TestNotWellFormed has a document for each rule of well-formedness, and the place
// where the rule is broken.
func TestNotWellFormed(t *testing.T) {
	for _, c := range []struct {
		document     string
		line, column int
	}{
		{"", 1, 1}, {"x<a/>", 1, 1}, {"<a/>x", 1, 5}, {"<a/><b/>", 1, 5}, {"<a>", 1, 4}, {"<a", 1, 3}, {"<a></b>", 1, 6},
		{"<a><b></a></b>", 1, 9}, {"</a>", 1, 2}, {"<1/>", 1, 2}, {"<a x=1/>", 1, 6}, {"<a x/>", 1, 5}, {"<a x='1'y='2'/>", 1, 9},
		{"<a x='1' x='2'/>", 1, 10}, {"<a x='<'/>", 1, 7}, {"<a>]]></a>", 1, 4}, {"<a>]<!---->]></a><", 1, 19},
		{"<a>&e;</a>", 1, 4}, {"<a>&lt</a>", 1, 7}, {"<a>& </a>", 1, 4}, {"<a>&#0;</a>", 1, 4}, {"<a>&#xD800;</a>", 1, 4}, {"<a>&#x;</a>", 1, 4},
		{"<a>\x01</a>", 1, 4}, {"<a>é\xff</a>", 1, 5}, {"<a>\uffff</a>", 1, 4}, {"<a b='\x02'/>", 1, 7}, {"<a><!-- \x03--></a>", 1, 9},
		{"<a><!-- -- --></a>", 1, 9}, {"<a><?xml x?></a>", 1, 4}, {" <?xml version='1.0'?><a/>", 1, 2}, {"<?xml version='2.0'?><a/>", 1, 1},
		{"<?xml version='1.0' encoding='x y'?><a/>", 1, 1}, {"<p:a/>", 1, 2}, {"<a\n p:x=''/>", 2, 2}, {"<a xmlns:p='u' xmlns:q='u' p:x='1' q:x='2'/>", 1, 36},
		{"<a:b:c xmlns:a='u'/>", 1, 2}, {"<:a/>", 1, 2}, {"<a:/>", 1, 2}, {"<a xmlns:p=''/>", 1, 4}, {"<a xmlns:xml='u'/>", 1, 4}, {"<a xmlns:xmlns='u'/>", 1, 4},
		{"<a xmlns='http://www.w3.org/2000/xmlns/'/>", 1, 4}, {"<a xmlns:p='u' xmlns:p='v'/>", 1, 16}, {"<xmlns:a/>", 1, 2},
		{"<!DOCTYPE a [<!ELEMENT a (b,c|d)>]><a/>", 1, 30}, {"<!DOCTYPE a [%p;]><a/>", 1, 17}, {"<!DOCTYPE a []><!DOCTYPE a []><a/>", 1, 16},
		{"<!DOCTYPE a [<!ENTITY e '<b>'>]><a>&e;</b></a>", 1, 36}, {"<!DOCTYPE a [<!ENTITY e '<b/>'>]><a x='&e;'/>", 1, 40},
		{"<!DOCTYPE a [<!ENTITY e '&f;'><!ENTITY f '&e;'>]><a>&e;</a>", 1, 53}, {"<!DOCTYPE a [<!ENTITY e '&f;'><!ENTITY f '&e;'>]><a x='&e;'/>", 1, 56},
		{"<!DOCTYPE a [<!ENTITY % p 'x'><!ENTITY e '%p;'>]><a/>", 1, 43}, {"<!DOCTYPE a SYSTEM 'x'><a>&e;</a>", 1, 27},
		{"<!DOCTYPE a [<!ENTITY e '</a>'>]><a>&e;</a>", 1, 37}, {"<!DOCTYPE a [<!ENTITY u SYSTEM 'x' NDATA n>]><a>&u;</a>", 1, 49},
	} {
		for name, p := range map[string]*event.Parser{
			"bytes":  event.NewBytes([]byte(c.document), event.Limits{}),
			"single": event.NewParser(iotest.OneByteReader(strings.NewReader(c.document)), event.Limits{}),
		} {
			_, err := told(p)
			wrong, ok := errors.AsType[*event.SyntaxError](err)
			if !ok || wrong.Line != c.line || wrong.Column != c.column {
				t.Errorf("%s: %q: %v, want a syntax error at %d:%d", name, c.document, err, c.line, c.column)
			}
		}
	}
}

// TestLimits has documents that ask for too much. A document that is not well-formed
// before the limit is told so.
func TestLimits(t *testing.T) {
	laughs := "<!DOCTYPE a [<!ENTITY e0 'x'>"
	for i := range 9 {
		laughs += fmt.Sprintf("<!ENTITY e%d '%s'>", i+1, strings.Repeat(fmt.Sprintf("&e%d;", i), 10))
	}
	for _, c := range []struct{ document, what string }{
		{strings.Repeat("<a>", 257), "depth"},
		{"<a" + strings.Repeat(" ", 3) + manyAttributes(2049) + "/>", "attributes"},
		{laughs + "]><a>&e9;</a>", "expansion"},
		{laughs + "]><a x='&e9;'/>", "expansion"},
		{"<!DOCTYPE a [<!ENTITY e '" + strings.Repeat("x", 100_000) + "'>]><a>" + strings.Repeat("&e;", 30_000) + "</a>", "expansion"},
		{"<!DOCTYPE a [<!ATTLIST b x CDATA '" + strings.Repeat("x", 100_000) + "'>]><a>" + strings.Repeat("<b/>", 10) + "</a>", "expansion"},
		{"<!DOCTYPE a [<!ATTLIST b x CDATA '" + strings.Repeat("x", 200) + "'>]><a>" + strings.Repeat("<b/>", 10_000) + "</a>", ""},
		{"<!DOCTYPE a [" + manyEntities("% ", "&#37;", 99) + "%e99;]><a/>", ""},
		{"<!DOCTYPE a [" + manyEntities("% ", "&#37;", 100) + "%e100;]><a/>", "entities in each other"},
		{"<!DOCTYPE a [" + manyEntities("", "&", 99) + "]><a x='&e99;'>&e99;</a>", ""},
		{"<!DOCTYPE a [" + manyEntities("", "&", 100) + "]><a x='&e100;'/>", "entities in each other"},
		{"<!DOCTYPE a [" + manyEntities("", "&", 100) + "]><a>&e100;</a>", "entities in each other"},
		{"</b>" + strings.Repeat("<a>", 257), ""},
		{"<!DOCTYPE a [<!ELEMENT a " + strings.Repeat("(", 10_000), "depth"},
	} {
		_, err := told(event.NewBytes([]byte(c.document), event.Limits{}))
		limit, ok := errors.AsType[*event.LimitError](err)
		if ok != (c.what != "") || ok && !strings.Contains(limit.What, c.what) {
			t.Errorf("%.40q: %v, want the limit of %q", c.document, err, c.what)
		}
	}
	_, err := told(event.NewBytes([]byte("<!DOCTYPE a [\n<!ENTITY e SYSTEM 'x'>]><a/>"), event.Limits{}))
	if refused, ok := errors.AsType[*event.RefusedError](err); !ok || refused.Line != 2 || refused.Column != 1 {
		t.Errorf("an external entity: %v, want it refused at 2:1", err)
	}
	_, err = told(event.NewParser(strings.NewReader("<a>"+strings.Repeat("x", 1000)+"</a>"), event.Limits{Size: 999}))
	if limit, ok := errors.AsType[*event.LimitError](err); !ok || limit.Limit != 999 {
		t.Errorf("a large document: %v", err)
	}
}

// manyEntities declares an empty entity, and n more that refer to the one before.
func manyEntities(kind, reference string, n int) string {
	all := "<!ENTITY " + kind + "e0 ''>"
	for i := range n {
		all += fmt.Sprintf("<!ENTITY %se%d '%se%d;'>", kind, i+1, reference, i)
	}
	return all
}

func manyAttributes(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, " a%d=''", i)
	}
	return b.String()
}

// TestBracketsBefore has brackets at the end of a piece of text, before the > that must not
// follow them.
func TestBracketsBefore(t *testing.T) {
	for n := 65_525; n < 65_540; n++ {
		_, err := told(event.NewParser(strings.NewReader("<a>"+strings.Repeat("x", n)+"]]></a>"), event.Limits{}))
		wrong, ok := errors.AsType[*event.SyntaxError](err)
		if !ok || wrong.Line != 1 || wrong.Column != n+4 {
			t.Errorf("%d characters before: %v, want a syntax error at 1:%d", n, err, n+4)
		}
	}
}

// TestLongConstructs reads constructs that are longer than the buffer.
func TestLongConstructs(t *testing.T) {
	long := strings.Repeat("é]]\r\n", 100_000)
	flat := strings.ReplaceAll(long, "\r\n", "\n")
	document := "<!--" + long + "--><a x='" + long + "'><![CDATA[" + long + "]]><?p " + long + "?>" + long + "<b/></a>"
	want := fmt.Sprintf("<a@100001:4 x@100001:7=%q> %q <b@500001:1> </b@500001:1> </a@500001:5>", strings.ReplaceAll(flat, "\n", " "), flat+flat)
	for name, r := range map[string]io.Reader{"whole": strings.NewReader(document), "half": iotest.HalfReader(strings.NewReader(document))} {
		got, err := told(event.NewParser(r, event.Limits{}))
		if err != nil || got != want {
			t.Errorf("%s: %.300s… (%d bytes), want %.300s… (%d bytes): %v", name, got, len(got), want, len(want), err)
		}
	}
}

// TestScopes looks prefixes up where they are in scope.
func TestScopes(t *testing.T) {
	p := event.NewBytes([]byte("<a xmlns:p='u'><b xmlns:p='v' xmlns='w'/></a>"), event.Limits{})
	var got []string
	for {
		e, err := p.Next()
		if err != nil {
			break
		}
		uri, ok := p.Lookup("p")
		none, _ := p.Lookup("")
		_, unknown := p.Lookup("q")
		got = append(got, fmt.Sprintf("%s %s %v %s %v %v", e.Name.Local, uri, ok, none, unknown, p.Declared()))
	}
	want := "a u true  false [{p u}]; b v true w false [{p v} { w}]; b v true w false []; a u true  false []"
	if joined := strings.Join(got, "; "); joined != want {
		t.Errorf("%s, want %s", joined, want)
	}
}

// FuzzParser reads a document in one piece and byte by byte; the events are the same.
func FuzzParser(f *testing.F) {
	for _, s := range []string{"<a/>", "<!DOCTYPE a [<!ENTITY e '<b/>'>]><a x='1'>&e;\r\n<![CDATA[]]]]></a>", "<a xmlns:p='u'><p:b/></a>"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		before := bytes.Clone(document)
		whole, err1 := told(event.NewBytes(document, event.Limits{}))
		single, err2 := told(event.NewParser(iotest.OneByteReader(bytes.NewReader(document)), event.Limits{Known: int64(len(document))}))
		if whole != single || fmt.Sprint(err1) != fmt.Sprint(err2) {
			t.Errorf("%q:\n%s %v\n%s %v", document, whole, err1, single, err2)
		}
		if !bytes.Equal(before, document) {
			t.Errorf("%q was changed", before)
		}
	})
}

// With Limits.Others, comments and instructions are reported. Offsets count the bytes of the
// document, with its byte-order mark.
func TestOffsetsAndOthers(t *testing.T) {
	const text = "\uFEFF<?x?><!--y--><a xmlns:p='u'>1<!--c--><?i?><![CDATA[]]><p:b xmlns='v'/></a><!--z-->"
	p := event.NewParser(iotest.OneByteReader(strings.NewReader(text)), event.Limits{Others: true})
	var got []string
	for {
		e, err := p.Next()
		if err != nil {
			break
		}
		switch e.Kind {
		case event.Start:
			got = append(got, text[e.Offset:p.Offset()])
		case event.End:
			got = append(got, fmt.Sprint("end ", p.Offset(), p.InScope()))
		case event.Text:
			got = append(got, "text "+string(e.Text))
		case event.Other:
			got = append(got, "other")
		}
	}
	want := []string{
		"<a xmlns:p='u'>", "text 1", "other", "other", "text ", "<p:b xmlns='v'/>",
		fmt.Sprint("end ", strings.Index(text, "</a>"), []event.NS{{URI: "v"}, {Prefix: "p", URI: "u"}}),
		fmt.Sprint("end ", strings.Index(text, "<!--z"), []event.NS{{Prefix: "p", URI: "u"}}),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	if !p.Simple() {
		t.Error("the document declares something")
	}
}
