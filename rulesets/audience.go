package rulesets

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/rulesets/consumers"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/rulesets/webhook"
)

// setConsumers is the toolset for consumers and their revisions.
const setConsumers = "consumers"

// An audience records and lists the consumers of rulesets. A nil audience records
// nothing.
type audience struct {
	book   consumers.Book
	newest consumers.Newest
	names  NameSource
	bound  ruleset.Label // label of the server, for keys and reports without one
}

// rows returns the tools for consumers.
func (a *audience) rows() []mcp.Tool {
	return []mcp.Tool{
		{
			Name: "report_rulesets", Title: "Report rulesets in use", Scope: scopeRead, Hints: mcp.Idempotent, Extension: true, Toolset: setConsumers,
			Doc:  "Record which revisions a project has; for programs, not for models",
			Call: mcp.Typed(a.report),
		},
		{
			Name: "ruleset_consumers", Title: "Who has which revision", Scope: scopeAdmin, Hints: mcp.ReadOnly, Extension: true, Toolset: setConsumers,
			Doc:  "List the projects and clients that read rulesets, and who is behind",
			Call: mcp.Typed(a.standings),
		},
	}
}

type reportArgs struct {
	Project  string   `json:"project" doc:"Its name or a hash, not a path"`
	Clients  []string `json:"clients" doc:"Such as cursor"`
	Rulesets []string `json:"rulesets" doc:"All that it has, each NAME@REVISION"`
	Label    string   `json:"label,omitzero" doc:"Of the revisions that it pulls"`
}

// A reported is the answer of a report.
type reported struct {
	Rulesets int `json:"rulesets"`
	Behind   int `json:"behind"`
}

func (r reported) Text() string {
	return fmt.Sprintf("recorded %d rulesets, of which %d have a newer revision", r.Rulesets, r.Behind)
}

func (a *audience) report(ctx context.Context, call *mcp.Call, args reportArgs) (reported, error) {
	revs, err := revisionsOf(args.Rulesets)
	if err != nil {
		return reported{}, mcp.ToolError(err)
	}
	if args.Project == "" || len(args.Clients) == 0 {
		return reported{}, mcp.ToolError(errors.New("a project and its clients must be named"))
	}
	r := consumers.Report{Project: args.Project, Key: call.Caller().Principal.ID, Rulesets: revs}
	if label := cmp.Or(args.Label, call.Caller().Principal.Label, string(a.bound)); label != "" {
		if r.Label, err = ruleset.ParseLabel(label); err != nil {
			return reported{}, mcp.ToolError(err)
		}
	}
	for _, r.Client = range args.Clients {
		if err := a.book.Report(ctx, r); err != nil {
			return reported{}, mcp.ToolError(err)
		}
	}
	standings, err := consumers.Standings(ctx, a.newest, []consumers.Consumer{{Label: r.Label, Rulesets: revs}})
	answer := reported{Rulesets: len(revs)}
	for _, s := range standings {
		if s.Behind() {
			answer.Behind++
		}
	}
	return answer, err
}

// revisionsOf parses words such as go_style@5.
func revisionsOf(words []string) (map[ruleset.Name]int, error) {
	revs := map[ruleset.Name]int{}
	for _, word := range words {
		name, rev, _ := strings.Cut(word, "@")
		parsed, err := ruleset.ParseName(name)
		if err != nil {
			return nil, err
		}
		if revs[parsed], err = strconv.Atoi(rev); err != nil || revs[parsed] < 1 {
			return nil, fmt.Errorf("%q is not NAME@REVISION", word)
		}
	}
	return revs, nil
}

type standingsArgs struct {
	Behind  bool   `json:"behind,omitzero" doc:"Only those with an older revision"`
	Ruleset string `json:"ruleset,omitzero"`
}

// A standingList is the answer of ruleset_consumers.
type standingList struct {
	Consumers []consumers.Standing `json:"consumers"`
}

