package ruleset

import (
	"context"
	"errors"
	"time"
)

// A Retention says which revisions of a history are kept when it is pruned: the newest
// ones by number, the younger ones by age, and always the newest one and those that
// have a label.
type Retention struct {
	Revisions int           // keep so many of the newest; 0 does not count them
	Age       time.Duration // keep those that are younger; 0 does not ask for their age
}

// All reports whether all revisions are kept.
func (r Retention) All() bool { return r.Revisions <= 0 && r.Age <= 0 }

// Keep reports for each revision of a history whether it is kept. history and moves are
// newest first. If both limits are set, a revision that is within one is kept.
func (r Retention) Keep(history []Revision, moves []LabelMove, now time.Time) []bool {
	labelled := map[int]bool{}
	for _, rev := range Labels(moves) {
		labelled[rev] = true
	}
	kept := make([]bool, len(history))
	for i, revision := range history {
		isAmong := r.Revisions > 0 && i < r.Revisions
		isYoung := r.Age > 0 && now.Sub(revision.At) < r.Age
		kept[i] = i == 0 || r.All() || isAmong || isYoung || labelled[revision.Number]
	}
	return kept
}

// Pruned counts what a pruning removes.
type Pruned struct {
	Rulesets  int   `json:"rulesets"` // whose history became shorter
	Revisions int   `json:"revisions"`
	Bytes     int64 `json:"bytes"`
}

// Add adds the removal of some revisions of one history.
func (p *Pruned) Add(revisions int, bytes int64) {
	if revisions > 0 {
		p.Rulesets++
		p.Revisions += revisions
		p.Bytes += bytes
	}
}

// A Pruner is a [Store] whose histories can be made shorter.
type Pruner interface {
	// Prune removes revisions that are not kept from the histories of all rulesets,
	// deleted ones too, and counts them; dry only counts.
	Prune(ctx context.Context, r Retention, dry bool) (Pruned, error)
}

// Prune calls the method of a store that is a [Pruner], or of the one that it wraps.
func Prune(ctx context.Context, s Store, r Retention, dry bool) (Pruned, error) {
	p, ok := As[Pruner](s)
	if !ok {
		return Pruned{}, errors.New("the store cannot remove revisions")
	}
	return p.Prune(ctx, r, dry)
}
