package rulesets

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/rulesets/frontmatter"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/rulesets/selection"
)

// builtinPrompts returns the prompts about rulesets that every store has.
func (t *tools) builtinPrompts() []mcp.Prompt {
	return []mcp.Prompt{
		{
			Name: "apply_rules", Title: "Apply the rules", Scope: scopeRead, Extension: true,
			Doc:  "Work by the rules that apply, in general or to one file",
			Args: []mcp.PromptArgument{{Name: "path", Title: "File", Doc: "From the root of the project, such as src/api/x.go"}},
			Get:  t.applyRules,
		},
		{
			Name: "review_against", Title: "Review against a ruleset", Scope: scopeRead, Extension: true,
			Doc: "Review the change at hand against one ruleset",
			Args: []mcp.PromptArgument{
				{Name: "ruleset", Title: "Ruleset", Doc: "Its name; with @ and a label or revision, as go_style@production", Required: true},
				{Name: "path", Title: "File", Doc: "Review only this file or folder"},
			},
			Get: t.reviewAgainst, Complete: t.completeReview,
		},
	}
}

// maxApplied limits the size of the rules that one prompt quotes. It refers to
// other rules by their resources.
const maxApplied = 256 << 10

// applyRules quotes the rules that apply, in their order of application.
func (t *tools) applyRules(ctx context.Context, call *mcp.Call, args map[string]string) (*mcp.PromptResult, error) {
	file, work := "", "in this conversation"
	if args["path"] != "" {
		clean, err := selection.CleanPath(args["path"])
		if err != nil {
			return nil, mcp.InvalidParams("path: %v", err)
		}
		file, work = clean, "when you work on "+clean
	}
	rules, err := t.applying(ctx, t.viewFor(call), file)
	if err != nil {
		return nil, &opError{"find", err}
	}
	if len(rules) == 0 {
		return said("No rules apply", "No ruleset applies "+work+". Say so, and go on without."), nil
	}
	var b strings.Builder
	var quoted []ruleset.Ruleset
	fmt.Fprintf(&b, "Follow these rules %s. Where two disagree, the later one counts. "+
		"If a task cannot be done without breaking a rule, say which one before you go on.\n", work)
	for _, r := range rules {
		if b.Len()+len(r.Markdown) > maxApplied {
			fmt.Fprintf(&b, "\n# %s\n\nRead %s before you begin; it is too long to be quoted here.\n", r.Name, uri(r.Name))
			continue
		}
		fmt.Fprintf(&b, "\n# %s (revision %d)\n\n%s\n", r.Name, r.Rev, strings.TrimSpace(r.Markdown))
		quoted = append(quoted, r)
	}
	t.audience.read(ctx, call, t.labelFor(call), quoted...)
	return said(fmt.Sprintf("%d ruleset(s) that apply", len(rules)), b.String()), nil
}

// maxApplying limits the rulesets that one prompt lists.
const maxApplying = 200

// applying returns the rulesets that apply to a file, or in general if file is
// "", in their order of application.
func (t *tools) applying(ctx context.Context, store ruleset.Store, file string) ([]ruleset.Ruleset, error) {
	type placed struct {
		ruleset.Ruleset
		selection.Place
	}
	var all []placed
	page := ruleset.Page{Limit: promptScan}
	for {
		metas, next, err := store.List(ctx, page)
		if err != nil {
			return nil, err
		}
		for _, m := range metas {
			mode := frontmatter.Mode(m.Summary.Activation)
			if mode == frontmatter.Manual || mode == frontmatter.Auto || mode == frontmatter.Glob && file == "" {
				continue // need not be read
			}
			r, err := t.readAt(ctx, store, m.Name, "")
			if isAbsent(err) {
				continue
			}
			if err != nil {
				return nil, err
			}
			fields, _ := frontmatter.Of(r)
			if !selection.Decide(&fields, selection.Query{Path: file}).Applies {
				continue
			}
			all = append(all, placed{r, selection.Place{Layer: selection.LayerOfRuleset(r.Meta), Order: fields.Order, Name: string(r.Name)}})
		}
		if page.After = next; next == "" {
			break
		}
	}
	slices.SortFunc(all, func(a, b placed) int { return selection.Compare(a.Place, b.Place) })
	rules := make([]ruleset.Ruleset, min(len(all), maxApplying))
	for i := range rules {
		rules[i] = all[i].Ruleset
	}
	return rules, nil
}

const reviewText = `Review the change at hand against the rules below%s. Do not change anything yet.

1. Find out what changed: the difference between the working tree and the last commit, unless the user names another.
2. Go through the rules one by one, and look at every changed place that a rule speaks of.
3. For each violation report ` + "`file:line`" + `, the rule in its own words, what breaks it, and the smallest change that mends it. The gravest come first.
4. Close with the rules that you could not check and why. If nothing is violated, say only that.

Report what a rule speaks of and nothing else. Where rule and code disagree and the code seems right, say so.

# %s (revision %d)

%s
`

// reviewAgainst quotes a ruleset and explains how to review by it.
func (t *tools) reviewAgainst(ctx context.Context, call *mcp.Call, args map[string]string) (*mcp.PromptResult, error) {
	name, at, err := parseURI(uriPrefix + args["ruleset"])
	if err != nil {
		return nil, mcp.InvalidParams("ruleset: %v", err)
	}
	r, err := t.readAt(ctx, t.viewFor(call), name, at)
	if isAbsent(err) {
		return nil, mcp.InvalidParams("%v", err)
	}
	if err != nil {
		return nil, &opError{"retrieve", err}
	}
	t.audience.read(ctx, call, t.labelAt(call, at), r)
	only := ""
	if args["path"] != "" {
		only = ", in " + args["path"] + " only"
	}
	return said("Review against "+cmp.Or(r.Description, string(name)), fmt.Sprintf(reviewText, only, name, r.Rev, strings.TrimSpace(r.Markdown))), nil
}

// completeReview completes names of rulesets and, after an @, their labels and
// revisions.
func (t *tools) completeReview(ctx context.Context, call *mcp.Call, argument, value string, _ map[string]string) ([]string, int, error) {
	if argument != "ruleset" {
		return nil, 0, nil
	}
	name, pin, pinned := strings.Cut(value, "@")
	if !pinned {
		return t.complete(ctx, call, uriTemplate, "name", value, nil)
	}
	pins, total, err := t.completePin(ctx, name, pin)
	for i := range pins {
		pins[i] = name + "@" + pins[i]
	}
	return pins, total, err
}
