package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"
	"time"

	"github.com/triptych-mcp/triptych/conformance/bench/figures"
)

// page is the name of the page in the folder of documents, and prefix what the
// names of its plots begin with.
const (
	page   = "performance.md"
	prefix = "performance-"
)

// A chapter is one table of the page.
type chapter struct{ Part, Title, Text, Who string }

// limits is the chapter of what does no work; its rows are no goals of ours.
const limits = "limits"

// chapters are the tables, without their rows.
var chapters = []chapter{
	{Part: "stdio", Title: "Over standard input and output", Text: `Ours is the tool ` + "`echo`" + ` over the project's packages
(` + "`conformance/bench/load/echo`" + `), as the peers have it over theirs. The ceiling is no server: it
looks for the id and the text by their names, copies them and checks nothing.
The last rows are the whole program beside a server of the Go SDK with the same
tools, which do nothing there, and beside the ceiling, which has their list at hand.`},
	{Part: "https", Title: "Over HTTPS", Text: `TLS 1.3, HTTP/1.1, connections that are kept, one request at a time on each.
*echo* is the same tool over the project's packages, *get_ruleset* is the tool of
` + "`triptych serve`" + ` with all families. Both look up a bearer key, count a quota that
does not bite, and write an audit record before the answer is sent, which is on disk
within a second. The peers and the bare handler of net/http do nothing of the kind,
and the bare handler with a line on disk has it there before its answer. The Go SDK
is stateless and answers JSON, mcp-go has sessions.`},
	{Part: "trail", Title: "The audit trail and the fast path", Text: `The whole program beside itself with other flags. Look-ups are on disk within a
second by default, before their answer with ` + "`--audit-sync always`" + `, and leave no record
with ` + "`--no-audit`" + `. With ` + "`--no-http1-fast-path`" + ` all of HTTP/1.1 is net/http's. record_speed
is a change: the recorded time and its audit record are on disk before the answer.`},
	{Part: limits, Who: "the limit", Title: "What this machine allows", Text: `How the goals look to programs that do no work: over the pipe the ceiling, over
HTTPS the bare handler of net/http with nothing but one line a request on disk
before its answer, those who wait sharing a write and a sync. Where these do not
reach a goal, no server that keeps its promises does, here.`},
	{Part: "start", Title: "Start, memory, file", Text: `The whole program with all families beside a server of the Go SDK that has the
same tools and does nothing in them; *one tool* is an echo over our packages beside
one over the Go SDK. Under load is sixteen ` + "`tools/list`" + ` at a time. Pages of files are
mostly the program's, which all its processes share. Program files are not stripped.`},
	{Part: "wire", Title: "JSON-RPC", Text: `The package jsonrpc beside go.lsp.dev/jsonrpc2, which was written for few
allocations, in the cases of its own benchmark. Figures are ratios of times: less is
better. Of the time of a round trip, some 70 % is net.Pipe handing bytes to the other
goroutine, twice, which both have in common; 8 % is decoding, and what is left is
locks, the outbox and the id of the call. Of the time of decoding, half is the check
of every byte, which go.lsp.dev/jsonrpc2 leaves out: it takes 143 invalid texts of the
public parsing suite, ours none. The other half is the one allocation of 112 bytes,
with what the collector of garbage does for it, and the name of the method.`},
	{Part: "stores", Title: "Stores", Text: `Calls of tools in one process, without a transport, beside the least that such a call
must do. Figures are ratios of times: less is better.`},
}

// text is the page.
const text = `# Performance

Made by ` + "`make bench-peers`" + `{{if .Machine.Quick}} in its quick form, whose figures are rough{{end}}, in {{.Minutes}}, on {{.Machine.Date}} at {{.Machine.Commit}}:
{{.Machine.CPU}}, {{.Machine.Cores}} cores, {{.Machine.Memory}} of memory, Linux {{.Machine.Kernel}}, {{.Machine.Go}},
{{.Versions}}.
The load average at the beginning was {{.Machine.Load}}; above one, other programs
were measured as well.

Servers and driver share the machine and take turns, round after round; what is
compared is the median of the ratios of each round. Every first answer is decoded
and compared, every other one must have the right id and length. CPU is the
server's own time for one request, of ours and of the other: on a busy machine it
is the steadier number. Goals were set before measuring; {{.Met}} of {{.Goals}} are met.
Rows without a goal are there to compare.
{{range .Chapters}}
## {{.Title}}

{{.Text}}

| what | {{.Who}} | beside | | times | goal | met | CPU {{.Who}} / theirs |
| --- | ---: | --- | ---: | ---: | ---: | --- | ---: |
{{range .Rows}}| {{.What}} | {{.Ours}} | {{.Against}} | {{.Theirs}} | {{times .Measure}} | {{goal .}} | {{verdict .}} | {{.CPU}} |
{{end}}{{end}}
## How cost grows

{{range .Plots}}![{{.Title}}]({{file .}})
{{if .Remark}}
{{.Remark}}
{{end}}
{{end}}## What things cost

| what | cost |
| --- | --- |
{{range .Costs}}| {{.What}} | {{.Value}} |
{{end}}
## Soak

{{.Soak}}
`

// soakBegins and soakEnds stand around what a soak has written, which a new page
// keeps.
const (
	soakBegins = "<!-- made by make soak -->"
	soakEnds   = "<!-- end of what make soak has made -->"
)

// write writes the page and its plots into the folder of documents.
func (r *report) write(docs string) error {
	for i := range r.Plots {
		if err := r.Plots[i].save(docs); err != nil {
			return err
		}
	}
	t, err := template.New(page).Funcs(template.FuncMap{
		"times": figures.Times, "goal": (*row).goal, "verdict": (*row).verdict,
		"file": func(p plot) string { return prefix + p.File },
	}).Parse(text)
	if err != nil {
		return err
	}
	var b strings.Builder
	if err := t.Execute(&b, r.fill(kept(docs))); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(docs, page), []byte(b.String()), 0o644)
}

// A filled report holds the contents of the page.
type filled struct {
	*report
	Minutes, Versions, Soak string
	Met, Goals              int
	Chapters                []filledChapter
}

type filledChapter struct {
	chapter
	Rows []*row
}

func (r *report) fill(soak string) *filled {
	f := &filled{
		report: r, Soak: soak, Versions: strings.Join(r.Machine.Versions, ", "),
		Minutes: r.Took.Round(time.Second).String(),
	}
	for _, c := range chapters {
		done := filledChapter{chapter: c}
		done.Who = cmp.Or(c.Who, ours)
		for i := range r.Rows {
			if row := &r.Rows[i]; row.Part == c.Part {
				done.Rows = append(done.Rows, row)
			}
		}
		f.Chapters = append(f.Chapters, done)
	}
	for i := range r.Rows {
		if row := &r.Rows[i]; row.Goal != 0 && row.Part != limits {
			f.Goals++
			if row.met() {
				f.Met++
			}
		}
	}
	return f
}

// kept returns the part of the page that a soak test wrote, with its markers.
func kept(docs string) string {
	old := contents(filepath.Join(docs, page))
	if _, rest, ok := strings.Cut(old, soakBegins); ok {
		if part, _, ok := strings.Cut(rest, soakEnds); ok {
			return soakBegins + part + soakEnds
		}
	}
	return fmt.Sprintf("%s\nNone was made yet: `make soak` takes half an hour.\n%s", soakBegins, soakEnds)
}
