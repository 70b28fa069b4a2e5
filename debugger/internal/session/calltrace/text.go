package calltrace

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/triptych-mcp/triptych/mcp/plain"
)

// String returns the file name and the line number.
func (l line) String() string { return fmt.Sprintf("%s:%d", filepath.Base(l.file), l.number) }

func andMore(n int) string { return fmt.Sprintf(" and %d more calls", n) }

// Text shows the call with a line for each row.
func (t *CallTrace) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s(%s) at positions %d to %d, thread %d, %s steps", plain.Line(t.Function), list(t.Arguments), t.From, t.To, t.Thread, plain.Thousands(int64(t.Steps)))
	switch {
	case t.Of == 0 && t.Number > 0:
		fmt.Fprintf(&b, ", call %d", t.Number)
	case t.Of > 1:
		fmt.Fprintf(&b, ", call %d of %d", t.Number, t.Of)
	}
	if t.Caller != "" {
		b.WriteString(", called from " + plain.Line(t.Caller))
	}
	if t.File != "" {
		b.WriteString("\nFile: " + plain.Line(t.File))
	}
	for i := range t.Rows {
		b.WriteString(t.Rows[i].Text())
	}
	switch {
	case t.Next != 0:
		fmt.Fprintf(&b, "\n(continued with from %d)", t.Next)
	case t.Returned && t.Result != "":
		fmt.Fprintf(&b, "\nreturned %s at %d", plain.Line(t.Result), t.To)
	case t.Returned:
		fmt.Fprintf(&b, "\nreturned at %d", t.To)
	case t.Rows != nil:
		fmt.Fprintf(&b, "\ndid not return")
	}
	for _, note := range t.Notes {
		b.WriteString("\nNote: " + note)
	}
	return b.String()
}

// Text returns the row, preceded by a line feed.
func (r *Row) Text() string {
	indent := "\n" + strings.Repeat("  ", r.Level)
	switch {
	case r.Loop > 0:
		return fmt.Sprintf("%sloop ×%s, the last %d iterations:", indent, plain.Thousands(int64(r.Loop)), foldShown)
	case r.Call != nil:
		return indent + "    -> " + r.Call.text(r.Position)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s@%d ", indent, r.Position)
	if r.File != "" {
		b.WriteString(plain.Line(filepath.Base(r.File)) + ":")
	}
	fmt.Fprintf(&b, "%d  %s", r.Line, plain.Line(r.Source))
	for i, c := range r.Changes {
		b.WriteString(map[bool]string{true: "   | ", false: "; "}[i == 0])
		fmt.Fprintf(&b, "%s: %s -> %s", plain.Line(c.Name), plain.Line(c.Before), plain.Line(c.After))
	}
	return b.String()
}

func (c *Callee) text(position uint64) string {
	text := fmt.Sprintf("%s(%s)", plain.Line(c.Function), list(c.Arguments))
	switch {
	case !c.Returned:
		text += " did not return"
	case c.Result != "":
		text += " = " + plain.Line(c.Result)
	}
	return text + fmt.Sprintf("   [at %d]", position)
}

func list(values []Value) string {
	var parts []string
	for _, v := range values {
		parts = append(parts, plain.Line(v.Name)+"="+plain.Line(v.Value))
	}
	return strings.Join(parts, ", ")
}
