package webhook

import (
	"context"
	"encoding/binary"
	"hash/maphash"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A listing holds what a list said of each ruleset when all changes had been delivered. The
// zero value holds nothing, so that all rulesets are read.
type listing struct {
	sums  map[ruleset.Name]uint64
	at    time.Time // when the list was requested
	whole time.Time // when all rulesets were read
}

const (
	// wholeEvery is the interval at which all rulesets are read: other programs may change
	// a text in such a way that lists do not show it.
	wholeEvery = time.Hour
	// recent is the time before the last list from which on a changed ruleset is read although
	// its entry is the same: its time of change has whole seconds, and clocks differ.
	recent = time.Minute
)

var listingSeed = maphash.MakeSeed()

// sumOf summarizes an entry of a list.
func sumOf(m *ruleset.Meta) uint64 {
	var h maphash.Hash
	h.SetSeed(listingSeed)
	add := func(text string) {
		_, _ = h.Write(binary.AppendVarint(nil, int64(len(text)))) // it never fails
		_, _ = h.WriteString(text)
	}
	add(m.Description)
	for _, tag := range m.Tags {
		add(tag)
	}
	add(m.Summary.Activation)
	_, _ = h.Write(binary.AppendVarint(nil, m.LastModified.Unix()))
	_, _ = h.Write(binary.AppendVarint(nil, int64(m.Summary.Bytes)))
	return h.Sum64()
}

// suspects returns the rulesets that may be at another revision than the known one: those that
// the list shows otherwise than the last time or that are not in it, those that changed
// after it or shortly before, and folders, which lists do not have.
func (h *Hook) suspects(ctx context.Context, known map[ruleset.Name]int) ([]ruleset.Name, listing, error) {
	now, before := time.Now(), h.listing
	metas, _, err := h.Store.List(ctx, ruleset.Page{})
	if err != nil {
		return nil, listing{}, err
	}
	if now.Sub(before.whole) >= wholeEvery {
		before = listing{whole: now}
	}
	fresh := listing{sums: make(map[ruleset.Name]uint64, len(metas)), at: now, whole: before.whole}
	var names []ruleset.Name
	for i := range metas {
		m := &metas[i]
		fresh.sums[m.Name] = sumOf(m)
		if sum, ok := before.sums[m.Name]; !ok || sum != fresh.sums[m.Name] || m.LastModified.After(before.at.Add(-recent)) {
			names = append(names, m.Name)
		}
	}
	folders := map[ruleset.Name]bool{}
	if store, ok := ruleset.FilesOf(h.Store); ok {
		all, err := store.Folders(ctx)
		if err != nil {
			return nil, listing{}, err
		}
		for _, name := range all {
			folders[name] = true
			names = append(names, name)
		}
	}
	for name := range known {
		if _, listed := fresh.sums[name]; !listed && !folders[name] && !isCount(name) {
			names = append(names, name)
		}
	}
	return names, fresh, nil
}
