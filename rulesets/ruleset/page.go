package ruleset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Page asks for part of a list, in the order of [Compare]. After is the
// position that an earlier page ended at, "" for the first; positions are the
// store's own and stay good while the list changes. Limit 0 means all.
type Page struct {
	After string
	Limit int
	// Match, if not nil, leaves out the rulesets whose whole name it does not match.
	Match *Pattern
}

// Wants reports whether a name is in the list that the page is part of.
func (p *Page) Wants(name string) bool { return p.Match == nil || p.Match.Match(name) }

// Cut sorts metas in list order and returns the page; a position is the
// creation time and the name of the last one before it, so it stays good while
// rulesets come and go.
func Cut(metas []Meta, page Page) ([]Meta, string, error) {
	slices.SortFunc(metas, Compare)
	return CutSorted(metas, page)
}

// CutSorted is [Cut] of metas that are in list order. It does not change them.
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
	if page.Match != nil {
		metas = matching(metas, page)
	}
	if page.Limit > 0 && len(metas) > page.Limit {
		metas = metas[:page.Limit]
		return metas, metas[page.Limit-1].Position(), nil
	}
	return metas, "", nil
}

func matching(metas []Meta, page Page) (found []Meta) {
	for i := range metas {
		if page.Wants(string(metas[i].Name)) {
			found = append(found, metas[i])
		}
	}
	return found
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
