package document

import (
	"slices"
	"strconv"
	"strings"

	dom "github.com/lestrrat-go/helium"
)

// A pathfinder returns the paths of nodes in the form of fn:path (XPath functions
// 3.1, section 14.2), but omits "Q{}" before names in no namespace. It caches
// positions among siblings: counting again for each of many siblings would take
// quadratic time.
type pathfinder struct {
	counted map[dom.Node]map[dom.Node]int // parent → child → position
}

func newPathfinder() *pathfinder {
	return &pathfinder{counted: map[dom.Node]map[dom.Node]int{}}
}

// path returns an XPath 3.1 expression that selects n and nothing else.
func (p *pathfinder) path(n dom.Node) string {
	var steps []string
	for n != nil && n.Type() != dom.DocumentNode {
		steps = append(steps, p.step(n))
		n = n.Parent()
	}
	if len(steps) == 0 {
		return "/"
	}
	var b strings.Builder
	for _, step := range slices.Backward(steps) {
		b.WriteString("/" + step)
	}
	return b.String()
}

// step returns the last step of the path to n.
func (p *pathfinder) step(n dom.Node) string {
	switch n := n.(type) {
	case *dom.Attribute:
		return "@" + qualified(n.URI(), n.LocalName())
	case *dom.NamespaceNodeWrapper:
		return namespaceStep(n.Name())
	}
	return test(n) + "[" + strconv.Itoa(p.position(n)) + "]"
}

func namespaceStep(prefix string) string {
	if prefix == "" {
		return `namespace::*[local-name()=""]`
	}
	return "namespace::" + prefix
}

// test returns the node test that selects n among siblings of other kinds and
// names.
func test(n dom.Node) string {
	switch n := n.(type) {
	case *dom.Element:
		return qualified(n.URI(), n.LocalName())
	case *dom.Comment:
		return "comment()"
	case *dom.ProcessingInstruction:
		return "processing-instruction(" + n.Name() + ")"
	}
	return "text()"
}

// qualified returns a name in the form that XPath 3.1 uses without a prefix.
func qualified(uri, local string) string {
	if uri == "" {
		return local
	}
	return "Q{" + uri + "}" + local
}

// position returns the position of n, from 1, among the siblings with the same
// node test.
func (p *pathfinder) position(n dom.Node) int {
	parent := n.Parent()
	if parent == nil {
		return 1
	}
	all, ok := p.counted[parent]
	if !ok {
		all = positions(parent)
		p.counted[parent] = all
	}
	return all[n]
}

func positions(parent dom.Node) map[dom.Node]int {
	all := map[dom.Node]int{}
	passed := map[string]int{}
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		t := test(n)
		passed[t]++
		all[n] = passed[t]
	}
	return all
}
