package releasecmd

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
)

// ManCommand returns the row of triptych man, which prints the pages of a table.
func ManCommand(a *app.App, table func() app.Command) app.Command {
	return commands{a}.manCommand(table)
}

func (a commands) manCommand(table func() app.Command) app.Command {
	var folder string
	return app.Command{
		Name:  "man",
		Short: "print the man page",
		Long: "The page is made from the same table as the help. With --folder it is written\n" +
			"there as triptych.1, beside a page for each command. To install them:",
		Example: "triptych man --folder ~/.local/share/man/man1\n" +
			"triptych man | man -l -",
		Flags: func(set *pflag.FlagSet) {
			set.StringVar(&folder, "folder", "", "write the page and one for each command into this `folder`")
		},
		Run: func(context.Context, []string) error {
			if folder != "" {
				return writeManPages(folder, manPages(table(), a.Families))
			}
			_, err := io.WriteString(a.Out, ManPage(table(), a.Families))
			return err
		},
	}
}

// ManPage is the whole man page in roff, man(7) macros.
func ManPage(root app.Command, families []app.Family) string {
	var p page
	p.line(`.TH TRIPTYCH 1 "" "triptych" "User Commands"`)
	p.section("NAME")
	p.text("triptych - " + root.Short)
	p.section("SYNOPSIS")
	p.line(".B triptych")
	p.line(`\fICOMMAND\fR [\fIARGUMENT\fR ...] [\fB\-\-flag\fR ...]`)
	p.section("DESCRIPTION")
	p.text(root.Long)
	p.section("COMMANDS")
	for _, c := range root.Sub {
		p.command("triptych", c)
	}
	p.families(families)
	for _, s := range manSections {
		p.section(s.title)
		p.items(s.items)
	}
	return p.String()
}

// A page is roff text that grows.
type page struct{ strings.Builder }

func (p *page) line(roff string) { p.WriteString(roff + "\n") }

func (p *page) section(title string) { p.line(".SH " + title) }

// text writes paragraphs; blank lines part them.
func (p *page) text(plain string) {
	for i, paragraph := range strings.Split(strings.TrimSpace(plain), "\n\n") {
		if i > 0 {
			p.line(".PP")
		}
		for line := range strings.SplitSeq(paragraph, "\n") {
			p.line(roffText(line))
		}
	}
}

// command writes a row and those below it.
func (p *page) command(path string, c app.Command) {
	path += " " + c.Name
	if c.Run != nil && !c.Hidden {
		p.line(".SS " + roffText(strings.TrimSpace(path+" "+c.Args)))
		p.text(app.Sentence(c.Short) + "\n\n" + c.Long)
		p.flags(c)
		p.example(c.Example)
	}
	for _, sub := range c.Sub {
		p.command(path, sub)
	}
}

func (p *page) flags(c app.Command) {
	if c.Flags == nil {
		return
	}
	set := pflag.NewFlagSet(c.Name, pflag.ContinueOnError)
	set.SortFlags = false
	c.Flags(set)
	set.VisitAll(func(f *pflag.Flag) {
		value, usage := pflag.UnquoteUsage(f)
		p.line(".TP")
		p.line(strings.TrimSpace(`\fB` + roffText("--"+f.Name) + `\fR ` + roffArg(value)))
		if f.Shorthand != "" {
			usage += fmt.Sprintf(" (short: -%s)", f.Shorthand)
		}
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "[]" && f.DefValue != "0" {
			usage += fmt.Sprintf(" (default: %s)", f.DefValue)
		}
		p.line(roffText(usage))
	})
}

func (p *page) example(text string) {
	if text == "" {
		return
	}
	p.line(".PP")
	p.line(".RS 4")
	p.line(".nf")
	for line := range strings.SplitSeq(text, "\n") {
		p.line(roffText(line))
	}
	p.line(".fi")
	p.line(".RE")
}

func (p *page) families(all []app.Family) {
	p.section("FAMILIES")
	items := make([]manItem, len(all))
	for i, f := range all {
		items[i] = manItem{f.Name, app.Sentence(f.About)}
	}
	p.items(items)
}

func (p *page) items(items []manItem) {
	for _, it := range items {
		p.line(".TP")
		p.line(`.B ` + roffText(it.term))
		p.line(roffText(it.text))
	}
}

