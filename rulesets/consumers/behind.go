package consumers

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A Standing compares a ruleset of a consumer with the newest revision, or with the one
// at the consumer's label.
type Standing struct {
	Project string        `json:"project,omitempty"`
	Client  string        `json:"client"`
	Key     string        `json:"key,omitempty"`
	KeyName string        `json:"key_name,omitempty"` // that people gave the key
	Label   ruleset.Label `json:"label,omitempty"`
	Name    ruleset.Name  `json:"ruleset"`
	Rev     int           `json:"rev"`
	Newest  int           `json:"newest"` // 0 if there is none any more
	Seen    time.Time     `json:"seen"`
	Since   time.Time     `json:"since,omitzero"` // when Newest became the newest, for one that is behind
}

// Behind reports whether the consumer has another revision than the newest.
func (s Standing) Behind() bool { return s.Rev != s.Newest }

// A Revision is the revision that consumers should have.
type Revision struct {
	Number int       // 0 if the ruleset was deleted, or does not have the label
	Since  time.Time // when it became this one
}

// Newest returns the revision of a ruleset at a label, the newest one for "". That a
// ruleset does not exist is no error.
type Newest func(ctx context.Context, name ruleset.Name, label ruleset.Label) (Revision, error)

// Standings compares all consumers with the newest revisions.
func Standings(ctx context.Context, newest Newest, all []Consumer) ([]Standing, error) {
	type place struct {
		name  ruleset.Name
		label ruleset.Label
	}
	known := map[place]Revision{}
	var standings []Standing
	for _, c := range all {
		for _, name := range slices.Sorted(maps.Keys(c.Rulesets)) {
			at := place{name, c.Label}
			current, read := known[at]
			if !read {
				var err error
				if current, err = newest(ctx, name, c.Label); err != nil {
					return nil, err
				}
				known[at] = current
			}
			s := Standing{
				Project: c.Project, Client: c.Client, Key: c.Key, Label: c.Label,
				Name: name, Rev: c.Rulesets[name], Newest: current.Number, Seen: c.Seen,
			}
			if s.Behind() {
				s.Since = current.Since
			}
			standings = append(standings, s)
		}
	}
	return standings, nil
}

// A Lag counts the consumers that are behind.
type Lag struct {
	Consumers int           // that are known
	Behind    int           // of them, with at least one older revision
	Longest   time.Duration // since the newest revision that a consumer does not have
}

// LagOf returns the lag of standings at a time.
func LagOf(standings []Standing, now time.Time) Lag {
	known, behind := map[string]bool{}, map[string]bool{}
	var lag Lag
	for _, s := range standings {
		id := Consumer{Project: s.Project, Client: s.Client, Key: s.Key, Label: s.Label}.id()
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
