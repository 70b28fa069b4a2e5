package rulesets

import (
	"context"
	"fmt"
	"slices"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// defaultPage is the number of rulesets in an answer for clients that negotiated a
// revision and gave no limit: a model has to read them all. The others get the documented
// text, with all rulesets.
const defaultPage = 50

type listArgs struct {
	Limit  *int     `json:"limit" extension:"true"`
	Cursor string   `json:"cursor,omitempty" extension:"true"`
	Tags   []string `json:"tags,omitempty" extension:"true" listed:"false" doc:"Only rulesets with all of these"`
}

func (t *tools) list(ctx context.Context, call *mcp.Call, args listArgs) (listed, error) {
	if args.Limit == nil && !call.Baseline() {
		args.Limit = new(defaultPage)
	}
	metas, next, err := t.listPage(ctx, t.viewFor(call), args)
	if err != nil {
		return listed{}, &opError{"list", err}
	}
	answer := listed{Rulesets: summaries(metas), Next: next}
	answer.long = !call.Baseline() && next != ""
	answer.problems = t.unserved.line(ctx, call)
	return answer, nil
}

// listPage returns the rulesets that have all tags, either all of them or a page
// from the cursor on.
func (t *tools) listPage(ctx context.Context, store ruleset.Store, args listArgs) (metas []ruleset.Meta, next string, err error) {
	limit := orZero(args.Limit)
	if args.Limit != nil && limit < 1 {
		return nil, "", errLimit
	}
	page := ruleset.Page{After: args.Cursor}
	if args.Cursor != "" {
		if _, err := ruleset.ParsePosition(args.Cursor); err != nil {
			return nil, "", errNotACursor
		}
	}
	for {
		if page.Limit = limit; limit > 0 && len(args.Tags) > 0 {
			page.Limit = 1000 // maybe few of them have the tags
		}
		some, after, err := store.List(ctx, page)
		if err != nil {
			return nil, "", err
		}
		for i, m := range some {
			if !hasTags(m, args.Tags) {
				continue
			}
			if limit > 0 && len(metas) == limit {
				return metas, metas[limit-1].Position(), nil
			}
			metas = append(metas, some[i])
		}
		if limit == 0 || after == "" {
			return metas, "", nil
		}
		if len(args.Tags) == 0 {
			return metas, after, nil
		}
		page.After = after
	}
}

func hasTags(m ruleset.Meta, tags []string) bool {
	return !slices.ContainsFunc(tags, func(tag string) bool { return !slices.Contains(m.Tags, tag) })
}

// Content explains how to get the next page or how to narrow a long list, and
// lists files that are not served.
func (l listed) Content() (lines []mcp.Content) {
	if l.long {
		lines = append(lines, mcp.Text(fmt.Sprintf("There are more: call again with cursor %q", l.Next)))
	}
	if l.problems != "" {
		lines = append(lines, mcp.Text(l.problems))
	}
	return lines
}
