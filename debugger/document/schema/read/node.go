// Package read reads schema documents: their elements as trees, and whether they are
// as the schema for schemas has them (XML Schema 1.0, part 1, appendix A).
package read

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/document/schema/component"
	"github.com/triptych-mcp/triptych/debugger/document/schema/event"
)

// A Node is an element of a schema document. The contents of documentation and appinfo
// are left out.
type Node struct {
	Name         event.Name
	File         string
	Line, Column int
	Attrs        []event.Attr
	Children     []*Node
	Parent       *Node
	Text         string // text that is not white space

	spaces *scope
}

// A scope holds the namespaces that an element declares, and those around it.
type scope struct {
	declared []event.NS
	outer    *scope
}

// Lookup returns the namespace of a prefix.
func (n *Node) Lookup(prefix string) (string, bool) {
	for s := n.spaces; s != nil; s = s.outer {
		for _, d := range s.declared {
			if d.Prefix == prefix {
				return d.URI, d.URI != "" || prefix == ""
			}
		}
	}
	switch prefix {
	case "":
		return "", true
	case "xml":
		return "http://www.w3.org/XML/1998/namespace", true
	}
	return "", false
}

// Is reports whether n is an element of schemas with a local name.
func (n *Node) Is(local string) bool {
	return n.Name.Local == local && n.Name.Space == component.Space
}

// Attr returns the value of an attribute without a namespace, with white space
// collapsed, and whether it is there.
func (n *Node) Attr(local string) (string, bool) {
	for i := range n.Attrs {
		if a := &n.Attrs[i]; a.Name.Local == local && a.Name.Space == "" {
			return Collapse(a.Value), true
		}
	}
	return "", false
}

// Raw returns the value of an attribute as it stands there.
func (n *Node) Raw(local string) (string, bool) {
	for i := range n.Attrs {
		if a := &n.Attrs[i]; a.Name.Local == local && a.Name.Space == "" {
			return a.Value, true
		}
	}
	return "", false
}

// Collapse removes white space at the ends, and makes that within single blanks.
func Collapse(s string) string {
	if !strings.ContainsAny(s, " \t\r\n") {
		return s
	}
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '\t' || r == '\r' || r == '\n' }), " ")
}

// Child returns the first child with one of some local names, or nil.
func (n *Node) Child(locals ...string) *Node {
	for _, c := range n.Children {
		for _, local := range locals {
			if c.Is(local) {
				return c
			}
		}
	}
	return nil
}

// Path returns an XPath expression that selects the element.
func (n *Node) Path() string {
	if n == nil {
		return ""
	}
	at := 1
	if n.Parent != nil {
		for _, c := range n.Parent.Children {
			if c == n {
				break
			}
			if c.Name == n.Name {
				at++
			}
		}
	}
	name := n.Name.Local
	if n.Name.Space != "" {
		name = "Q{" + n.Name.Space + "}" + name
	}
	return fmt.Sprintf("%s/%s[%d]", n.Parent.Path(), name, at)
}

// Document reads a schema document and returns its root.
func Document(ctx context.Context, file string, p *event.Parser) (*Node, error) {
	var root, at *Node
	skipped := 0 // depth within documentation and appinfo
	for count := 0; ; count++ {
		if count%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		e, err := p.Next()
		if errors.Is(err, io.EOF) {
			return root, nil
		}
		if err != nil {
			return nil, err
		}
		switch e.Kind {
		case event.Start:
			if skipped > 0 || at != nil && (at.Is("documentation") || at.Is("appinfo")) {
				skipped++
				continue
			}
			n := newNode(file, e, p, at)
			if root == nil {
				root = n
			}
			at = n
		case event.End:
			if skipped > 0 {
				skipped--
				continue
			}
			at = at.Parent
		case event.Text:
			if skipped == 0 && at != nil && !at.Is("documentation") && !at.Is("appinfo") && at.Text == "" {
				at.Text = strings.Trim(string(e.Text), " \t\r\n")
			}
		}
	}
}

func newNode(file string, e *event.Event, p *event.Parser, parent *Node) *Node {
	n := &Node{Name: e.Name, File: file, Line: e.Line, Column: e.Column, Attrs: append([]event.Attr(nil), e.Attrs...), Parent: parent}
	if parent != nil {
		n.spaces = parent.spaces
		parent.Children = append(parent.Children, n)
	}
	if declared := p.Declared(); len(declared) > 0 {
		n.spaces = &scope{append([]event.NS(nil), declared...), n.spaces}
	}
	return n
}
