package consumers

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"
	"unicode"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Limits of a book.
const (
	MaxConsumers = 10_000
	MaxRulesets  = 2_000    // of one consumer
	MaxBytes     = 16 << 20 // of all consumers as JSON
	maxWord      = 128      // bytes of a project's or client's name
)

// seenEvery is the time after which a report without news is written all the same.
const seenEvery = time.Hour

// A Book records consumers. Its methods may be called from any goroutine, and several
// processes may have the same book open.
type Book interface {
	// Report records a report. One without news is mostly not written.
	Report(ctx context.Context, r Report) error
	// All returns the consumers, by project, client, key and label.
	All(ctx context.Context) ([]Consumer, error)
	// Add records consumers of another book, except those of which this one has a
	// later report.
	Add(ctx context.Context, all []Consumer) error
	Close() error
}

// A Consumer is a client of a project, or a client that reads rulesets as a caller.
type Consumer struct {
	Project  string               `json:"project,omitempty"` // empty for callers
	Client   string               `json:"client"`
	Key      string               `json:"key,omitempty"`   // the id of the key that reported
	Label    ruleset.Label        `json:"label,omitempty"` // of the revisions that it reads; empty for the newest
	Seen     time.Time            `json:"seen"`
	Rulesets map[ruleset.Name]int `json:"rulesets"`
}

// id identifies a consumer. A project is the same with every key and label; a caller
// may read at several labels.
func (c Consumer) id() string {
	if c.Project != "" {
		return strings.Join([]string{"p", c.Project, c.Client}, "\x00")
	}
	words := []string{"k", c.Key, c.Client}
	if c.Label != "" {
		words = append(words, string(c.Label))
	}
	return strings.Join(words, "\x00")
}

// compare orders consumers by project, client, key and label.
func compare(a, b Consumer) int {
	for _, pair := range [][2]string{{a.Project, b.Project}, {a.Client, b.Client}, {a.Key, b.Key}, {string(a.Label), string(b.Label)}} {
		if n := strings.Compare(pair[0], pair[1]); n != 0 {
			return n
		}
	}
	return 0
}

// A Report says which revisions a consumer has.
type Report struct {
	Project, Client, Key string
	Label                ruleset.Label
	Rulesets             map[ruleset.Name]int
	// Adds keeps the rulesets that the consumer had besides; else they are all.
	Adds bool
}

// check returns an error for a report that a book does not record.
func (r Report) check() error {
	for _, word := range []string{r.Project, r.Client, r.Key, string(r.Label)} {
		if len(word) > maxWord || strings.ContainsFunc(word, unicode.IsControl) {
			return fmt.Errorf("%.40q is no name of a project or client: at most %d bytes, and no control characters", word, maxWord)
		}
		if strings.ContainsAny(word, `/\`) {
			return fmt.Errorf("%q looks like a path; a project is a name", word)
		}
	}
	if len(r.Rulesets) > MaxRulesets {
		return fmt.Errorf("%d rulesets; at most %d are recorded of one consumer", len(r.Rulesets), MaxRulesets)
	}
	return nil
}

// consumer returns the consumer of a report, with the rulesets of the report only.
func (r Report) consumer(now time.Time) Consumer {
	return Consumer{
		Project: r.Project, Client: r.Client, Key: r.Key, Label: r.Label,
		Seen: now.UTC().Truncate(time.Second), Rulesets: r.Rulesets,
	}
}

// after returns a consumer that had old before the report. It reports false if there is
// nothing to write: no news, or more rulesets than are recorded.
func (r Report) after(old Consumer, now time.Time) (fresh Consumer, write bool) {
	fresh = r.consumer(now)
	if !fresh.isNews(old, r.Adds) {
		return old, false
	}
	all := map[ruleset.Name]int{}
	if r.Adds {
		maps.Copy(all, old.Rulesets)
	}
	maps.Copy(all, r.Rulesets)
	fresh.Rulesets = all
	return fresh, len(all) <= MaxRulesets
}

// isNews reports whether a consumer differs from its record in a book, or the record is
// older than seenEvery.
func (c Consumer) isNews(old Consumer, adds bool) bool {
	if c.Seen.Sub(old.Seen) > seenEvery || c.Label != old.Label {
		return true
	}
	if !adds && len(c.Rulesets) != len(old.Rulesets) {
		return true
	}
	for name, rev := range c.Rulesets {
		if old.Rulesets[name] != rev {
			return true
		}
	}
	return false
}
