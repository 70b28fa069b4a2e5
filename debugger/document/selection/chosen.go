package selection

import (
	"slices"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/document/schema/event"
)

// selectElement adds the element that started if the path selects it.
func (m *machine) selectElement(e *event.Event) error {
	f := m.top()
	s := f.matches[len(m.steps)-1]
	if !s.ok {
		return nil
	}
	if m.results.wanted() {
		f.result = &Result{Kind: "element", Path: m.path(), Name: written(e.Prefix, e.Name), Line: f.line, Column: f.column, From: e.Offset, Wrap: m.wrapper()}
	}
	return m.results.add(s.by, f.result)
}

// selectAttributes adds the attributes of the element that started that the path selects.
func (m *machine) selectAttributes(e *event.Event) error {
	last := len(m.steps) - 1
	step := &m.steps[last]
	s, err := m.leafSupport(last)
	if err != nil || !s.ok {
		return err
	}
	for _, a := range e.Attrs {
		if !step.test.matches(a.Name) {
			continue
		}
		holds, err := m.leafHolds(step, a.Value)
		if err != nil {
			return err
		}
		if !holds {
			continue
		}
		var found *Result
		if m.results.wanted() {
			found = &Result{
				Kind: "attribute", Path: m.path() + "/@" + qualified(a.Name), Name: written(a.Prefix, a.Name),
				Value: m.cut(a.Value), Line: e.Line, Column: e.Column,
			}
		}
		if err := m.results.add(s.by, found); err != nil {
			return err
		}
	}
	return nil
}

func written(prefix string, n event.Name) string {
	if prefix == "" {
		return n.Local
	}
	return prefix + ":" + n.Local
}

func qualified(n event.Name) string {
	if n.Space == "" {
		return n.Local
	}
	return "Q{" + n.Space + "}" + n.Local
}

// path returns the path of the innermost element.
func (m *machine) path() string {
	var b strings.Builder
	for i := range m.frames[1:] {
		f := &m.frames[i+1]
		b.WriteByte('/')
		b.WriteString(qualified(f.name))
		b.WriteByte('[')
		b.WriteString(strconv.Itoa(f.position))
		b.WriteByte(']')
	}
	return b.String()
}

// wrapper returns a start tag with the namespaces in scope.
func (m *machine) wrapper() string {
	scope := m.parser.InScope()
	if m.wrap != "" && slices.Equal(scope, m.wrapNS) {
		return m.wrap
	}
	var b strings.Builder
	b.WriteString("<w")
	for _, ns := range scope {
		b.WriteString(" xmlns")
		if ns.Prefix != "" {
			b.WriteString(":" + ns.Prefix)
		}
		b.WriteString(`="` + quote.Replace(ns.URI) + `"`)
	}
	b.WriteString(">")
	m.wrap, m.wrapNS = b.String(), scope
	return m.wrap
}

var quote = strings.NewReplacer("&", "&amp;", "<", "&lt;", `"`, "&quot;", "\t", "&#9;", "\n", "&#10;", "\r", "&#13;")
