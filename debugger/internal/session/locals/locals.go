// Package locals reads the variables of a frame as a flat list of values, so
// that two moments can be compared value by value, and an address can be named.
package locals

import (
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/callstack"
	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
)

// Limits of values in lists of them: a line each.
var Limits = values.Limits{Depth: 3, Pointers: 1, Elements: 32, String: 48, Nodes: 200}

// maxText is the maximum length of a value.
const maxText = 100

// Short cuts a long value.
func Short(text string) string {
	if len(text) > maxText {
		return strings.ToValidUTF8(text[:maxText], "") + "…"
	}
	return text
}

// A Leaf is a value without parts: a variable, or a member, element or target of
// one, named as in the language's expressions.
type Leaf struct {
	Name, Text string
	Addr       uint64 // 0 if it is not in memory
	Mask       []byte // the bits of a bit-field, from Addr; nil for all bits
}

// A List is the values of the variables of some frames.
type List struct {
	All    []Leaf
	byName map[string]int
}

// Read returns the variables of frames of one call, at the current position. A
// variable that another of the same name hides is left out.
func Read(frames []callstack.Frame) *List {
	l := &List{byName: map[string]int{}}
	seen := map[string]bool{}
	for i := range frames {
		for _, o := range frames[i].Variables() {
			if !o.Hidden && !seen[o.Name] {
				seen[o.Name] = true
				l.add(o.Name, o.Name+".", o.Value(Limits))
			}
		}
	}
	return l
}

// add adds the leaves of a value. Its members are named by a prefix.
func (l *List) add(name, prefix string, v values.Value) {
	for _, c := range v.Children {
		switch {
		case strings.HasPrefix(c.Name, "*"):
			l.add("*"+name, name+"->", c)
		case c.Name == "" || strings.HasPrefix(c.Name, "["):
			l.add(name+c.Name, name+c.Name+".", c)
		default:
			l.add(prefix+c.Name, prefix+c.Name+".", c)
		}
	}
	text := Short(v.Text)
	if len(v.Children) > 0 && (strings.HasSuffix(v.Text, "}") || strings.HasSuffix(v.Text, "]")) {
		open := strings.IndexAny(v.Text, "{[")
		if !strings.HasPrefix(v.Text, "&") || open < 0 {
			return
		}
		text = v.Text[:open] + "{…}" // of a pointer, whose target has leaves of its own
	}
	l.byName[name] = len(l.All)
	l.All = append(l.All, Leaf{name, text, v.Addr, v.Mask})
}

// Find returns the leaf with a name.
func (l *List) Find(name string) (Leaf, bool) {
	i, ok := l.byName[name]
	if !ok {
		return Leaf{}, false
	}
	return l.All[i], true
}

// At returns the leaf whose value begins at an address. With a mask it has its bits; without
// one it is no bit-field.
func (l *List) At(addr uint64, mask []byte) (Leaf, bool) {
	for i := range l.All {
		if leaf := &l.All[i]; leaf.Addr == addr && addr != 0 && leaf.has(mask) {
			return *leaf, true
		}
	}
	return Leaf{}, false
}

// has reports whether the leaf has the bits of a mask, all bits if it is nil.
func (l *Leaf) has(mask []byte) bool {
	if l.Mask == nil {
		return true
	}
	for i := range mask {
		if i >= len(l.Mask) || mask[i]&^l.Mask[i] != 0 {
			return false
		}
	}
	return mask != nil
}