func (l standingList) Text() string {
	var b strings.Builder
	for _, s := range l.Consumers {
		who := s.Project
		if who == "" {
			who = "key " + cmp.Or(s.KeyName, s.Key)
		}
		fmt.Fprintf(&b, "%s (%s): %s@%d", who, s.Client, s.Name, s.Rev)
		switch {
		case s.Newest == 0 && s.Label != "":
			fmt.Fprintf(&b, ", without the label %s now", s.Label)
		case s.Newest == 0:
			b.WriteString(", deleted since")
		case s.Behind():
			fmt.Fprintf(&b, ", %s is %d since %s", cmp.Or(string(s.Label), "newest"), s.Newest, s.Since.Format(time.RFC3339))
		}
		b.WriteByte('\n')
	}
	if b.Len() == 0 {
		return "no consumers"
	}
	return b.String()
}

func (a *audience) standings(ctx context.Context, _ *mcp.Call, args standingsArgs) (standingList, error) {
	all, err := a.Standings(ctx)
	if err != nil {
		return standingList{}, err
	}
	list := standingList{Consumers: []consumers.Standing{}}
	for _, s := range all {
		if (!args.Behind || s.Behind()) && (args.Ruleset == "" || args.Ruleset == string(s.Name)) {
			list.Consumers = append(list.Consumers, s)
		}
	}
	return list, nil
}

// Standings returns the revisions of all consumers compared with the store.
func (a *audience) Standings(ctx context.Context) ([]consumers.Standing, error) {
	all, err := a.book.All(ctx)
	if err != nil {
		return nil, err
	}
	standings, err := consumers.Standings(ctx, a.newest, all)
	ids := make([]string, len(standings))
	for i := range standings {
		ids[i] = standings[i].Key
	}
	known := a.names.of(ctx, ids)
	for i := range standings {
		standings[i].KeyName = known[standings[i].Key]
	}
	return standings, err
}

// read records that a client read rulesets, at a label unless it is "". If the
// record cannot be written, the answer is sent nevertheless.
func (a *audience) read(ctx context.Context, call *mcp.Call, label ruleset.Label, all ...ruleset.Ruleset) {
	if a == nil || len(all) == 0 {
		return
	}
	revs := make(map[ruleset.Name]int, len(all))
	for _, r := range all {
		revs[r.Name] = r.Rev
	}
	client := clientOf(call.ClientName())
	if client == programName {
		return // the program itself reports what it wrote, not what it read
	}
	err := a.book.Report(ctx, consumers.Report{
		Client: client, Key: call.Caller().Principal.ID, Label: label, Rulesets: revs, Adds: true,
	})
	if err != nil {
		call.Logger().Warn("recording a consumer", "error", err)
	}
}

// programName is the client name of this program.
const programName = "triptych"

// clientOf returns the name of a client without its version, in the form of a
// record of consumers.
func clientOf(name string) string {
	if i := strings.LastIndexByte(name, ' '); i > 0 {
		name = name[:i]
	}
	clean := strings.Map(func(r rune) rune {
		if r < ' ' || r == '/' || r == '\\' || r == 0x7f {
			return '_'
		}
		return r
	}, name)
	if len(clean) > 64 {
		clean = strings.ToValidUTF8(clean[:64], "")
	}
	if clean == "" {
		return "unknown"
	}
	return clean
}

// Lag summarizes outdated consumers for metrics. ok is false if consumers are not
// recorded.
func (c *Config) Lag(ctx context.Context) (lag consumers.Lag, ok bool, err error) {
	if c.audience == nil {
		return lag, false, nil
	}
	all, err := c.audience.Standings(ctx)
	return consumers.LagOf(all, c.now()), true, err
}

// maxWebhookFile bounds the file of TRIPTYCH_WEBHOOK_FILE, in bytes.
const maxWebhookFile = 8 << 10

