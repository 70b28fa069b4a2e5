package rulesets

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strconv"
	"time"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/rulesets/composition"
	"github.com/triptych-mcp/triptych/rulesets/internal/catalog"
	"github.com/triptych-mcp/triptych/rulesets/internal/lastread"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// The family's scopes.
const (
	scopeRead  mcp.Scope = "rulesets:read"
	scopeWrite mcp.Scope = "rulesets:write"
	// scopePropose permits proposals, which a caller with scopeWrite accepts or refuses.
	scopePropose mcp.Scope = "rulesets:propose"
	// scopeAdmin permits moving protected labels.
	scopeAdmin mcp.Scope = "rulesets:admin"
)

// tools implements the handlers of the family.
type tools struct {
	store   ruleset.Store
	catalog *catalog.Catalog
	labels  LabelRules
	scan    Scan
	prompts knownPrompts
	reads   reads
	names   NameSource
	now     func() time.Time

	audience *audience
	unserved unserved

	bound    ruleset.Label // label that is served, "" for the newest revisions
	fallback bool          // serve rulesets without that label, too
}

// newTools returns the handlers for a store, and indexes its changes.
func newTools(store ruleset.Store, labels LabelRules, scan Scan, log *slog.Logger) *tools {
	c := catalog.New(store)
	t := &tools{store: scan.Store(c.Store(), LogFindings(log)), catalog: c, labels: labels, scan: scan, reads: reads{lastread.NewMemory()}, now: time.Now}
	t.unserved = unserved{t.viewFor}
	return t
}

type createArgs struct {
	Name        string            `json:"name" doc:"Snake_case ruleset name (e.g., python_style_guide)"`
	Description string            `json:"description" doc:"Brief description of the ruleset"`
	Markdown    string            `json:"markdown" doc:"Ruleset content in markdown format"`
	Tags        []string          `json:"tags,omitempty" doc:"Categorization tags (default: empty array)"`
	Extra       string            `json:"extra,omitempty" extension:"true" doc:"More front matter, YAML"`
	Files       []json.RawMessage `json:"files,omitempty" extension:"true" listed:"false"` // see [FileArg]
	Message     *string           `json:"message" extension:"true" listed:"false"`
	Propose     bool              `json:"propose,omitempty" extension:"true" listed:"false"` // for review
}

func (t *tools) create(ctx context.Context, call *mcp.Call, args createArgs) (done, error) {
	name, err := ruleset.ParseName(args.Name)
	if err != nil {
		return done{}, &opError{"create", err}
	}
	files, err := parseFiles(args.Files)
	if err != nil {
		return done{}, &opError{"create", err}
	}
	if t.proposes(call, args.Propose) {
		return t.proposed(ctx, call, "create", args.Message, Change{
			Op: "create", Name: args.Name, Description: &args.Description, Markdown: &args.Markdown, Tags: &args.Tags, Extra: &args.Extra, Files: fileArgs(files),
		})
	}
	ctx, found := collect(ctx)
	r, err := ruleset.Create(ctx, t.store, ruleset.Draft{
		Name: name, Description: args.Description, Tags: args.Tags, Markdown: args.Markdown, Extra: args.Extra, Files: files, By: by(call, args.Message),
	})
	if _, taken := errors.AsType[*ruleset.ExistsError](err); taken {
		err = t.withNames(ctx, err, takenText)
	}
	if err != nil {
		return done{}, &opError{"create", err}
	}
	t.reads.knows(ctx, call, name, r.Rev)
	d := doneAt(args.Name, "created", r.Rev)
	d.warn(call, textsOf(*found))
	return d, nil
}

// by returns the author of a change.
func by(call *mcp.Call, message *string) ruleset.By {
	b := ruleset.By{Author: call.Caller().Principal.ID, Client: call.ClientName()}
	if message != nil {
		b.Message = *message
	}
	return b
}

// changeDetails names the ruleset and its revision in the record of a change.
func changeDetails(_ json.RawMessage, answer any) map[string]string {
	d, ok := answer.(done)
	if !ok {
		return nil
	}
	details := map[string]string{"ruleset": d.Name}
	if d.Proposal != 0 {
		details["proposal"] = strconv.Itoa(d.Proposal)
	}
	if d.Rev != 0 {
		details["rev"] = strconv.Itoa(d.Rev)
	}
	return details
}

type getArgs struct {
	Name string `json:"name" doc:"Exact ruleset name"`
	Rev  *int   `json:"rev" extension:"true"`
	// Label and Rev are mutually exclusive.
	Label    *string `json:"label" extension:"true"`
	Composed bool    `json:"composed,omitempty" extension:"true" listed:"false" doc:"With the rulesets that it includes"`
}

func (t *tools) get(ctx context.Context, call *mcp.Call, args getArgs) (got, error) {
	name, err := ruleset.ParseName(args.Name)
	if err != nil {
		return got{}, &opError{"retrieve", err}
	}
	rev, label := args.Rev, t.labelFor(call)
	if args.Label != nil {
		label = ruleset.Label(*args.Label)
		if rev != nil {
			return got{}, &opError{"retrieve", errors.New("give rev or label, not both")}
		}
		if rev, err = t.labelled(ctx, name, *args.Label); err != nil {
			return got{}, &opError{"retrieve", err}
		}
	}
	r, err := t.at(ctx, t.viewFor(call), name, rev)
	if err != nil {
		return got{}, &opError{"retrieve", err}
	}
	t.audience.read(ctx, call, label, r)
	t.reads.saw(ctx, call, &r, rev != nil || label != "")
	if args.Composed {
		text, err := composition.Compose(ctx, composition.FromStore(t.viewFor(call)), r)
		if err != nil {
			return got{}, &opError{"retrieve", err}
		}
		r.Markdown = text.String()
	}
	return gotFrom(r), nil
}

