package document

import (
	"errors"
	"unicode/utf8"

	dom "github.com/lestrrat-go/helium"
)

// A renderer turns nodes into items.
type renderer struct {
	tree  *heliumTree
	paths *pathfinder
}

func newRenderer(t *heliumTree) *renderer { return &renderer{t, newPathfinder()} }

// nodeKinds holds the names of kinds of nodes.
var nodeKinds = map[dom.ElementType]string{
	dom.ElementNode:               "element",
	dom.AttributeNode:             "attribute",
	dom.TextNode:                  "text",
	dom.CDATASectionNode:          "text",
	dom.CommentNode:               "comment",
	dom.ProcessingInstructionNode: "processing-instruction",
	dom.NamespaceNode:             "namespace",
	dom.DocumentNode:              "document",
}

// node renders a node. A node that the query created, for example by parsing a
// string, has no path and no place.
func (r *renderer) node(n dom.Node, limit int) (Item, error) {
	item := Item{Kind: nodeKinds[n.Type()]}
	if r.tree.owns(n) {
		item.Path = r.paths.path(n)
		item.Line, item.Column = r.tree.placeOf(n)
	}
	switch n.Type() {
	case dom.ElementNode, dom.DocumentNode:
		if n.Type() == dom.ElementNode {
			item.Name = n.Name()
		}
		var err error
		item.Markup, item.Truncated, err = markup(n, limit)
		return item, err
	case dom.AttributeNode, dom.ProcessingInstructionNode, dom.NamespaceNode:
		item.Name = n.Name()
	}
	item.Value = string(n.Content())
	return cut(item, limit), nil
}

// owns reports whether n is a node of the document itself.
func (t *heliumTree) owns(n dom.Node) bool {
	if n.Type() == dom.NamespaceNode { // a namespace node belongs to its element
		n = n.Parent()
	}
	for n != nil && n.Type() != dom.DocumentNode {
		n = n.Parent()
	}
	return n == dom.Node(t.doc)
}

// placeOf returns the place of the element that n is or belongs to.
func (t *heliumTree) placeOf(n dom.Node) (line, column int) {
	for ; n != nil; n = n.Parent() {
		if e, ok := n.(*dom.Element); ok {
			return t.position(e.Line())
		}
	}
	return 0, 0
}

// markup returns the XML of a node, truncated at limit bytes.
func markup(n dom.Node, limit int) (text string, truncated bool, err error) {
	out := &limited{room: limit}
	err = dom.NewWriter().XMLDeclaration(false).IncludeDTD(false).EscapeNonASCII(false).WriteTo(out, n)
	if err != nil && !errors.Is(err, errFull) {
		return "", false, err
	}
	return valid(out.String(), limit), err != nil, nil
}

// inner implements tree.
func (t *heliumTree) inner(limit int) (text string, truncated bool, err error) {
	return markup(elementFrom(t.doc.DocumentElement().FirstChild()), limit)
}

// errFull ends a serialization that reached its limit.
var errFull = errors.New("the answer is full")

// A limited is a buffer that returns errFull when it has reached its limit.
type limited struct {
	text []byte
	room int
}

func (l *limited) Write(p []byte) (int, error) {
	if len(l.text)+len(p) > l.room {
		n := l.room - len(l.text)
		l.text = append(l.text, p[:n]...)
		return n, errFull
	}
	l.text = append(l.text, p...)
	return len(p), nil
}

func (l *limited) Len() int       { return len(l.text) }
func (l *limited) String() string { return string(l.text) }

// cut truncates the value of an item at limit bytes.
func cut(item Item, limit int) Item {
	if len(item.Value) > limit {
		item.Value, item.Truncated = valid(item.Value, limit), true
	}
	return item
}

// valid returns the longest prefix of text with at most limit bytes that does not
// end within a character.
func valid(text string, limit int) string {
	if len(text) <= limit {
		limit = len(text)
	}
	for limit > 0 && limit < len(text) && !utf8.RuneStart(text[limit]) {
		limit--
	}
	text = text[:limit]
	for len(text) > 0 {
		if r, n := utf8.DecodeLastRuneInString(text); r != utf8.RuneError || n != 1 {
			break
		}
		text = text[:len(text)-1]
	}
	return text
}
