package rulesets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/rulesets/internal/filestore"
	"github.com/triptych-mcp/triptych/rulesets/internal/layered"
	"github.com/triptych-mcp/triptych/rulesets/internal/memstore"
	"github.com/triptych-mcp/triptych/rulesets/internal/valkeystore"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/rulesets/selection"
	"github.com/triptych-mcp/triptych/rulesets/valkeyconn"
)

// A Config is the family's configuration. The rulesets themselves are in the store
// of the program.
type Config struct {
	// Protected lists patterns of labels that only callers with the scope
	// rulesets:admin may move.
	Protected []string
	// Immutable lists patterns of labels that can be set only once.
	Immutable []string
	// Reviewed lists patterns of labels that move only to revisions which were
	// reviewed, see [LabelRules.Check].
	Reviewed []string
	// Scan determines what happens to texts with findings when they are
	// written.
	Scan string
	// Consumers makes the family record which consumers have which revisions.
	Consumers bool
	// Webhook is the URL that is notified of changes; "" for none.
	Webhook string
	// WebhookFormat is json, slack or teams; "" goes by the host of the URL.
	WebhookFormat string
	// WebhookConsole is the address of the console, for links in messages.
	WebhookConsole string

	// Label, if not "", is the label whose revisions are served.
	Label string
	// Fallback serves the newest revision of rulesets without that label.
	Fallback bool

	store    ruleset.Store // of the open family
	audience *audience     // of the open family; nil without Consumers
	now      func() time.Time
}

// ScanMode returns the scan mode of the flag, or else of the environment.
func (c *Config) ScanMode(getenv func(string) string) (Scan, error) {
	return ParseScan(cmp.Or(c.Scan, getenv("TRIPTYCH_SCAN")))
}

// RegisterFlags adds the family's flags.
func (c *Config) RegisterFlags(set *pflag.FlagSet) {
	c.RegisterWriting(set)
	set.StringVar(&c.Webhook, "webhook", "", "send changes of rulesets to this `url` (TRIPTYCH_WEBHOOK, TRIPTYCH_WEBHOOK_FILE)\n"+
		"TRIPTYCH_WEBHOOK_SECRET signs the messages. TRIPTYCH_WEBHOOK_FILE names a file that has the URL.")
	set.BoolVar(&c.Consumers, "consumers", false, "record which projects and clients have which revisions of rulesets")
	set.StringVar(&c.WebhookFormat, "webhook-format", "", "write messages to --webhook in the form `json|slack|teams`\ndefault: as the host of the URL suggests")
	set.StringVar(&c.WebhookConsole, "webhook-console", "", "let messages to --webhook link to the console at this `address`\nIt is one such as https://rules.example.com/console.")
	c.RegisterReading(set)
}

// RegisterWriting adds the flags of what changes rulesets.
func (c *Config) RegisterWriting(set *pflag.FlagSet) {
	set.StringSliceVar(&c.Protected, "protected-labels", nil, "let only keys with the scope rulesets:admin move these `labels` (TRIPTYCH_PROTECTED_LABELS)\nIn a label * and ? stand for any text and character.")
	set.StringSliceVar(&c.Immutable, "immutable-labels", nil, "never move these `labels` once they are set, such as v* (TRIPTYCH_IMMUTABLE_LABELS)")
	set.StringSliceVar(&c.Reviewed, "reviewed-labels", nil, "move these `labels` only to revisions of an accepted proposal (TRIPTYCH_REVIEWED_LABELS)\nAnother key than its author's has accepted it.")
	set.StringVar(&c.Scan, "scan", "", "look for hidden text and secrets in rulesets that are written: `off|warn|refuse` (TRIPTYCH_SCAN)\ndefault: warn\n"+
		"refuse:KEY is for the key with that id alone; several modes are separated by commas.")
}

// RegisterReading adds the flags of what reads rulesets.
func (c *Config) RegisterReading(set *pflag.FlagSet) {
	set.StringVar(&c.Label, "label", "", "read only the revisions of rulesets that have this `label` (TRIPTYCH_LABEL)\nIt is one such as production. Rulesets without it do not exist.")
	set.BoolVar(&c.Fallback, "label-fallback", false, "read the newest revision of rulesets that do not have the label of --label or of the key")
}

// Scopes returns the scopes of the family's tools, and that of protected labels.
func (*Config) Scopes() []mcp.Scope { return append(closedTable().Scopes(), scopeAdmin) }

// Tools returns the family's tools, which cannot be called, without those of options.
func (*Config) Tools() []mcp.Tool { return closedTable().Tools }

// closedTable returns the family's table before it is opened.
func closedTable() *mcp.Table {
	return newTools(memstore.New(time.Now), LabelRules{}, Scan{}, nil).table()
}

// OpenStore opens the stores of the program. If there are several, the first
// store that has a name wins, and changes go to the first store that is writable.
// The form of a store is [LAYER=][ro:]URL, see [ParsePlace].
func OpenStore(ctx context.Context, env host.Env) (ruleset.Store, error) {
	var parts []layered.Part
	closing := func(err error) error {
		for _, p := range parts {
			err = errors.Join(err, p.Close())
		}
		return err
	}
	for _, text := range append([]string{env.Store}, env.FurtherStores...) {
		place, err := ParsePlace(text)
		if err != nil {
			return nil, closing(err)
		}
		store, err := openOne(ctx, env, place.URL)
		if err != nil {
			return nil, closing(err)
		}
		parts = append(parts, layered.Part{Store: store, Name: redacted(place.URL), Layer: place.Layer, ReadOnly: place.ReadOnly})
	}
	if len(parts) == 1 && parts[0].Layer == "" && !parts[0].ReadOnly {
		return parts[0].Store, nil
	}
	for i := range parts {
		parts[i].ReadOnly = parts[i].ReadOnly || !canWrite(parts[i].Store)
	}
	return layered.New(parts), nil
}