type updateArgs struct {
	Name        string            `json:"name" doc:"Ruleset name to update"`
	Description *string           `json:"description" doc:"New description"`
	Tags        *[]string         `json:"tags" doc:"New tags (replaces existing tags)"`
	Markdown    *string           `json:"markdown" doc:"New content"`
	Extra       *string           `json:"extra" extension:"true"`
	Files       []json.RawMessage `json:"files,omitempty" extension:"true" doc:"{path, text or base64 blob}"`
	IfRev       *int              `json:"if_rev" extension:"true" doc:"Fails at another revision than this or the one you read"`
	Message     *string           `json:"message" extension:"true"`
	Propose     bool              `json:"propose,omitempty" extension:"true" listed:"false"`
}

func (t *tools) update(ctx context.Context, call *mcp.Call, args updateArgs) (done, error) {
	name, err := ruleset.ParseName(args.Name)
	if err != nil {
		return done{}, &opError{"update", err}
	}
	files, err := parseFiles(args.Files)
	if err != nil {
		return done{}, &opError{"update", err}
	}
	patch := ruleset.Patch{
		Description: args.Description, Tags: args.Tags, Markdown: args.Markdown, Extra: args.Extra, Files: files,
		By: by(call, args.Message),
	}
	if patch.Empty() {
		return done{}, &opError{"update", errNothingToUpdate}
	}
	base, err := t.reads.expected(ctx, call, name, args.IfRev)
	if err != nil {
		return done{}, &opError{"update", err}
	}
	patch.IfRev = base.number
	if t.proposes(call, args.Propose) {
		return t.proposed(ctx, call, "update", args.Message, Change{
			Op: "update", Name: args.Name, Description: args.Description, Tags: args.Tags, Markdown: args.Markdown, Extra: args.Extra, Files: fileArgs(files),
			IfRev: numberOrNil(base.number),
		})
	}
	ctx, found := collect(ctx)
	r, err := ruleset.Update(ctx, t.store, name, patch)
	if err != nil {
		return done{}, &opError{"update", explainConflict(ctx, t.store, err, base)}
	}
	if patch.IfRev != 0 { // it knows all of the text
		t.reads.knows(ctx, call, name, r.Rev)
	}
	d := doneAt(args.Name, "updated", r.Rev)
	d.warn(call, textsOf(*found))
	return d, nil
}

type deleteArgs struct {
	Name    string  `json:"name" doc:"Ruleset name to delete"`
	IfRev   *int    `json:"if_rev" extension:"true" listed:"false"`
	Propose bool    `json:"propose,omitempty" extension:"true" listed:"false"`
	Message *string `json:"message" extension:"true" listed:"false"`
}

func (t *tools) delete(ctx context.Context, call *mcp.Call, args deleteArgs) (done, error) {
	name, err := ruleset.ParseName(args.Name)
	if err != nil {
		return done{}, &opError{"delete", err}
	}
	base, err := t.reads.expected(ctx, call, name, args.IfRev)
	if err != nil {
		return done{}, &opError{"delete", err}
	}
	if t.proposes(call, args.Propose) {
		return t.proposed(ctx, call, "delete", args.Message, Change{Op: "delete", Name: args.Name, IfRev: numberOrNil(base.number)})
	}
	removal := ruleset.Removal{By: by(call, args.Message), IfRev: base.number}
	err = ruleset.Delete(ctx, t.store, name, removal)
	if _, gone := errors.AsType[*ruleset.NotFoundError](err); gone {
		err = t.withNames(ctx, err, existingText)
	}
	if err != nil {
		return done{}, &opError{"delete", explainConflict(ctx, t.store, err, base)}
	}
	t.reads.knows(ctx, call, name, 0)
	return doneAt(args.Name, "deleted", 0), nil
}

// orZero returns the number, or 0 if it is nil.
func orZero(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

// withNames adds the existing names to an error. If they cannot be listed, it
// returns the error unchanged.
func (t *tools) withNames(ctx context.Context, err error, text string) error {
	metas, _, listErr := t.store.List(ctx, ruleset.Page{Limit: ruleset.MaxListedNames})
	total := len(metas)
	if listErr == nil && total == ruleset.MaxListedNames {
		total, listErr = ruleset.Count(ctx, t.store)
	}
	if listErr != nil {
		return err
	}
	names := make([]ruleset.Name, len(metas))
	for i := range names {
		names[i] = metas[i].Name
	}
	return &listedError{err, text + ruleset.NameList(names, max(total, len(names)))}
}

type searchArgs struct {
	Pattern string `json:"pattern" doc:"Glob pattern (e.g., *python*, style_*, *_guide)"`
}

func (t *tools) search(ctx context.Context, call *mcp.Call, args searchArgs) (matched, error) {
	metas, err := ruleset.Search(ctx, t.viewFor(call), args.Pattern)
	if err != nil {
		return matched{}, &opError{"search", err}
	}
	return matched{Pattern: args.Pattern, Rulesets: summaries(metas), hinted: !call.Baseline()}, nil
}
