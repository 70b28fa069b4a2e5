package document_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/debugger/document"
)

// shelfSchema describes books, the parts of which stand in a fixed order.
const shelfSchema = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
<xs:element name="shelf"><xs:complexType><xs:sequence><xs:element ref="book" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>
<xs:element name="book" type="book"/>
<xs:element name="atlas" substitutionGroup="book"/>
<xs:complexType name="book"><xs:sequence>
  <xs:element name="title" type="xs:string"/>
  <xs:element name="author" type="xs:NCName" minOccurs="0" maxOccurs="3"/>
  <xs:choice><xs:element name="isbn" type="xs:long"/><xs:element name="issn" type="xs:int"/></xs:choice>
  <xs:element name="price" minOccurs="0"><xs:complexType><xs:simpleContent><xs:extension base="xs:decimal"><xs:attribute name="in" type="xs:NCName" use="required"/></xs:extension></xs:simpleContent></xs:complexType></xs:element>
  <xs:element name="page" minOccurs="0" maxOccurs="unbounded" type="page" nillable="true"/>
  <xs:element name="end" type="xs:string" fixed="finis" minOccurs="0"/>
</xs:sequence><xs:attribute name="id" type="xs:int"/><xs:attribute name="on" type="xs:date"/></xs:complexType>
<xs:complexType name="page"><xs:all><xs:element name="top" type="xs:string" minOccurs="0"/><xs:element name="text" type="xs:string"/><xs:element name="foot" type="xs:int" minOccurs="0"/></xs:all><xs:attribute name="n" type="xs:int"/></xs:complexType>
<xs:complexType name="plate"><xs:complexContent><xs:extension base="page"><xs:attribute name="of" type="xs:NCName" use="required"/></xs:extension></xs:complexContent></xs:complexType>
<xs:complexType name="void"/>
</xs:schema>`

// A fault is a book with things wrong in it, and what they are: the element or
// attribute and a part of the message. By the schema above there is nothing else
// wrong with it.
type fault struct {
	name, book string
	want       []string
}

var faults = []fault{
	{"none", `<book><title>T</title><author>A</author><isbn>1</isbn></book>`, nil},
	{"a value", `<book><title>T</title><isbn>x</isbn></book>`, []string{"isbn: 'x' is not"}},
	{"two attributes and a value", `<book id="x" on="y"><title>T</title><isbn>z</isbn></book>`, []string{"@id: 'x' is not", "@on: 'y' is not", "isbn: 'z' is not"}},
	{"a missing attribute and the value beside it", `<book><title>T</title><isbn>1</isbn><price>free</price></book>`, []string{"price: 'in' is required", "price: 'free' is not"}},
	{"an unknown child and values behind it", `<book><title>T</title><shop/><author>a b</author><isbn>x</isbn></book>`, []string{"shop: not expected", "author: 'a b' is not", "isbn: 'x' is not"}},
	{"two unknown children", `<book><title>T</title><shop/><isbn>1</isbn><shelf/></book>`, []string{"shop: not expected", "shelf: not expected"}},
	{"one too many", `<book><title>T</title><title>U</title><isbn>1</isbn><price in="x">1</price></book>`, []string{"title: not expected. Expected is one of ( author, isbn, issn )"}},
	{"both of a choice", `<book><title>T</title><isbn>1</isbn><issn>x</issn><price in="x">1</price></book>`, []string{"issn: not expected", "issn: 'x' is not"}},
	{"too many of a kind", `<book><title>T</title><author>A</author><author>A</author><author>A</author><author>A</author><isbn>1</isbn></book>`, []string{"author: not expected. Expected is one of ( isbn, issn )"}},
	{"the first is missing", `<book><author>A</author><isbn>x</isbn></book>`, []string{"author: not expected. Expected is ( title )", "isbn: 'x' is not"}},
	{"the last is missing", `<book><title>T</title><author>A</author></book>`, []string{"book: Missing child element(s). Expected is one of ( author, isbn, issn )"}},
	{"all are missing", `<book/>`, []string{"book: Missing child element(s). Expected is ( title )"}},
	{"called otherwise", `<book><titel>T</titel><isbn>1</isbn></book>`, []string{"titel: not expected. Expected is ( title )"}},
	{"out of order", `<book><title>T</title><isbn>1</isbn><author>A</author><price in="x">1</price></book>`, []string{"author: not expected. Expected is one of ( price, page, end )"}},
	{"two exchanged", `<book><isbn>1</isbn><title>T</title></book>`, []string{"isbn: not expected. Expected is ( title )"}},
	{"two exchanged, and another missing", `<book><author>A</author><title>T</title></book>`, []string{"author: not expected. Expected is ( title )", "book: Missing child element(s). Expected is one of ( author, isbn, issn )"}},
	{"text between, and a value", `<book>and<title>T</title><isbn>x</isbn></book>`, []string{"book: Character content other", "isbn: 'x' is not"}},
	{"deep inside", `<book><title>T</title><isbn>1</isbn><page n="x"><foot>y</foot><z/></page></book>`, []string{"@n: 'x' is not", "foot: 'y' is not", "z: not expected. Expected is one of ( top, text )"}},
	{"a group of all kinds", `<book><title>T</title><isbn>1</isbn><page><foot>1</foot><text/><foot>x</foot></page></book>`, []string{"foot: not expected. Expected is ( top )", "foot: 'x' is not"}},
	{"a type of its own", `<book id="x"><title>T</title><isbn>1</isbn><page xsi:type="plate" n="y"><text/></page></book>`, []string{"@id: 'x' is not", "@n: 'y' is not", "page: 'of' is required"}},
	{"a type that is not there", `<book id="x"><title>T</title><isbn>1</isbn><page xsi:type="none"/></book>`, []string{"@id: 'x' is not", "page: 'none' of the xsi:type"}},
	{"a type that does not fit", `<book id="x"><title>T</title><isbn>1</isbn><page xsi:type="void"/></book>`, []string{"@id: 'x' is not", "page: not validly derived"}},
	{"nil", `<book id="x"><title>T</title><isbn>1</isbn><page xsi:nil="true" n="y"/></book>`, []string{"@id: 'x' is not", "@n: 'y' is not"}},
	{"no nil allowed", `<book id="x"><title>T</title><isbn xsi:nil="true"/></book>`, []string{"@id: 'x' is not", "isbn: not nillable"}},
	{"a fixed value", `<book id="x"><title>T</title><isbn>1</isbn><end>fine</end></book>`, []string{"@id: 'x' is not", "end: 'finis'"}},
	{"a fixed value left out", `<book id="x"><title>T</title><isbn>1</isbn><end/></book>`, []string{"@id: 'x' is not"}},
	{"in place of another", `<atlas id="x"><title>T</title><isbn>y</isbn></atlas>`, []string{"@id: 'x' is not", "isbn: 'y' is not"}},
	{"unknown altogether", `<disc id="x"><title/></disc>`, []string{"disc: not expected"}},
}

// shelfOf has a book in each line from the second on.
func shelfOf(books []fault) string {
	var b strings.Builder
	b.WriteString("<shelf xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'>\n")
	for _, book := range books {
		b.WriteString(book.book + "\n")
	}
	return b.String() + "</shelf>"
}

// Every fault is found in every company, and nothing else.
func TestEveryViolation(t *testing.T) {
	lib := open(t, document.Config{})
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) { checkFaults(t, lib, []fault{f}) })
	}
	for seed := range uint64(20) {
		books := slices.Repeat(faults, 3)
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(books), func(i, j int) { books[i], books[j] = books[j], books[i] })
		t.Run(fmt.Sprint("all ", seed), func(t *testing.T) { checkFaults(t, lib, books) })
	}
}

func checkFaults(t *testing.T, lib *document.Library, books []fault) {
	t.Helper()
	_, err := lib.Validate(t.Context(), document.ValidateRequest{Document: shelfOf(books), Schema: shelfSchema})
	wrong, ok := errors.AsType[*document.ViolationsError](err)
	if err != nil && !ok {
		t.Fatal(err)
	}
	byLine := make([][]document.Violation, len(books)+3)
	if ok {
		for _, v := range wrong.Violations {
			byLine[v.Line] = append(byLine[v.Line], v)
		}
	}
	for i, book := range books {
		if diff := cmp.Diff(book.want, matched(byLine[i+2], book.want)); diff != "" {
			t.Errorf("%s, line %d (-want +got)\n%s", book.name, i+2, diff)
		}
	}
	if len(byLine[1]) > 0 {
		t.Errorf("at the root: %v", byLine[1])
	}
}

// matched is want for those violations that are as they say, and others whole.
func matched(got []document.Violation, want []string) []string {
	var all []string
	for _, w := range want {
		for i, v := range got {
			if isLike(v, w) {
				all, got = append(all, w), slices.Delete(slices.Clone(got), i, i+1)
				break
			}
		}
	}
	for _, v := range got {
		all = append(all, "unexpected: "+v.String())
	}
	return all
}

func isLike(v document.Violation, want string) bool {
	where, message, _ := strings.Cut(want, ": ")
	step := v.Path[strings.LastIndex(v.Path, "/")+1:]
	step, _, _ = strings.Cut(step, "[")
	return step == where && strings.Contains(v.Message, message)
}

// linkSchema has keys, references to keys, and identifiers.
const linkSchema = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
<xs:element name="r"><xs:complexType><xs:sequence>
  <xs:element name="a" maxOccurs="unbounded"><xs:complexType><xs:sequence><xs:element name="b"><xs:complexType><xs:attribute name="i" type="xs:ID"/></xs:complexType></xs:element></xs:sequence>
    <xs:attribute name="k" type="xs:int"/></xs:complexType></xs:element>
  <xs:element name="to" minOccurs="0" maxOccurs="unbounded"><xs:complexType><xs:attribute name="k" type="xs:int"/><xs:attribute name="i" type="xs:IDREF"/></xs:complexType></xs:element>
</xs:sequence></xs:complexType>
  <xs:key name="key"><xs:selector xpath="a"/><xs:field xpath="@k"/></xs:key>
  <xs:keyref name="ref" refer="key"><xs:selector xpath="to"/><xs:field xpath="@k"/></xs:keyref>
</xs:element></xs:schema>`

