package ruleset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// At returns the ruleset that the draft becomes when it is created now. Times are
// cut to whole seconds, which stores can write.
func (d Draft) At(now time.Time) Ruleset {
	created, modified := d.CreatedAt, d.LastModified
	if created.IsZero() && modified.IsZero() {
		created, modified = now, now
	} else if created.IsZero() {
		created = modified
	}
	if modified.Before(created) {
		modified = created
	}
	return Ruleset{
		Meta: Meta{
			Name: d.Name, Description: d.Description, Tags: copyTags(d.Tags),
			CreatedAt: created.UTC().Truncate(time.Second), LastModified: modified.UTC().Truncate(time.Second),
		},
		Markdown: d.Markdown, Extra: d.Extra, Folder: d.Folder,
	}
}

// Apply returns the ruleset after the patch. LastModified never decreases.
func (p Patch) Apply(r Ruleset, now time.Time) Ruleset {
	if p.Description != nil {
		r.Description = *p.Description
	}
	if p.Tags != nil {
		r.Tags = copyTags(*p.Tags)
	}
	if p.Markdown != nil {
		r.Markdown = *p.Markdown
	}
	if p.Extra != nil {
		r.Extra = *p.Extra
	}
	if now = now.UTC().Truncate(time.Second); now.After(r.LastModified) {
		r.LastModified = now
	}
	return r
}

func copyTags(tags []string) []string { return append([]string{}, tags...) }

// Cut sorts metas in list order and returns the page; a position is the
// creation time and the name of the last one before it, so it stays good while
// rulesets come and go.
func Cut(metas []Meta, page Page) ([]Meta, string, error) {
	slices.SortFunc(metas, Compare)
	return CutSorted(metas, page)
}

// CutSorted is [Cut] of metas that are in list order.
func CutSorted(metas []Meta, page Page) ([]Meta, string, error) {
	if page.After != "" {
		last, err := ParsePosition(page.After)
		if err != nil {
			return nil, "", err
		}
		from, found := slices.BinarySearchFunc(metas, last, Compare)
		if found {
			from++
		}
		metas = metas[from:]
	}
	if page.Limit > 0 && len(metas) > page.Limit {
		metas = metas[:page.Limit]
		return metas, metas[page.Limit-1].Position(), nil
	}
	return metas, "", nil
}

// Position returns the position of the ruleset in lists.
func (m Meta) Position() string {
	return strconv.FormatInt(m.CreatedAt.Unix(), 10) + ":" + string(m.Name)
}

// ParsePosition is the inverse of [Meta.Position]. Only the fields that determine the
// order are set.
func ParsePosition(s string) (Meta, error) {
	seconds, name, ok := strings.Cut(s, ":")
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if !ok || err != nil {
		return Meta{}, fmt.Errorf("%q is no position in a list", s)
	}
	return Meta{Name: Name(name), CreatedAt: time.Unix(unix, 0).UTC()}, nil
}

// Clone returns a deep copy.
func (m Meta) Clone() Meta {
	m.Tags = copyTags(m.Tags)
	return m
}

// Clone returns a deep copy.
func (r Ruleset) Clone() Ruleset {
	r.Meta, r.Files = r.Meta.Clone(), slices.Clone(r.Files)
	return r
}
