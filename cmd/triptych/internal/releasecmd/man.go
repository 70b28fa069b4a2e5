package releasecmd

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
)

// ManCommand returns the row of triptych man, which prints the pages of a table.
func ManCommand(a *app.App, table func() command.Command) command.Command {
	var folder string
	return command.Command{
		Name:  "man",
		Short: "print the man page",
		Long: "The pages are made from the same tables as the help. With --folder all are written:\n" +
			"triptych(1), a page for each command, and triptych-settings(5).",
		Example: "triptych man | man -l -\n" +
			"triptych man --folder ~/.local/share/man",
		Flags: func(set *pflag.FlagSet) {
			set.StringVar(&folder, "folder", "", "write all pages into man1/ and man5/ of this `folder`")
		},
		Run: func(context.Context, []string) error {
			if folder != "" {
				return writeManPages(folder, ManPages(table(), a.Families))
			}
			_, err := io.WriteString(a.Out, overviewPage(table(), a.Families))
			return err
		},
	}
}

// overviewPage is triptych(1).
func overviewPage(root command.Command, families []app.Family) string {
	var p page
	p.title("triptych", 1, root.Short)
	p.section("SYNOPSIS")
	p.line(`\fBtriptych\fR \fICOMMAND\fR [\fIARGUMENT\fR ...] [\fB\-\-flag\fR ...]`)
	p.section("DESCRIPTION")
	p.text(root.Long)
	p.section("COMMANDS")
	p.line("Each has a page: triptych\\-rulesets(1) and so on.")
	for _, c := range root.Sub {
		if !c.Hidden {
			p.entry(c.Name, command.Sentence(c.Short))
		}
	}
	p.section("FAMILIES")
	for _, f := range families {
		p.entry(f.Name, command.Sentence(f.About))
	}
	p.section("EXIT STATUS")
	p.items(exitStatus)
	p.section("FILES")
	p.items(files)
	p.section("SEE ALSO")
	p.line(`.BR triptych\-settings (5)`)
	return p.String()
}

// A page is roff text that grows, in man(7) macros.
type page struct {
	strings.Builder
	entries bool // whether the macro of entries is defined
}

func (p *page) line(roff string) { p.WriteString(roff + "\n") }

// title begins a page.
func (p *page) title(name string, section int, short string) {
	p.line(fmt.Sprintf(`.TH %s %d "" "triptych"`, roffText(strings.ToUpper(name)), section))
	p.section("NAME")
	p.line(roffText(name) + ` \- ` + roffText(short))
}

func (p *page) section(title string) { p.line(".SH " + title) }

// text writes paragraphs, each on a line; blank lines part them. Lines that are indented
// stay lines.
func (p *page) text(plain string) {
	for i, paragraph := range strings.Split(strings.TrimSpace(plain), "\n\n") {
		if i > 0 {
			p.line(".P")
		}
		if strings.HasPrefix(paragraph, " ") {
			p.example(paragraph)
			p.line(".fi")
			continue
		}
		p.line(roffText(strings.ReplaceAll(paragraph, "\n", " ")))
	}
}

// example writes lines as they are, up to the next heading.
func (p *page) example(text string) {
	if text == "" {
		return
	}
	p.line(".sp\n.nf")
	for line := range strings.SplitSeq(text, "\n") {
		p.line(roffText("  " + strings.TrimSpace(line)))
	}
}

// entry writes a term and its meaning.
func (p *page) entry(term, text string) {
	if !p.entries {
		p.line(".de F\n.IP \"\\\\$1\" 4\n\\\\$2\n..")
		p.entries = true
	}
	p.line(`.F "` + roffText(term) + `" "` + roffText(text) + `"`)
}

func (p *page) items(items []command.Item) {
	for _, it := range items {
		p.entry(it.Term, it.Text)
	}
}

// roffText makes plain text safe for roff: no escapes, no accidental macros or ends of an
// argument, hyphens that can be copied.
func roffText(plain string) string {
	safe := strings.NewReplacer(`\`, `\e`, `-`, `\-`, "…", `\[u2026]`, `"`, `\(dq`).Replace(plain)
	if strings.HasPrefix(safe, ".") || strings.HasPrefix(safe, "'") {
		safe = `\&` + safe
	}
	return safe
}

var exitStatus = []command.Item{
	{Term: "0", Text: "The work is done."},
	{Term: "1", Text: "It failed; standard error says what."},
	{Term: "2", Text: "The command line is wrong: an unknown command or flag, or a bad argument."},
}

var files = []command.Item{
	{Term: "$XDG_DATA_HOME/triptych", Text: "The data folder, ~/.local/share/triptych when XDG_DATA_HOME is not set."},
	{Term: "rulesets/NAME.md", Text: "One ruleset: YAML front matter and Markdown. May be edited by hand and kept in git."},
	{Term: "aoc/instructions/Day01_phase1.md", Text: "A puzzle. dayXX.json is read too."},
	{Term: "aoc/speeds/day01.json", Text: "The recorded solving speeds of a day."},
	{Term: "traces/", Text: "What debugger/export_trace has written."},
	{Term: "source-index/", Text: "What find_similar_bugs has read, with --projects-index."},
	{Term: "recording-index/", Text: "What was found in recordings; at most 256 MiB."},
	{Term: "keys/, quota/, audit/, tls/", Text: "Keys, what they have used, the audit trail and the certificate of triptych serve."},
}
