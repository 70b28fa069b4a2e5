package rulesets

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/rulesets/internal/catalog"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

type findArgs struct {
	Text   string   `json:"text,omitempty"`
	Regexp string   `json:"regexp,omitempty"` // in the syntax of package regexp
	Tags   []string `json:"tags,omitempty"`
	Path   string   `json:"path,omitempty"`
	Client string   `json:"client,omitempty" listed:"false" doc:"Only rules for this client"`
	Limit  *int     `json:"limit" listed:"false"`
	Cursor string   `json:"cursor,omitempty"`
	// Proposals is a state, all, or the number of a proposal: the answer has those, and
	// no rulesets.
	Proposals string `json:"proposals,omitempty" listed:"false" doc:"open, all or a number"`
	// The arguments below are for programs that show all rulesets to people.
	Label   string `json:"label,omitempty" listed:"false" doc:"Only rules that have this label"`
	Due     bool   `json:"due,omitempty" listed:"false" doc:"Only rules whose review is due"`
	Skip    int    `json:"skip,omitempty" listed:"false" doc:"How many results to leave out"`
	Details bool   `json:"details,omitempty" listed:"false" doc:"Also revision, author, labels and where the rules apply"`
}

// find finds rulesets by words, tags and the files that they apply to.
func (t *tools) find(ctx context.Context, call *mcp.Call, args findArgs) (found, error) {
	if args.Limit != nil && *args.Limit < 1 {
		return found{}, &opError{"find", errLimit}
	}
	if args.Proposals != "" {
		return t.findProposals(ctx, call, args.Proposals)
	}
	q := Query{Text: args.Text, Regexp: args.Regexp, Tags: args.Tags, Path: args.Path, Client: args.Client, Limit: orZero(args.Limit), Cursor: args.Cursor, Skip: args.Skip, Months: args.Details}
	if args.Due {
		q.Due = t.now().UTC().Format(time.DateOnly)
	}
	var err error
	if args.Label != "" {
		if q.Only, err = t.withLabel(ctx, args.Label); err != nil {
			return found{}, &opError{"find", err}
		}
	}
	result, err := t.catalogFor(call).Find(ctx, q)
	if err != nil {
		return found{}, &opError{"find", err}
	}
	f := foundFrom(args, result)
	if args.Details {
		f.Months = result.Months
		if f.Details, err = t.details(ctx, result.Hits); err != nil {
			return found{}, &opError{"find", err}
		}
	}
	return f, nil
}

// catalogFor returns the catalog that a caller may search. The catalog of a label
// has no index: it reads the labelled revisions for each search.
func (t *tools) catalogFor(call *mcp.Call) *catalog.Catalog {
	if seen, ok := t.viewFor(call).(*view); ok {
		return catalog.New(seen)
	}
	return t.catalog
}

// A Query selects rulesets.
type Query = catalog.Query

// A QueryError is returned for an invalid query.
type QueryError = catalog.QueryError

// A Found is the answer to a query.
type Found = catalog.Result

// Find returns the rulesets of a store that match a query.
func Find(ctx context.Context, store ruleset.Store, q Query) (Found, error) {
	return catalog.New(store).Find(ctx, q)
}

// found is the answer of find_rulesets.
type found struct {
	Total    int        `json:"total"`
	Of       int        `json:"of"`
	Applying *int       `json:"applying,omitempty" doc:"How many apply to the path; they come first"`
	Rulesets []foundOne `json:"rulesets"`
	Tags     []tagCount `json:"tags"`
	Next     string     `json:"next_cursor,omitempty"`
	// Proposals are there where they were asked for.
	Proposals []ProposalInfo `json:"proposals,omitempty"`
	// Details belong to the rulesets, in their order.
	Details []FoundDetails `json:"details,omitempty" listed:"false"`
	Months  map[string]int `json:"months,omitempty" listed:"false"` // how many were made in each

	shown bool // the one proposal is shown with its differences
	query findArgs
}