// webhookURL returns the URL of the webhook, "" for none: that of the flag, of
// TRIPTYCH_WEBHOOK, or the text of the file that TRIPTYCH_WEBHOOK_FILE names. A URL may hold a
// secret, and a flag is shown to all users of the machine.
func (c *Config) webhookURL(env host.Env) (string, error) {
	if c.Webhook != "" || env.Getenv == nil {
		return c.Webhook, nil
	}
	if text := env.Getenv("TRIPTYCH_WEBHOOK"); text != "" {
		return text, nil
	}
	name := env.Getenv("TRIPTYCH_WEBHOOK_FILE")
	if name == "" {
		return "", nil
	}
	f, err := os.Open(name)
	if err != nil {
		return "", fmt.Errorf("TRIPTYCH_WEBHOOK_FILE: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(f, maxWebhookFile))
	if err != nil {
		return "", fmt.Errorf("TRIPTYCH_WEBHOOK_FILE: %w", err)
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return "", fmt.Errorf("TRIPTYCH_WEBHOOK_FILE: %s is empty", name)
	}
	return string(bytes.TrimSpace(text)), nil
}

// hook returns the configured webhook, or nil.
func (c *Config) hook(ctx context.Context, env host.Env, store ruleset.Store) (*webhook.Hook, error) {
	text, err := c.webhookURL(env)
	if text == "" || err != nil {
		return nil, err
	}
	target, err := url.Parse(text)
	if err != nil || target.Host == "" || target.Scheme != "https" && target.Scheme != "http" {
		return nil, errors.New("--webhook is no URL such as https://ci.example.com/hooks/rules")
	}
	secret := ""
	if env.Getenv != nil {
		secret = env.Getenv("TRIPTYCH_WEBHOOK_SECRET")
	}
	format, err := webhook.ParseFormat(c.WebhookFormat, target.Hostname())
	if err != nil {
		return nil, err
	}
	if len(secret) < minSecret && (secret != "" || format == webhook.JSON) {
		return nil, fmt.Errorf("--webhook needs TRIPTYCH_WEBHOOK_SECRET, at least %d characters, which signs its messages", minSecret)
	}
	record, err := openHookRecord(ctx, env, text)
	if err != nil {
		return nil, err
	}
	return &webhook.Hook{
		URL: text, Secret: []byte(secret), Record: record, Store: store, Names: env.Names, Logger: env.Logger,
		Format: format, Console: strings.TrimSuffix(c.WebhookConsole, "/"), Describe: describeProposal,
	}, nil
}

// openHookRecord opens the record of the notifications sent to a URL: on the
// server of the store, so that one of the servers that share it sends them, or
// else in the data folder.
func openHookRecord(ctx context.Context, env host.Env, target string) (webhook.Record, error) {
	onServer, url, err := storeServer(env)
	if err != nil {
		return nil, err
	}
	file := webhook.OpenFile(filepath.Join(env.Data, "webhook.json"))
	if !onServer {
		return file, nil
	}
	record, err := webhook.OpenValkey(ctx, url, env.StorePrefix, target, env.Logger)
	if err != nil {
		return nil, err
	}
	return webhook.Inherit(record, file), nil
}

// minSecret is the minimum length of a webhook's secret.
const minSecret = 16

// withHook makes a table run a webhook together with its own watch, and close its
// record.
func withHook(table *mcp.Table, hook *webhook.Hook) {
	watch, closeRest := table.Watch, table.Close
	table.Close = func() error { return errors.Join(hook.Record.Close(), closeRest()) }
	table.Watch = func(ctx context.Context, changes mcp.Changes) error {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		delivering := make(chan error, 1)
		go func() {
			err := hook.Run(ctx)
			if err != nil && ctx.Err() == nil {
				hook.Logger.Error("webhook: it has stopped, no more messages are sent", "error", err)
			}
			delivering <- err
		}()
		err := watch(ctx, changes)
		stop()
		return errors.Join(err, ignoreCanceled(<-delivering))
	}
}

func ignoreCanceled(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