// Folders returns the folders that the family writes to: those of its stores that are folders.
func (*Config) Folders(env host.Env) (folders []string) {
	for _, text := range append([]string{env.Store}, env.FurtherStores...) {
		place, err := ParsePlace(text)
		if err != nil || place.ReadOnly {
			continue
		}
		scheme, rest, _ := strings.Cut(place.URL, ":")
		switch {
		case place.URL == "":
			folders = append(folders, filepath.Join(env.Data, "rulesets"))
		case scheme == "file":
			folders = append(folders, strings.TrimPrefix(rest, "//"))
		case scheme != "memory" && !valkeyconn.Serves(scheme) && !strings.Contains(place.URL, "://"):
			folders = append(folders, place.URL)
		}
	}
	return folders
}

// canWrite reports whether changes of a store may succeed. The folder of a store
// may be read-only.
func canWrite(store ruleset.Store) bool {
	folder, ok := ruleset.As[interface{ Writable() bool }](store)
	return !ok || folder.Writable()
}

// readOnlyMark precedes the URL of a store that is only read.
const readOnlyMark = "ro:"

// A Place is a store as a flag names it.
type Place struct {
	Layer    string // of rulesets without a tag for their layer, "" for the default
	ReadOnly bool
	URL      string
}

// ParsePlace parses [LAYER=][ro:]URL, where LAYER is org, team, project or user.
func ParsePlace(text string) (Place, error) {
	p := Place{URL: text}
	if word, rest, ok := strings.Cut(text, "="); ok && !strings.ContainsAny(word, ":/\\.") {
		if _, known := selection.ParseLayer(word); !known {
			return p, fmt.Errorf("--store %s: there is no layer %q, but org, team, project and user", redacted(text), word)
		}
		p.Layer, p.URL = word, rest
	}
	p.URL, p.ReadOnly = strings.CutPrefix(p.URL, readOnlyMark)
	if p.URL == "" && text != "" {
		return p, fmt.Errorf("--store %s names no store", text)
	}
	return p, nil
}

// openOne opens a store: a path, file:DIR, memory:, or a URL of Valkey or Redis;
// "" stands for rulesets/ in the data folder.
func openOne(ctx context.Context, env host.Env, where string) (ruleset.Store, error) {
	scheme, rest, _ := strings.Cut(where, ":")
	switch {
	case where == "":
		return filestore.Open(filepath.Join(env.Data, "rulesets"), env.Logger, env.Now), nil
	case scheme == "memory":
		return memstore.New(env.Now), nil
	case valkeyconn.Serves(scheme):
		return valkeystore.Open(ctx, where, env.StorePrefix, env.Logger, env.Now)
	case scheme == "file":
		return filestore.Open(strings.TrimPrefix(rest, "//"), env.Logger, env.Now), nil
	case strings.Contains(where, "://"):
		return nil, fmt.Errorf("no store has URLs such as %s", redacted(where))
	}
	return filestore.Open(where, env.Logger, env.Now), nil
}

// redacted returns a URL without its password.
func redacted(raw string) string {
	if u, err := url.Parse(raw); err == nil {
		return u.Redacted()
	}
	return "this one, which cannot be read"
}

// Open returns the family's table.
func (c *Config) Open(ctx context.Context, env host.Env) (*mcp.Table, error) {
	bound, err := c.bound(env.Getenv)
	if err != nil {
		return nil, err
	}
	store, err := OpenStore(ctx, env)
	if err != nil {
		return nil, err
	}
	scan, err := c.ScanMode(env.Getenv)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	c.now = env.Now
	if c.Consumers {
		if c.audience, err = openAudience(ctx, env, NewestIn(store, c.Fallback)); err != nil {
			return nil, errors.Join(err, store.Close())
		}
		c.audience.bound, c.audience.names = bound, env.Names
	}
	handlers := newTools(store, c.Rules(env.Getenv), scan, env.Logger)
	if handlers.reads.Record, err = openReads(ctx, env); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	c.store = store
	handlers.names = env.Names
	if env.Now != nil {
		handlers.now = env.Now
	}
	handlers.audience, handlers.bound, handlers.fallback = c.audience, bound, c.Fallback
	table := handlers.table()
	if c.audience != nil {
		table.Tools = append(table.Tools, c.audience.rows()...)
		table.Close = func() error { return errors.Join(c.audience.book.Close(), handlers.reads.Close(), store.Close()) }
	}
	hook, err := c.hook(ctx, env, store)
	if err != nil {
		return nil, errors.Join(err, table.Close())
	}
	if hook != nil {
		withHook(table, hook)
	}
	return table, nil
}

// bound returns the label that is served, or "".
func (c *Config) bound(getenv func(string) string) (ruleset.Label, error) {
	word := c.Label
	if word == "" && getenv != nil {
		word = getenv("TRIPTYCH_LABEL")
	}
	if word == "" {
		return "", nil
	}
	label, err := ruleset.ParseLabel(word)
	if err != nil {
		return "", fmt.Errorf("--label: %w", err)
	}
	return label, nil
}

// View returns the store as the family's flags make readers see it.
func (c *Config) View(store ruleset.Store, getenv func(string) string) (ruleset.Store, error) {
	label, err := c.bound(getenv)
	if err != nil || label == "" {
		return store, err
	}
	return &view{store, label, c.Fallback}, nil
}