// foundOne is a matching ruleset.
type foundOne struct {
	Name         string    `json:"name"`
	Description  string    `json:"description"`
	Tags         []string  `json:"tags"`
	LastModified time.Time `json:"last_modified"`
	Applies      *bool     `json:"applies,omitempty"`
	Reason       string    `json:"reason,omitempty"`
	Line         int       `json:"line,omitempty"`
	Snippet      string    `json:"snippet,omitempty"`

	layer string
}

// tagCount is a tag with the number of matching rulesets that have it.
type tagCount struct {
	Tag   string `json:"tag"`
	Count int    `json:"count"`
}

func foundFrom(args findArgs, r catalog.Result) found {
	f := found{Total: r.Total, Of: r.Of, Rulesets: []foundOne{}, Tags: []tagCount{}, Next: r.Next, query: args}
	if args.Path != "" {
		f.Applying = &r.Applying
	}
	for _, h := range r.Hits {
		one := foundOne{
			Name: string(h.Name), Description: h.Description, Tags: h.Tags, LastModified: h.LastModified,
			Reason: h.Decision.Reason, Line: h.Line, Snippet: h.Snippet, layer: h.Layer.String(),
		}
		if args.Path != "" {
			one.Applies = &h.Decision.Applies
		}
		f.Rulesets = append(f.Rulesets, one)
	}
	for _, facet := range r.Facets {
		f.Tags = append(f.Tags, tagCount(facet))
	}
	return f
}

// Text lists the matching rulesets.
func (f found) Text() string {
	if f.query.Proposals != "" {
		return f.proposalsText()
	}
	if f.Total == 0 {
		return fmt.Sprintf("No rulesets found; there are %d", f.Of)
	}
	var b strings.Builder
	if f.Applying == nil {
		fmt.Fprintf(&b, "Found %d of %d ruleset(s)%s:\n\n", f.Total, f.Of, f.order())
		for i := range f.Rulesets {
			f.Rulesets[i].append(&b, "- ")
		}
	} else {
		f.appendByPath(&b)
	}
	f.appendEnd(&b)
	return b.String()
}

// order returns the sort key of the results.
func (f found) order() string {
	if f.query.Text == "" {
		return ""
	}
	return ", best first"
}

// appendByPath writes the rulesets that apply to the path, then the others.
func (f found) appendByPath(b *strings.Builder) {
	fmt.Fprintf(b, "%d of %d ruleset(s) apply to %s, read in this order:\n\n", *f.Applying, f.Total, f.query.Path)
	others := false
	for i := range f.Rulesets {
		one := &f.Rulesets[i]
		if !*one.Applies && !others {
			others = true
			b.WriteString("These do not apply:\n\n")
		}
		one.append(b, "- ")
	}
}

// appendEnd writes the tags of the results and how to get more.
func (f found) appendEnd(b *strings.Builder) {
	var tags []string
	for _, t := range f.Tags {
		tags = append(tags, fmt.Sprintf("%s (%d)", t.Tag, t.Count))
	}
	if len(tags) > 0 {
		b.WriteString("Tags: " + strings.Join(tags, ", ") + "\n")
	}
	if f.Next != "" {
		fmt.Fprintf(b, "There are more: call again with cursor %q\n", f.Next)
	}
}

// append writes one result.
func (o *foundOne) append(b *strings.Builder, mark string) {
	fmt.Fprintf(b, "%s**%s**: %s\n", mark, o.Name, o.Description)
	if len(o.Tags) > 0 {
		fmt.Fprintf(b, "  Tags: [%s]\n", strings.Join(o.Tags, " "))
	}
	if o.Reason != "" {
		fmt.Fprintf(b, "  %s: %s\n", o.layer, o.Reason)
	}
	switch {
	case o.Line > 0:
		fmt.Fprintf(b, "  %d: %s\n", o.Line, o.Snippet)
	case o.Snippet != "":
		fmt.Fprintf(b, "  %s\n", o.Snippet)
	}
	b.WriteByte('\n')
}

// errLimit is returned for a limit that leaves no results.
var errLimit = errors.New("limit must be at least 1")

// errNotACursor is returned for a cursor that is not from this list.
var errNotACursor = errors.New("cursor: it is not the cursor of an earlier answer")
