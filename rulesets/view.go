package rulesets

import (
	"cmp"
	"context"
	"errors"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/rulesets/frontmatter"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A view is a store that shows readers the revisions at a label. Rulesets without
// the label do not exist for them or, with fallback, are shown at the newest
// revision. Changes, histories and labels pass through to the store.
type view struct {
	ruleset.Store
	label    ruleset.Label
	fallback bool
}

// viewFor returns the store as a caller may read it: at the label of the caller's
// key, else at that of the server, else unchanged.
func (t *tools) viewFor(call *mcp.Call) ruleset.Store { return t.view(t.labelFor(call)) }

// labelFor returns the label whose revisions a caller reads, "" for the newest
// revisions.
func (t *tools) labelFor(call *mcp.Call) ruleset.Label {
	return cmp.Or(ruleset.Label(call.Caller().Principal.Label), t.bound)
}

// view returns the store as seen at a label, or the store itself for "".
func (t *tools) view(label ruleset.Label) ruleset.Store {
	if label == "" {
		return t.store
	}
	return &view{t.store, label, t.fallback}
}

// Get implements [ruleset.Store].
func (v *view) Get(ctx context.Context, name ruleset.Name) (ruleset.Ruleset, error) {
	r, err := v.Store.Get(ctx, name)
	if err != nil {
		return r, err
	}
	old, err := v.revision(ctx, name)
	switch {
	case err != nil:
		return ruleset.Ruleset{}, err
	case old == nil && v.fallback:
		return r, nil
	case old == nil:
		return ruleset.Ruleset{}, &ruleset.NotFoundError{Name: name}
	case old.Number == r.Rev:
		return r, nil
	}
	created := r.CreatedAt
	r = old.Content
	r.CreatedAt, r.LastModified, r.Rev = created, old.At, old.Number
	return r, nil
}

// Read implements [ruleset.Store].
func (v *view) Read(ctx context.Context, names []ruleset.Name, see func(ruleset.Ruleset) error) error {
	return v.Store.Read(ctx, names, func(r ruleset.Ruleset) error {
		old, err := v.revision(ctx, r.Name)
		switch _, gone := errors.AsType[*ruleset.NotFoundError](err); {
		case gone, err == nil && old == nil && !v.fallback:
			return nil
		case err != nil:
			return err
		case old != nil:
			content := old.Content
			content.CreatedAt, content.LastModified = r.CreatedAt, old.At
			return see(content)
		}
		return see(r)
	})
}

// revision returns the revision at the label, or nil if the ruleset does not have
// the label.
func (v *view) revision(ctx context.Context, name ruleset.Name) (*ruleset.Revision, error) {
	moves, err := v.LabelMoves(ctx, name)
	if err != nil {
		return nil, err
	}
	rev, ok := ruleset.Labels(moves)[v.label]
	if !ok {
		return nil, nil //nolint:nilnil // documented
	}
	history, err := v.History(ctx, name)
	if err != nil {
		return nil, err
	}
	found, err := find(history, name, rev)
	return &found, err
}

// List implements [ruleset.Store]. A page may have fewer rulesets than its limit.
func (v *view) List(ctx context.Context, page ruleset.Page) ([]ruleset.Meta, string, error) {
	metas, next, err := v.Store.List(ctx, page)
	if err != nil {
		return nil, "", err
	}
	metas, err = v.seen(ctx, metas)
	return metas, next, err
}

// maxNames limits the names that one completion checks for the label.
const maxNames = 1000

// Names implements [ruleset.Store]. Of more than maxNames names it sees the first ones.
func (v *view) Names(ctx context.Context, prefix string, limit int) ([]ruleset.Name, int, error) {
	if v.fallback {
		return v.Store.Names(ctx, prefix, limit)
	}
	all, _, err := v.Store.Names(ctx, prefix, maxNames)
	if err != nil {
		return nil, 0, err
	}
	var names []ruleset.Name
	for _, name := range all {
		moves, err := v.LabelMoves(ctx, name)
		if err != nil {
			return nil, 0, err
		}
		if _, ok := ruleset.Labels(moves)[v.label]; ok {
			names = append(names, name)
		}
	}
	return names[:min(limit, len(names))], len(names), nil
}

// seen returns the metadata of the labelled revisions of the rulesets that have any.
func (v *view) seen(ctx context.Context, metas []ruleset.Meta) ([]ruleset.Meta, error) {
	all := make([]ruleset.Meta, 0, len(metas))
	for _, m := range metas {
		old, err := v.revision(ctx, m.Name)
		if _, gone := errors.AsType[*ruleset.NotFoundError](err); gone {
			continue // since it was listed
		}
		switch {
		case err != nil:
			return nil, err
		case old != nil:
			created := m.CreatedAt
			frontmatter.Summarize(&old.Content)
			m = old.Content.Meta
			m.CreatedAt, m.LastModified = created, old.At
			all = append(all, m)
		case v.fallback:
			all = append(all, m)
		}
	}
	return all, nil
}
