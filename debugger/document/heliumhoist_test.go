package document

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

// hoistDocument has numbers, words and references, and a value that is no number.
const hoistDocument = `<r xmlns:p="urn:p"><a id="1"><b ref="2">x</b>4</a><a id="2"><b ref="9">1</b></a><a id="3" p:q="1"><c n="3"/><!--1--></a>` +
	`<a id="x"><b ref="x"/><c n="y">2</c></a><d>1</d><d>2.0</d></r>`

// parsedTree parses a text for queries.
func parsedTree(t testing.TB, text string) *heliumTree {
	t.Helper()
	limits := allLimits(t)
	seen, err := look("x", []byte(text), limits)
	if err != nil {
		t.Fatal(err)
	}
	made, err := newHelium(limits).parse(t.Context(), &source{name: "x", text: []byte(text)}, seen)
	if err != nil {
		t.Fatal(err)
	}
	return made.(*heliumTree)
}

// outcome renders the answer to a query, or its error.
func outcome(t testing.TB, tree *heliumTree, query string, literal bool) string {
	t.Helper()
	found, err := tree.query(t.Context(), expression{text: query, literal: literal})
	if wrong, ok := errors.AsType[*QueryError](err); ok {
		return wrong.Code + " " + wrong.Message
	}
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for i := range found.len() {
		item, err := found.item(i, 1000)
		fmt.Fprintf(&b, "%+v %v\n", item, err)
	}
	return b.String()
}

// TestHoist compares answers and errors with those of the queries as they are.
func TestHoist(t *testing.T) {
	tree := parsedTree(t, hoistDocument)
	tests := []struct {
		query string
		parts int
	}{
		{"//a[@id = //b/@ref]", 1},
		{"//a[//b/@ref = @id]", 1},
		{"//a[not(@id = //b/@ref)]", 1},
		{"//a[@id != //b/@ref]", 1},
		{"//a[count(//b) - 1]", 1},
		{"//a[position() = count(//d)]", 1},
		{"//a[//nothing]", 1},
		{"//a[number(@id) = //d/number(.)]", 1}, // the path without the step that is a function
		{"//a[xs:double(@id) = //d]", 1},        // other types are compared one by one; the last is no number
		{"//a[@id castable as xs:double][xs:double(@id) = //d]", 1},
		{"//a[false() and @id = //d[. + 'x' = 1]]", 1}, // never evaluated
		{"//none[@id = sum(//a/@id)]", 1},              // no node is there
		{"//a[@id = sum(//a/@id)]", 1},                 // FORG0001 of the part
		{"//a[xs:integer(@id) = sum(//a/@id)]", 1},     // the other operand's error comes first or last
		{"//a[sum(//a/@id) = xs:integer(@id)]", 1},
		{"//a[//b/@ref = xs:integer(@id)]", 1},
		{"for $i in //a return $i[@id = //b/@ref]/@id", 0}, // a variable may have values
		{"for $i in 1 to 3 return count(//a) * $i", 1},
		{"for $i in //d, $j in //a[@id = $i] return string($j)", 0},
		{"some $i in //a satisfies $i/@id = //b/@ref", 1},
		{"every $i in //a/@id satisfies $i = //b/@ref", 1},
		{"//a ! (@id = //b/@ref)", 1},
		{"(1 to 3)[. = //a/@id]", 0}, // the context item has no root: XPTY0020 or its like
		{"//a/(@id, //d)[. = //b/@ref]", 1},
		{"parse-xml('<r><b ref=\"3\"/><a id=\"3\"/></r>')//a[@id = //b/@ref]", 1}, // another tree
		{"(//a, parse-xml('<r><b ref=\"3\"/><a id=\"3\"/></r>')//a)/@id[. = //b/@ref]/string()", 1},
		{"//a[@id = //b[position() = last()]/@ref]", 1},
		{"//a[@id = //b[../@id = '1']/@ref]", 1},
		{"//a[@id = (//b/@ref | //c/@n)]", 1},
		{"//a[@id = distinct-values(//b/@ref)]/@id", 1},
		{"//a[@id = //b[string() = //d]/@ref]", 1},
		{"//a[(@id, 2) = //b/@ref]", 1},
		{"//a[() = //b/@ref]", 1},
		{"//a[@id = (1 to count(//b))]", 0},
		{"//a[concat(@id, name(//d[1])) = '1d']", 1},
		{"//a[//a/@id to position() = (1, //b/@ref)[//b/@ref]]", 1},
		{"//a[@none:id = //b/@ref]", -1}, // an error of the expression
		{"//a[@id = //none:b]", -1},
		{"//a[@id = unknown(//b)]", -1},
		{"//a[Q{urn:triptych:once}e0() = 1][@id = //b/@ref]", 0},
	}
	for _, test := range tests {
		if _, parts := hoist(test.query); test.parts >= 0 && len(parts) != test.parts {
			t.Errorf("%s: %d parts, want %d", test.query, len(parts), test.parts)
		}
		if got, want := outcome(t, tree, test.query, false), outcome(t, tree, test.query, true); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", test.query, got, want)
		}
	}
}