// roffText makes plain text safe for roff: no escapes, no accidental macros,
// hyphens that can be copied.
func roffText(plain string) string {
	safe := strings.NewReplacer(`\`, `\e`, `-`, `\-`, "…", `\[u2026]`).Replace(plain)
	if strings.HasPrefix(safe, ".") || strings.HasPrefix(safe, "'") {
		safe = `\&` + safe
	}
	return safe
}

func roffArg(value string) string {
	if value == "" {
		return ""
	}
	return `\fI` + roffText(value) + `\fR`
}

type manItem struct{ term, text string }

// manSections are the sections that no row of a command has.
var manSections = []struct {
	title string
	items []manItem
}{
	{"EXIT STATUS", []manItem{
		{"0", "The work is done."},
		{"1", "It failed; standard error says what."},
		{"2", "The command line is wrong: an unknown command or flag, or a bad argument."},
	}},
	{"ENVIRONMENT", []manItem{
		{"TRIPTYCH_CONFIG", "The configuration file of a server, as --config."},
		{"TRIPTYCH_DATA", "The data folder."},
		{"TRIPTYCH_FAMILIES", "The families to serve, parted by commas."},
		{"TRIPTYCH_TOOLSETS, TRIPTYCH_TOOLS, TRIPTYCH_READ_ONLY", "The tools to serve, as --toolsets, --tools and --read-only."},
		{"TRIPTYCH_OUTPUT_SCHEMAS", "Who is shown the schemas of structured answers: auto, always or never."},
		{"TRIPTYCH_TOOL_NAMES", "How tools are listed: documented or portable."},
		{"TRIPTYCH_AUDIT_SYNC", "When the audit records of look-ups are synced: second or always."},
		{"TRIPTYCH_AUDIT_KEEP, TRIPTYCH_AUDIT_SIZE", "The age and the size beyond which audit records are deleted, as --audit-keep and --audit-size."},
		{"TRIPTYCH_STORE", "The store, as --store."},
		{"TRIPTYCH_STORE_PREFIX", "The text that the names of all keys in a server begin with, as --store-prefix."},
		{"TRIPTYCH_PEER_URL", "The URL of this server for the others of its store, as --peer-url."},
		{"TRIPTYCH_SERVER_NAME", "The server's name among those of a store, as --server-name."},
		{"TRIPTYCH_SCAN", "What happens to rulesets with hidden text or secrets when they are written, as --scan."},
		{"TRIPTYCH_LABEL", "The label whose revisions of rulesets are served, as --label."},
		{"TRIPTYCH_PROTECTED_LABELS, TRIPTYCH_IMMUTABLE_LABELS, TRIPTYCH_REVIEWED_LABELS", "The labels of rulesets that not everybody moves, as --protected-labels, --immutable-labels and --reviewed-labels."},
		{"TRIPTYCH_WEBHOOK, TRIPTYCH_WEBHOOK_FILE", "The URL of --webhook, or a file that has it: unlike a flag, it is not shown to other users of the machine."},
		{"TRIPTYCH_WEBHOOK_SECRET", "The secret that signs the messages of --webhook."},
		{"TRIPTYCH_AOC_DIR", "Where puzzles and speeds are, as --aoc-dir."},
		{"TRIPTYCH_AOC_YEAR", "The year of calls that name none, as --aoc-year."},
		{"TRIPTYCH_AOC_SUBMIT", "Let clients submit answers if 1, as --aoc-submit."},
		{"TRIPTYCH_AOC_URL", "The site to use instead of https://adventofcode.com."},
		{"AOC_SESSION", "The session cookie of that site."},
		{"TRIPTYCH_ATTACH, TRIPTYCH_NO_LAUNCH, TRIPTYCH_NO_WRITE, TRIPTYCH_ALLOW_CALLS", "What the debugger may do, as --attach, --no-launch, --no-write and --allow-calls."},
		{"TRIPTYCH_NO_TRANSLATE", "Record processes that are debugged instruction by instruction, as --no-translate."},
		{"TRIPTYCH_MASK_SECRETS", "Whether secrets are masked in the debugger's answers, as --mask-secrets."},
		{"TRIPTYCH_DEBUG_MEMORY, TRIPTYCH_HISTORY_MEMORY, TRIPTYCH_HISTORY_FILE, TRIPTYCH_DEBUG_IDLE, TRIPTYCH_MAX_STOP, TRIPTYCH_SEARCH_TIME, TRIPTYCH_SEARCH_HOUR", "How much and how long, as the flags of these names."},
		{"TRIPTYCH_DEBUGINFOD, DEBUGINFOD_URLS", "Whether servers are asked for debug information, as --debuginfod, and which."},
		{"TRIPTYCH_DOCUMENTS, TRIPTYCH_PROJECTS, TRIPTYCH_TRACES", "Folders whose files may be read, separated as in PATH, as --documents, --projects and --traces."},
		{"TRIPTYCH_URL, TRIPTYCH_KEY", "The server that triptych call and tools ask, and the key they show it."},
		{"TRIPTYCH_DEFAULT_PLAN", "The plan of keys that are made without --plan: free, developer or team; no limits by default."},
		{"TRIPTYCH_OIDC_ISSUER, TRIPTYCH_OIDC_AUDIENCE, TRIPTYCH_OIDC_RESOURCE, TRIPTYCH_OIDC_PLAN", "Access tokens, as the flags of triptych serve."},
		{"VALKEY_HOST, VALKEY_PORT", "Either one set keeps rulesets, keys, quotas and the audit trail in Valkey or Redis at that address."},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "Where traces and metrics are sent, as --otlp; the other variables of OpenTelemetry hold, too."},
		{"AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN", "The credentials of audit export --to-s3."},
		{"AWS_REGION, AWS_ENDPOINT_URL, AWS_CA_BUNDLE", "Where the bucket of audit export --to-s3 is, and a file of authorities to trust."},
		{"LOG_LEVEL", "debug, info, warn or error."},
		{"LOG_FORMAT", "text or json."},
		{"XDG_DATA_HOME", "Where the data folder is by default."},
		{"VISUAL, EDITOR", "The editor of rulesets edit."},
	}},
	{"FILES", []manItem{
		{"$XDG_DATA_HOME/triptych", "The data folder, ~/.local/share/triptych when XDG_DATA_HOME is not set."},
		{"rulesets/NAME.md", "One ruleset: YAML front matter and Markdown. May be edited by hand and kept in git."},
		{"aoc/instructions/Day01_phase1.md", "A puzzle. dayXX.json is read too."},
		{"aoc/speeds/day01.json", "The recorded solving speeds of a day."},
		{"traces/", "What debugger/export_trace has written."},
		{"recording-index/", "What was found in recordings; at most 256 MiB."},
		{"source-index/", "What find_similar_bugs has read, with --projects-index."},
		{"keys/, quota/, audit/, tls/", "Keys, what they have used, the audit trail and the certificate of triptych serve."},
	}},
}
