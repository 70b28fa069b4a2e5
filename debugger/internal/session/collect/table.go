package collect

import (
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/mcp/plain"
)

// A Table has a row for each hit of a point, in the order of time.
type Table struct {
	Points []PointHits `json:"points"`
	Rows   []Row       `json:"rows"`
	Next   *uint64     `json:"next,omitempty" doc:"Position to continue from"`
	Notes  []string    `json:"notes,omitempty"`
}

// PointHits is a point with the number of its hits.
type PointHits struct {
	At   string `json:"at"`
	Hits int    `json:"hits" doc:"How often it was reached, whatever its condition"`

	values []string
}

// A Row is a hit of a point.
type Row struct {
	Position uint64   `json:"position,omitempty"`
	Point    int      `json:"point" doc:"Index in points"`
	Thread   int      `json:"thread"`
	Values   []string `json:"values"`
}

// newTable returns a table of probes without rows.
func newTable(probes []*probe) Table {
	t := Table{Rows: []Row{}}
	for _, p := range probes {
		t.Points = append(t.Points, PointHits{At: p.Site.String(), values: p.Values})
	}
	return t
}

// Text shows the points, and a line for each row.
func (t *Table) Text() string {
	var b strings.Builder
	for i, p := range t.Points {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s: %s", plain.Line(p.At), plain.Count(p.Hits, "hit"))
	}
	threads := t.threads()
	for _, r := range t.Rows {
		b.WriteString("\n" + t.line(r, threads > 1))
	}
	if t.Next != nil {
		fmt.Fprintf(&b, "\n(continued with from %d)", *t.Next)
	}
	for _, note := range t.Notes {
		b.WriteString("\nNote: " + plain.Line(note))
	}
	return b.String()
}

// threads returns the number of threads in the rows, 2 for more.
func (t *Table) threads() int {
	n := min(1, len(t.Rows))
	for _, r := range t.Rows {
		if r.Thread != t.Rows[0].Thread {
			return n + 1
		}
	}
	return n
}

// line returns the text of a row.
func (t *Table) line(r Row, withThread bool) string {
	var parts []string
	if r.Position != 0 {
		parts = append(parts, fmt.Sprintf("@%d", r.Position))
	}
	p := t.Points[r.Point]
	if len(t.Points) > 1 {
		parts = append(parts, plain.Line(p.At))
	}
	if withThread {
		parts = append(parts, fmt.Sprintf("thread %d", r.Thread))
	}
	var values []string
	for i, v := range r.Values {
		values = append(values, fmt.Sprintf("%s = %s", plain.Line(p.values[i]), plain.Line(v)))
	}
	return strings.Join(append(parts, strings.Join(values, ", ")), "  ")
}