// A queryMaker makes queries at random, some of them wrong.
type queryMaker struct{ random *rand.Rand }

func (m queryMaker) one(of ...string) string { return of[m.random.IntN(len(of))] }

// path makes a path.
func (m queryMaker) path(depth int) string {
	start := m.one("//", "//", "/r/", "", ".//")
	step := m.one("a", "b", "c", "d", "*", "a/@id", "b/@ref", "@id", "c/@n", "text()", "comment()", "a/..")
	if depth > 0 && m.random.IntN(2) == 0 && !strings.Contains(step, "@") {
		step += "[" + m.value(depth-1) + "]"
	}
	return start + step
}

// value makes an expression.
func (m queryMaker) value(depth int) string {
	if depth <= 0 {
		return m.one("1", "'1'", "'x'", "@id", ".", "position()", "last()", "//b/@ref", "//a/@id", "//d", "()", "2.0")
	}
	a, b := m.value(depth-1), m.value(depth-1)
	switch m.random.IntN(12) {
	case 0, 1, 2:
		return a + " = " + b
	case 3:
		return a + m.one(" != ", " < ", " eq ", " + ", " | ", " or ", " and ", " to ", " || ") + b
	case 4:
		return m.one("count", "not", "string", "number", "sum", "exists", "data", "max", "reverse", "xs:integer", "string-join") + "(" + a + ")"
	case 5:
		return "(for $i in " + m.path(depth-1) + " return " + b + ")"
	case 6:
		return "(some $i in " + m.path(depth-1) + " satisfies " + b + ")"
	case 7:
		return "(" + a + ", " + b + ")[" + m.value(depth-2) + "]"
	case 8:
		return "(if (" + a + ") then " + b + " else " + m.path(depth-1) + ")"
	case 9:
		return "(" + m.path(depth-1) + " ! (" + b + "))"
	}
	return m.path(depth)
}

// TestHoistAtRandom compares random queries with the queries as they are: 1,000, or as
// many as TRIPTYCH_TEST_QUERIES says.
func TestHoistAtRandom(t *testing.T) {
	tree := parsedTree(t, hoistDocument)
	maker := queryMaker{rand.New(rand.NewPCG(3, 4))}
	hoisted, wrong, all := 0, 0, 1000
	if n, err := strconv.Atoi(os.Getenv("TRIPTYCH_TEST_QUERIES")); err == nil {
		all = n
	}
	for range all {
		query := maker.path(4)
		if _, parts := hoist(query); len(parts) == 0 {
			continue
		}
		hoisted++
		got, want := outcome(t, tree, query, false), outcome(t, tree, query, true)
		if got != want {
			t.Fatalf("%s\ngot  %s\nwant %s", query, got, want)
		}
		if _, err := tree.query(t.Context(), expression{text: query}); err != nil {
			wrong++
		}
	}
	t.Logf("%d queries with parts, %d of them errors", hoisted, wrong)
	if hoisted < all/10 || wrong < all/100 || wrong > hoisted*9/10 {
		t.Error("too few queries are of a kind")
	}
}

// BenchmarkInvariant measures a join of 10,000 elements, and a hundredth of it as it is.
func BenchmarkInvariant(b *testing.B) {
	const query = "count(//a[@id = //b/@ref])"
	for _, elements := range []int{1000, 10_000} {
		var text strings.Builder
		for i := range elements {
			fmt.Fprintf(&text, `<a id="%d"/><b ref="%d"/>`, i, 2*i)
		}
		tree := parsedTree(b, "<r>"+text.String()+"</r>")
		for _, literal := range []bool{false, true} {
			if literal && elements > 1000 {
				continue
			}
			b.Run(fmt.Sprintf("%d/literal=%t", elements, literal), func(b *testing.B) {
				for b.Loop() {
					want := fmt.Sprintf("Value:%d", elements/2)
					if got := outcome(b, tree, query, literal); !strings.Contains(got, want) {
						b.Fatalf("got %s, want %s", got, want)
					}
				}
			})
		}
	}
}
