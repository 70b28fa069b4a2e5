package rulesclient

import (
	"context"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// wireMeta is a ruleset in a list of the server.
type wireMeta struct {
	Name         ruleset.Name `json:"name"`
	Description  string       `json:"description"`
	Tags         []string     `json:"tags"`
	CreatedAt    time.Time    `json:"created_at"`
	LastModified time.Time    `json:"last_modified"`
}

func (m wireMeta) meta() ruleset.Meta {
	return ruleset.Meta{
		Name: m.Name, Description: m.Description, Tags: append([]string{}, m.Tags...), CreatedAt: m.CreatedAt, LastModified: m.LastModified,
	}
}

// wireRuleset is a ruleset with its text.
type wireRuleset struct {
	wireMeta
	Markdown string `json:"markdown"`
	Extra    string `json:"extra"`
	Rev      int    `json:"rev"`

	Files []ruleset.File `json:"files"`
}

func (w *wireRuleset) ruleset() ruleset.Ruleset {
	return ruleset.Ruleset{Meta: w.meta(), Markdown: w.Markdown, Extra: w.Extra, Rev: w.Rev, Files: w.Files}
}

type wireList struct {
	Rulesets []wireMeta `json:"rulesets"`
	Next     string     `json:"next_cursor"`
}

// metas returns the list, without names that no ruleset can have: names become
// files.
func (l wireList) metas() []ruleset.Meta {
	metas := make([]ruleset.Meta, 0, len(l.Rulesets))
	for _, m := range l.Rulesets {
		if _, err := ruleset.ParseName(string(m.Name)); err == nil {
			metas = append(metas, m.meta())
		}
	}
	return metas
}

// List returns all rulesets, oldest first.
func (c *Client) List(ctx context.Context) ([]ruleset.Meta, error) {
	var all []ruleset.Meta
	for cursor := ""; ; {
		var list wireList
		args := map[string]any{"limit": listPage}
		if cursor != "" {
			args["cursor"] = cursor
		}
		if _, err := c.call(ctx, "list_rulesets", args, &list); err != nil {
			return nil, err
		}
		all = append(all, list.metas()...)
		if list.Next == "" || list.Next == cursor {
			return all, nil
		}
		cursor = list.Next
	}
}

// listPage is the number of rulesets that one request lists.
const listPage = 1000

// Search returns the rulesets whose name matches a pattern, oldest first.
func (c *Client) Search(ctx context.Context, pattern string) ([]ruleset.Meta, error) {
	var list wireList
	_, err := c.call(ctx, "search_rulesets", map[string]any{"pattern": pattern}, &list)
	return list.metas(), err
}

// Get returns a ruleset as it is.
func (c *Client) Get(ctx context.Context, name ruleset.Name) (ruleset.Ruleset, error) {
	r, _, err := c.get(ctx, name, map[string]any{"name": name})
	return r, err
}

// GetRevision returns a ruleset as it was at a revision.
func (c *Client) GetRevision(ctx context.Context, name ruleset.Name, rev int) (ruleset.Ruleset, error) {
	r, _, err := c.get(ctx, name, map[string]any{"name": name, "rev": rev})
	return r, err
}

// GetLabelled returns a ruleset as it is at the revision that a label is at.
func (c *Client) GetLabelled(ctx context.Context, name ruleset.Name, label ruleset.Label) (ruleset.Ruleset, error) {
	r, _, err := c.get(ctx, name, map[string]any{"name": name, "label": label})
	return r, err
}

// Cached returns a ruleset of this server and key as cache has it, for work without
// the server. It may have changed since.
func (c *Client) Cached(cache Cache, name ruleset.Name) (ruleset.Ruleset, bool) {
	return cache.get(c.endpoint, name)
}

// get returns a ruleset and the server's time when it was read.
func (c *Client) get(ctx context.Context, name ruleset.Name, args any) (ruleset.Ruleset, time.Time, error) {
	var answer wireRuleset
	header, err := c.call(ctx, "get_ruleset", args, &answer)
	if err != nil {
		return ruleset.Ruleset{}, time.Time{}, named(err, name)
	}
	r := answer.ruleset()
	r.Name = name
	read, _ := http.ParseTime(header.Get("Date")) // without it, nothing is cached
	return r, read, nil
}

// maxParallel is the number of rulesets that GetAll reads at a time.
const maxParallel = 8

// GetAll returns the rulesets of a list that [Client.List] or [Client.Search]
// returned, in its order. It reads from the server those that cache does not have as
// they are in the list, and adds them to cache. A ruleset that was deleted since the
// list was made is left out.
func (c *Client) GetAll(ctx context.Context, metas []ruleset.Meta, cache Cache) ([]ruleset.Ruleset, error) {
	found := make([]*ruleset.Ruleset, len(metas))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(maxParallel)
	for i, m := range metas {
		if r, ok := cache.fresh(c.endpoint, m); ok {
			found[i] = &r
			continue
		}
		group.Go(func() error {
			r, read, err := c.get(ctx, m.Name, map[string]any{"name": m.Name})
			if isNotFound(err) {
				return nil
			}
			if err != nil {
				return err
			}
			found[i] = &r
			return cache.add(c.endpoint, r, read)
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	all := make([]ruleset.Ruleset, 0, len(found))
	for _, r := range found {
		if r != nil {
			all = append(all, *r)
		}
	}
	return all, nil
}
