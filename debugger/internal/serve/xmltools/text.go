package xmltools

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/debugger/document"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// queried is the answer of xpath_query.
type queried struct {
	Type  string       `json:"type" doc:"nodes, number, string, boolean or sequence"`
	Total int          `json:"total" doc:"Results in all"`
	From  int          `json:"offset" doc:"How many results come before these"`
	Items []resultItem `json:"items" doc:"Results, in document order where they are nodes"`
	Next  *int         `json:"next_offset,omitempty" doc:"Where to go on; absent when these are the last"`
}

// A resultItem is a node or a value.
type resultItem struct {
	Kind      string `json:"kind" doc:"Kind of node, or type of value"`
	Path      string `json:"path,omitempty" doc:"XPath 3.1 expression that selects the node"`
	Name      string `json:"name,omitempty" doc:"Name of the node"`
	Value     string `json:"value,omitempty" doc:"Text of the node, or the value"`
	Markup    string `json:"markup,omitempty" doc:"XML of an element or document"`
	Line      int    `json:"line,omitempty" doc:"Line where the element begins that the node is or belongs to"`
	Column    int    `json:"column,omitempty"`
	Truncated bool   `json:"truncated,omitempty" doc:"Whether the value or markup was cut"`
}

func queriedFrom(r document.QueryResult, offset int) queried {
	q := queried{Type: string(r.Type), Total: r.Total, From: offset, Items: make([]resultItem, len(r.Items))}
	for i, item := range r.Items {
		q.Items[i] = resultItem(item)
	}
	if r.Next > 0 {
		q.Next = &r.Next
	}
	return q
}

// Text is a single value, or the results as a list.
func (q queried) Text() string {
	if len(q.Items) == 1 && q.Type != string(document.Nodes) && q.Type != string(document.Sequence) {
		return "Result (" + q.Type + "): " + q.Items[0].content()
	}
	var b strings.Builder
	b.WriteString(q.heading())
	for i, item := range q.Items {
		fmt.Fprintf(&b, "\n\n%d. %s", q.From+i+1, item.text())
	}
	if q.Next != nil {
		fmt.Fprintf(&b, "\n\nMore results follow; go on with offset %d", *q.Next)
	}
	return b.String()
}

// heading tells how many results there are and which are shown.
func (q queried) heading() string {
	what := "node"
	if q.Type != string(document.Nodes) {
		what = "item"
	}
	switch shown := len(q.Items); {
	case q.Total == 0:
		return "Found no " + what + "s"
	case shown == 0:
		return fmt.Sprintf("Found %s, none from offset %d on", plain.Count(q.Total, what), q.From)
	case shown < q.Total:
		return fmt.Sprintf("Found %s, showing %d to %d:", plain.Count(q.Total, what), q.From+1, q.From+shown)
	}
	return "Found " + plain.Count(q.Total, what) + ":"
}

// text returns the path of a node and its content, or the type and content of
// a value.
func (r resultItem) text() string {
	if r.Path == "" {
		return r.Kind + ": " + indented(r.content())
	}
	where := plain.Line(r.Path)
	if r.Line > 0 {
		where += fmt.Sprintf(" (line %d, column %d)", r.Line, r.Column)
	}
	return where + "\n   " + indented(r.content())
}

// content returns the markup or the value.
func (r resultItem) content() string {
	text := r.Value
	if r.Markup != "" {
		text = r.Markup
	}
	if r.Truncated {
		text += " … (cut)"
	}
	return text
}

// indented indents all lines of a text but the first.
func indented(text string) string {
	return strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n   ")
}

// validated is the answer of validate_schema for a document that is valid.
type validated struct {
	Valid    bool     `json:"valid"`
	Document string   `json:"document"`
	Schema   string   `json:"schema"`
	Version  string   `json:"version" doc:"Version of XML Schema that the schema was read as"`
	Warnings []string `json:"warnings" doc:"What the schema includes or imports and could not be read, and types that are nowhere"`
}

// Text names the document, the schema and the warnings.
func (v validated) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s matches %s (XML Schema %s)", v.Document, v.Schema, v.Version)
	for _, w := range v.Warnings {
		b.WriteString("\nWarning: " + plain.Line(w))
	}
	return b.String()
}

// nameOf returns the name of a document or schema in answers.
func nameOf(argument string) string {
	if strings.HasPrefix(strings.TrimLeft(argument, "\uFEFF \t\r\n"), "<") {
		return "inline"
	}
	return plain.Line(argument)
}

// cached is the answer of cache_stats.
type cached struct {
	Entries   int              `json:"entries"`
	Bytes     int64            `json:"bytes" doc:"Memory taken, as estimated"`
	Budget    int64            `json:"budget" doc:"Memory that may be taken, in bytes"`
	Hits      int64            `json:"hits"`
	Misses    int64            `json:"misses"`
	Evictions int64            `json:"evictions"`
	HitRatio  float64          `json:"hit_ratio" doc:"Hits of all look-ups, 0 to 1"`
	Abandoned int              `json:"abandoned" doc:"Requests that were given up and whose work goes on"`
	Restarts  int              `json:"restarts,omitzero" doc:"How often the process that holds the cache was replaced"`
	Lost      int              `json:"lost,omitzero" doc:"How often the cache was lost with its process"`
	Documents []cachedDocument `json:"documents" doc:"The largest entries, 100 at most, by path"`
}