// What was not looked at because something else is wrong may well be there. What
// is nowhere is missing all the same.
func TestReferencesToWhatIsHidden(t *testing.T) {
	lib := open(t, document.Config{})
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", "<r><a k='1'><b i='x'/></a>\n<to k='1' i='x'/></r>", nil},
		{"nothing there", "<r><a k='1'><b i='x'/></a>\n<to k='2' i='y'/></r>", []string{"to: '2'", "to: 'y'"}},
		{"an identifier behind an attribute", "<r><a k='1' z=''><b i='x'/></a>\n<to k='1' i='x'/></r>", []string{"@z: not allowed"}},
		{"nothing there, and a value elsewhere", "<r><a k='1'><b i='x'/></a><a k='?'><b/></a>\n<to k='2' i='y'/></r>", []string{"@k: '?' is not", "to: '2'", "to: 'y'"}},
		{"a key behind a child", "<r><z/><a k='1'><b i='x'/></a>\n<to k='1' i='x'/></r>", []string{"z: not expected"}},
		{"nothing there, and a child", "<r><a k='1'><b i='x'/></a>\n<to i='y'/><z/></r>", []string{"to: 'y'", "z: not expected"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := lib.Validate(t.Context(), document.ValidateRequest{Document: test.text, Schema: linkSchema})
			var got []document.Violation
			if wrong, ok := errors.AsType[*document.ViolationsError](err); ok {
				got = wrong.Violations
			} else if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, matched(got, test.want)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
