package read

import (
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/document/schema/component"
	"github.com/triptych-mcp/triptych/debugger/document/schema/datatype"
)

// versionSpace is the namespace of the attributes by which an element is left out for some
// versions (XML Schema 1.1, part 1, section 4.2.2).
const versionSpace = "http://www.w3.org/2007/XMLSchema-versioning"

// Version11 reports whether a schema document says to be of XML Schema 1.1 or later, or
// has wildcards with attributes that only that version knows.
func Version11(root *Node) bool {
	return root.Is("schema") && (atLeast(root, "minVersion", "1.1") || root.hasLaterWildcard())
}

func (n *Node) hasLaterWildcard() bool {
	if n.Is("any") || n.Is("anyAttribute") {
		_, space := n.Raw("notNamespace")
		_, name := n.Raw("notQName")
		return space || name
	}
	return slices.ContainsFunc(n.Children, (*Node).hasLaterWildcard)
}

// atLeast reports whether an attribute holds a version that is not below another one.
func atLeast(n *Node, local, version string) bool {
	value, ok := n.versionAttr(local)
	return ok && compareVersions(value, version) >= 0
}

func (n *Node) versionAttr(local string) (string, bool) {
	for i := range n.Attrs {
		if a := &n.Attrs[i]; a.Name.Local == local && a.Name.Space == versionSpace {
			return Collapse(a.Value), true
		}
	}
	return "", false
}

// compareVersions compares decimal numbers; what is none is below all versions.
func compareVersions(a, b string) int {
	decimal := datatype.Builtin("decimal")
	if decimal.Valid(a, nil) != nil {
		return -1
	}
	whole := func(s string) (string, string) {
		s = strings.TrimPrefix(s, "+")
		whole, fraction, _ := strings.Cut(s, ".")
		return strings.TrimLeft(whole, "0"), strings.TrimRight(fraction, "0")
	}
	if strings.HasPrefix(a, "-") {
		return -1
	}
	aw, af := whole(a)
	bw, bf := whole(b)
	if len(aw) != len(bw) {
		return len(aw) - len(bw)
	}
	if c := strings.Compare(aw, bw); c != 0 {
		return c
	}
	return strings.Compare(af, bf)
}

// Prune removes the elements that are not for version 1.0.
func Prune(n *Node) {
	n.Children = slices.DeleteFunc(n.Children, func(child *Node) bool { return child.leftOut() })
	for _, child := range n.Children {
		Prune(child)
	}
}

// leftOut reports whether an attribute leaves n out.
func (n *Node) leftOut() bool {
	if atLeast(n, "minVersion", "1.1") {
		return true
	}
	if value, ok := n.versionAttr("maxVersion"); ok && datatype.Builtin("decimal").Valid(value, nil) == nil && compareVersions(value, "1.0") <= 0 {
		return true
	}
	for _, c := range []struct {
		local   string
		known   func(*Node, string) bool
		present bool
	}{
		{"typeAvailable", knownType, true}, {"typeUnavailable", knownType, false},
		{"facetAvailable", knownFacet, true}, {"facetUnavailable", knownFacet, false},
	} {
		value, ok := n.versionAttr(c.local)
		if !ok {
			continue
		}
		missing := slices.ContainsFunc(strings.Fields(value), func(word string) bool { return !c.known(n, word) })
		if missing == c.present {
			return true
		}
	}
	return false
}

// builtinName returns the local name that a word has in the namespace of schemas, or "".
func builtinName(n *Node, word string) string {
	prefix, local, prefixed := strings.Cut(word, ":")
	if !prefixed {
		prefix, local = "", word
	}
	if space, _ := n.Lookup(prefix); space != component.Space {
		return ""
	}
	return local
}

func knownType(n *Node, word string) bool {
	local := builtinName(n, word)
	return local == "anyType" || local != "" && datatype.Builtin(local) != nil
}

func knownFacet(n *Node, word string) bool { return letters[builtinName(n, word)] == 'F' }
