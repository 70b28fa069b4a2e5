package document

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// allLimits is a configuration of defaults.
func allLimits(t testing.TB) Config {
	t.Helper()
	c, err := Config{MaxMemory: 4 * gib}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestMemory compares what the survey says a tree needs with what it does need.
// It must not be less by more than a quarter, nor more than twice as much.
func TestMemory(t *testing.T) {
	limits := allLimits(t)
	h := newHelium(limits)
	shapes := []struct{ name, unit string }{
		{"empty elements", "<b/>"},
		{"elements with line ends", "<b></b>\n"},
		{"elements with text", "<b>text</b>"},
		{"an attribute", `<b x="1"/>`},
		{"four attributes", `<b x="1" y="22" z="333" w=""/>`},
		{"namespaces", `<p:b xmlns:p="urn:p" p:x="1"/>`},
		{"comments", "<!--text-->"},
		{"instructions", "<?do this?>"},
		{"long texts", "<b>" + strings.Repeat("text ", 100) + "</b>"},
		{"a record", `<book id="bk101" lang="en"><author>Somebody</author><title>Something</title><price>44.95</price></book>` + "\n"},
	}
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			sample.Case(t)
			text := []byte("<a>" + strings.Repeat(shape.unit, 2*mib/len(shape.unit)) + "</a>")
			seen, err := look("x", text, limits)
			if err != nil {
				t.Fatal(err)
			}
			measured := func() int64 {
				before := live()
				tree, err := h.parse(t.Context(), &source{name: "x", text: text}, seen)
				if err != nil {
					t.Fatal(err)
				}
				used := live() - before
				runtime.KeepAlive(tree)
				return used
			}
			said := seen.memory()
			differ := func(used int64) bool { return said < used*3/4 || said > used*2 }
			used := measured()
			for n := 0; n < 5 && differ(used); n++ { // what earlier tests held may have been freed meanwhile
				used = measured()
			}
			if differ(used) {
				t.Errorf("it takes %d KB, the survey says %d KB", used/kib, said/kib)
			}
		})
	}
}

// live returns the reachable bytes of the heap.
func live() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// samples are texts that are hard to survey.
var samples = []string{
	"<a/>",
	"<a>\n\t<b x='>' y=\"'\"/>\r\n<c></c><!-- <d> --><![CDATA[<e>]]><?f <g>?></a>",
	"<?xml version='1.0'?><!-- x --><!DOCTYPE a [<!ELEMENT a ANY><!ATTLIST a b CDATA '>]>'>]>\n<a\n>é<b/></a>",
	"<!DOCTYPE a PUBLIC '[' \">\"><a b = 'c'\r\n/>",
	"<!DOCTYPE a [<!-- ]> ' --><?x ]> ?>]><a><b/></a>",
	"\r\r\n<a>\r<b>\n</b></a >",
	"<a xmlns='u' xmlns:p='v' p:b='&lt;'>&#x3c;<p:c/></a>",
	"<a></a", "<a", "<", "", "<a b='", "<!DOCTYPE", "<!DOCTYPE a [", "<!DOCTYPE a [<!ENTITY", "<!--", "<![CDATA[",
}

// FuzzSurvey compares the survey with the tree: if the parser takes a text, then
// as many elements begin in it as were seen, at those places, and by those names.
func FuzzSurvey(f *testing.F) {
	for _, s := range samples {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		limits := allLimits(t)
		text, err := decode("x", raw)
		if err != nil {
			return
		}
		seen, err := look("x", text, limits)
		if err != nil {
			return
		}
		made, err := newHelium(limits).parse(t.Context(), &source{name: "x", text: text}, seen)
		if err != nil || seen.entities {
			return
		}
		tree := made.(*heliumTree)
		if len(tree.elements) != len(seen.starts) {
			t.Fatalf("%q has %d elements, the survey saw %d", text, len(tree.elements), len(seen.starts))
		}
		for i, e := range tree.elements {
			at := offset(text, seen.starts[i])
			if want := "<" + e.Name(); !bytes.HasPrefix(text[at:], []byte(want)) {
				t.Errorf("%q: element %d should begin with %q at %v, there is %.20q", text, i, want, seen.starts[i], text[at:])
			}
		}
	})
}

// offset finds a place in a text, one character at a time.
func offset(text []byte, p place) int {
	line, column := uint32(1), uint32(1)
	for i, r := range string(text) {
		switch {
		case line == p.line && column == p.column:
			return i
		case r == '\n' || r == '\r' && !strings.HasPrefix(string(text[i:]), "\r\n"):
			line, column = line+1, 1
		default:
			column++
		}
	}
	return len(text)
}

// Every place must fit even in one long line.
func TestPlacesInOneLine(t *testing.T) {
	var b strings.Builder
	b.WriteString("<a>")
	for i := range 100_000 {
		fmt.Fprintf(&b, "<b%d/>é", i)
	}
	b.WriteString("</a>")
	text := []byte(b.String())
	seen, err := look("x", text, allLimits(t))
	if err != nil {
		t.Fatal(err)
	}
	last := seen.starts[len(seen.starts)-1]
	before, _, _ := strings.Cut(b.String(), "<b99999/>")
	if want := uint32(len([]rune(before)) + 1); last.line != 1 || last.column != want {
		t.Errorf("the last element is at %v, want column %d", last, want)
	}
}