// A cachedDocument is a document or schema in the cache.
type cachedDocument struct {
	Path  string `json:"path"`
	Kind  string `json:"kind" doc:"document or schema"`
	Bytes int64  `json:"bytes" doc:"Memory taken, as estimated"`
	Hits  int64  `json:"hits"`
	AgeMS int64  `json:"age_ms" doc:"Milliseconds since it was loaded"`
}

func cachedFrom(s document.Stats) cached {
	c := cached{
		Entries: s.Entries, Bytes: s.Bytes, Budget: s.Budget, Hits: s.Hits, Misses: s.Misses, Evictions: s.Evictions,
		HitRatio: s.HitRatio, Abandoned: s.Abandoned, Restarts: s.Restarts, Lost: s.Lost, Documents: make([]cachedDocument, len(s.Documents)),
	}
	for i, d := range s.Documents {
		c.Documents[i] = cachedDocument{Path: d.Path, Kind: d.Kind, Bytes: d.Bytes, Hits: d.Hits, AgeMS: d.Age.Milliseconds()}
	}
	return c
}

// Text shows the totals, then a line for each document.
func (c cached) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Document Cache:\n  Entries: %s\n  Memory: %s of %s\n  Hits: %s (%.0f%%)\n  Misses: %s\n  Evictions: %s",
		plain.Thousands(int64(c.Entries)), memorySize(c.Bytes), memorySize(c.Budget), plain.Thousands(c.Hits), 100*c.HitRatio,
		plain.Thousands(c.Misses), plain.Thousands(c.Evictions))
	if c.Abandoned > 0 {
		fmt.Fprintf(&b, "\n  Given up, still at work: %s", plain.Count(c.Abandoned, "request"))
	}
	if c.Restarts > 0 {
		fmt.Fprintf(&b, "\n  Restarts of its process: %s, %s of them with the loss of the cache", plain.Thousands(int64(c.Restarts)), plain.Thousands(int64(c.Lost)))
	}
	if len(c.Documents) > 0 {
		b.WriteString("\n")
	}
	if left := c.Entries - len(c.Documents); left > 0 {
		fmt.Fprintf(&b, "\nThe largest entries, and %s more:", plain.Thousands(int64(left)))
	}
	for _, d := range c.Documents {
		age := (time.Duration(d.AgeMS) * time.Millisecond).Round(time.Second)
		fmt.Fprintf(&b, "\n%s (%s, %s, %s, loaded %v ago)", plain.Line(d.Path), d.Kind, memorySize(d.Bytes), plain.Count(int(d.Hits), "hit"), age)
	}
	return b.String()
}

// memorySize formats a number of bytes.
func memorySize(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

// preloaded is the answer of preload_documents.
type preloaded struct {
	Loaded    int                 `json:"loaded" doc:"Documents that are in the cache now"`
	Failed    int                 `json:"failed"`
	Documents []preloadedDocument `json:"documents" doc:"Outcomes, 1000 at most, in the order asked for; of more, those that failed come first"`
	Unlisted  int                 `json:"unlisted,omitzero" doc:"Documents that are not listed"`
}

// maxPreloaded is the maximum number of outcomes in an answer.
const maxPreloaded = 1000

// A preloadedDocument is the outcome for one document.
type preloadedDocument struct {
	Path   string `json:"path"`
	Status string `json:"status" doc:"loaded, cached (it was there already) or failed"`
	Bytes  int64  `json:"bytes,omitempty" doc:"Memory that it takes, as estimated"`
	TookMS int64  `json:"took_ms,omitempty"`
	Error  string `json:"error,omitempty" doc:"Why it could not be loaded"`
}

func preloadedFrom(reports []document.PreloadReport) preloaded {
	p := preloaded{}
	for _, r := range reports {
		if r.Err != nil {
			p.Failed++
		}
	}
	p.Loaded = len(reports) - p.Failed
	if len(reports) > maxPreloaded {
		p.Unlisted = len(reports) - maxPreloaded
		reports = slices.Clone(reports)
		slices.SortStableFunc(reports, func(a, b document.PreloadReport) int { return cmp.Compare(rank(a), rank(b)) })
		reports = reports[:maxPreloaded]
	}
	p.Documents = make([]preloadedDocument, len(reports))
	for i, r := range reports {
		p.Documents[i] = preloadedDocument{Path: r.Path, Bytes: r.Bytes, TookMS: r.Took.Milliseconds(), Status: statusOf(r)}
		if r.Err != nil {
			p.Documents[i].Error = r.Err.Error()
		}
	}
	return p
}

// rank sorts documents that failed before the others.
func rank(r document.PreloadReport) int {
	if r.Err != nil {
		return 0
	}
	return 1
}

func statusOf(r document.PreloadReport) string {
	switch {
	case r.Err != nil:
		return "failed"
	case r.Cached:
		return "cached"
	}
	return "loaded"
}

// Text is a line for each document.
func (p preloaded) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Preloaded %s of %s:\n", plain.Thousands(int64(p.Loaded)), plain.Count(p.Loaded+p.Failed, "document"))
	for i, d := range p.Documents {
		fmt.Fprintf(&b, "\n%d. %s - %s", i+1, plain.Line(d.Path), d.text())
	}
	if p.Unlisted > 0 {
		fmt.Fprintf(&b, "\n… and %s more", plain.Thousands(int64(p.Unlisted)))
	}
	return b.String()
}

func (d preloadedDocument) text() string {
	switch d.Status {
	case "failed":
		return "failed: " + plain.Line(d.Error)
	case "cached":
		return "already in the cache (" + memorySize(d.Bytes) + ")"
	}
	return fmt.Sprintf("loaded (%s, %d ms)", memorySize(d.Bytes), d.TookMS)
}
