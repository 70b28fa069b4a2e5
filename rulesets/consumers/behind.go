package consumers

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A Standing compares a ruleset of a consumer with the newest revision.
type Standing struct {
	Project string       `json:"project,omitempty"`
	Client  string       `json:"client"`
	Key     string       `json:"key,omitempty"`
	Name    ruleset.Name `json:"ruleset"`
	Rev     int          `json:"rev"`
	Newest  int          `json:"newest"` // 0 if the ruleset was deleted
	Seen    time.Time    `json:"seen"`
	Since   time.Time    `json:"since,omitzero"` // the time of the newest revision, for one that is behind
}

// Behind reports whether the consumer has another revision than the newest.
func (s Standing) Behind() bool { return s.Rev != s.Newest }

// A Getter returns a ruleset, or a [*ruleset.NotFoundError].
type Getter interface {
	Get(ctx context.Context, name ruleset.Name) (ruleset.Ruleset, error)
}

// Standings compares all consumers with a store.
func Standings(ctx context.Context, store Getter, all []Consumer) ([]Standing, error) {
	newest := map[ruleset.Name]ruleset.Ruleset{}
	var standings []Standing
	for _, c := range all {
		for _, name := range slices.Sorted(maps.Keys(c.Rulesets)) {
			current, known := newest[name]
			if !known {
				var err error
				current, err = store.Get(ctx, name)
				if _, gone := errors.AsType[*ruleset.NotFoundError](err); err != nil && !gone {
					return nil, err
				}
				newest[name] = current
			}
			s := Standing{Project: c.Project, Client: c.Client, Key: c.Key, Name: name, Rev: c.Rulesets[name], Newest: current.Rev, Seen: c.Seen}
			if s.Behind() {
				s.Since = current.LastModified
			}
			standings = append(standings, s)
		}
	}
	return standings, nil
}

// A Lag sums up who is behind.
type Lag struct {
	Consumers int           // that are known
	Behind    int           // of them, with at least one older revision
	Longest   time.Duration // since the newest revision that a consumer does not have
}

// LagOf sums up standings at a time.
func LagOf(standings []Standing, now time.Time) Lag {
	known, behind := map[[3]string]bool{}, map[[3]string]bool{}
	var lag Lag
	for _, s := range standings {
		id := [3]string{s.Project, s.Client, s.Key}
		known[id] = true
		if s.Behind() {
			behind[id] = true
			if !s.Since.IsZero() {
				lag.Longest = max(lag.Longest, now.Sub(s.Since))
			}
		}
	}
	lag.Consumers, lag.Behind = len(known), len(behind)
	return lag
}
