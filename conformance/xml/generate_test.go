package xml_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A generator makes documents and questions, the same ones for the same seed.
type generator struct {
	*rand.Rand
	text strings.Builder
}

func newGenerator(seed uint64) *generator {
	return &generator{Rand: rand.New(rand.NewPCG(seed, 1))}
}

// pick gives one of some strings.
func (g *generator) pick(from ...string) string { return from[g.IntN(len(from))] }

// document makes a document of some dozen elements.
func (g *generator) document() string {
	g.text.Reset()
	g.text.WriteString(`<r xmlns:p="urn:p" xmlns:q="urn:q">`)
	for range 3 + g.IntN(5) {
		g.element(4)
	}
	g.text.WriteString("</r>")
	return g.text.String()
}

func (g *generator) element(depth int) {
	name := g.pick("a", "b", "c", "d", "p:a", "q:e")
	g.text.WriteString("<" + name)
	for _, attribute := range []string{"x", "y", "p:x"} {
		if g.IntN(3) == 0 {
			fmt.Fprintf(&g.text, " %s=\"%s\"", attribute, g.pick("1", "2", "10", "-3", "one", "", " two  words ", "é"))
		}
	}
	g.text.WriteString(">")
	for range g.IntN(5) {
		g.content(depth)
	}
	g.text.WriteString("</" + name + ">")
}

func (g *generator) content(depth int) {
	switch n := g.IntN(8); {
	case n < 4 && depth > 0:
		g.element(depth - 1)
	case n == 4:
		g.text.WriteString("<!--" + g.pick("note", " 1 ", "") + "-->")
	case n == 5:
		g.text.WriteString("<?" + g.pick("go", "stop") + " now?>")
	case n == 6:
		g.text.WriteString("<![CDATA[" + g.pick("<", "7", "") + "]]>")
	default:
		g.text.WriteString(g.pick("1", "22", " 3 ", "word", "&amp;", "&#xe9;", "\n\t"))
	}
}

// question makes an expression that gives a string, number or boolean.
func (g *generator) question() string {
	path := g.path(2)
	switch g.IntN(9) {
	case 0:
		return "string(" + path + ")"
	case 1:
		return "name((" + path + ")[" + g.pick("1", "2", "last()") + "])"
	case 2:
		return "boolean(" + path + ")"
	case 3:
		return path + g.pick(" = ", " != ", " < ", " >= ") + g.pick("1", "'word'", "true()", g.path(1))
	case 4:
		return "sum(" + path + "[number() = number()])"
	case 5:
		return g.pick("normalize-space", "string-length") + "(" + path + ")"
	case 6:
		return "count(" + path + " | " + g.path(1) + ")"
	case 7:
		return "substring-" + g.pick("before", "after") + "(concat(" + path + ",'-','x'),'-')"
	}
	return "count(" + path + ")"
}

// path makes a path whose predicates nest so deep. Attributes end it: libxml2
// leaves the children of their elements out of the axis following, which comes
// after them in document order (XPath 1.0, section 2.2).
func (g *generator) path(depth int) string {
	var b strings.Builder
	b.WriteString(g.pick("/", "//", "//", "/r/*/"))
	for i := range 1 + g.IntN(3) {
		if i > 0 {
			b.WriteString(g.pick("/", "/", "//"))
		}
		step := g.step(depth)
		b.WriteString(step)
		if strings.HasPrefix(step, "@") || strings.HasPrefix(step, "attribute::") {
			break
		}
	}
	return b.String()
}

func (g *generator) step(depth int) string {
	axis := g.pick("", "", "", "child::", "descendant::", "descendant-or-self::", "ancestor::", "ancestor-or-self::",
		"following::", "preceding::", "following-sibling::", "preceding-sibling::", "parent::", "self::", "@", "attribute::")
	step := axis + g.pick("*", "*", "a", "b", "node()", "text()", "comment()", "processing-instruction()", "processing-instruction('go')")
	if axis == "@" || axis == "attribute::" {
		return axis + g.pick("*", "x", "y", "node()", "*[. > 1]", "node()[2]")
	}
	for depth > 0 && g.IntN(3) == 0 {
		step += "[" + g.predicate(depth-1) + "]"
		depth--
	}
	return step
}

func (g *generator) predicate(depth int) string {
	inner := strings.TrimLeft(g.path(depth), "/")
	switch g.IntN(8) {
	case 0:
		return g.pick("1", "2", "last()", "last() - 1")
	case 1:
		return "position() " + g.pick("<", ">=", "!=", "mod 2 =") + " " + g.pick("1", "2", "last()")
	case 2:
		return inner
	case 3:
		return "not(" + inner + ")"
	case 4:
		return "@x " + g.pick("=", "!=", "<", ">") + " " + g.pick("1", "'one'", "@y", "10")
	case 5:
		return "count(" + inner + ") " + g.pick("=", ">", "<=") + " " + g.pick("0", "1", "2")
	case 6:
		return "contains(., '" + g.pick("1", "w", "é", "") + "') " + g.pick("and", "or") + " " + inner
	}
	return "string-length(.) " + g.pick("<", ">") + " " + g.pick("2", "5") + " or @y"
}
