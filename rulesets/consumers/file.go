package consumers

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/gofrs/flock"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Limits of a book.
const (
	MaxConsumers = 10_000
	MaxRulesets  = 2_000 // of one consumer
	maxWord      = 128   // bytes of a project's or client's name
)

// seenEvery is the time after which a report without news is written all the same.
const seenEvery = time.Hour

// A Consumer is a client of a project, or a client that reads rulesets as a caller.
type Consumer struct {
	Project  string               `json:"project,omitempty"` // empty for callers
	Client   string               `json:"client"`
	Key      string               `json:"key,omitempty"` // the id of the key that reported
	Seen     time.Time            `json:"seen"`
	Rulesets map[ruleset.Name]int `json:"rulesets"`
}

// id identifies a consumer: a project is the same with every key.
func (c Consumer) id() string {
	if c.Project != "" {
		return "p\x00" + c.Project + "\x00" + c.Client
	}
	return "k\x00" + c.Key + "\x00" + c.Client
}

// A Report says which revisions a consumer has.
type Report struct {
	Project, Client, Key string
	Rulesets             map[ruleset.Name]int
	// Adds keeps the rulesets that the consumer had besides; else they are all.
	Adds bool
}

// check refuses what a book does not record.
func (r Report) check() error {
	for _, word := range []string{r.Project, r.Client, r.Key} {
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

// A Book is a file of consumers.
type Book struct {
	file string
	now  func() time.Time
	mu   sync.Mutex
}

// Open returns the book in a file, which is made with the first report.
func Open(file string, now func() time.Time) *Book { return &Book{file: file, now: now} }

// Report records a report. One without news is mostly not written.
func (b *Book) Report(r Report) error {
	if err := r.check(); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	all, err := b.load()
	if err != nil {
		return err
	}
	fresh := Consumer{Project: r.Project, Client: r.Client, Key: r.Key, Seen: b.now().UTC().Truncate(time.Second), Rulesets: r.Rulesets}
	if old := all[fresh.id()]; !fresh.news(old, r.Adds) {
		return nil
	}
	return b.change(fresh, r.Adds)
}

// news reports whether a report says more than the book.
func (c Consumer) news(old Consumer, adds bool) bool {
	if c.Seen.Sub(old.Seen) > seenEvery {
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

// change adds a consumer to the file, with the lock that processes share.
func (b *Book) change(fresh Consumer, adds bool) (err error) {
	if err := os.MkdirAll(filepath.Dir(b.file), 0o700); err != nil {
		return err
	}
	lock := flock.New(b.file + ".lock")
	if err := lock.Lock(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	all, err := b.load()
	if err != nil {
		return err
	}
	if old, known := all[fresh.id()]; known && adds {
		merged := maps.Clone(old.Rulesets)
		if merged == nil {
			merged = map[ruleset.Name]int{}
		}
		maps.Copy(merged, fresh.Rulesets)
		if fresh.Rulesets = merged; len(merged) > MaxRulesets {
			return nil
		}
	}
	all[fresh.id()] = fresh
	return b.write(bounded(all))
}

// bounded returns the consumers that were heard of last.
func bounded(all map[string]Consumer) []Consumer {
	list := slices.SortedFunc(maps.Values(all), func(a, b Consumer) int {
		return cmp.Or(b.Seen.Compare(a.Seen), strings.Compare(a.id(), b.id()))
	})
	return list[:min(len(list), MaxConsumers)]
}

func (b *Book) load() (map[string]Consumer, error) {
	text, err := os.ReadFile(b.file)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]Consumer{}, nil
	}
	if err != nil {
		return nil, err
	}
	var list []Consumer
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", b.file, err)
	}
	all := make(map[string]Consumer, len(list))
	for _, c := range list {
		all[c.id()] = c
	}
	return all, nil
}

// write replaces the file by a new one.
func (b *Book) write(list []Consumer) error {
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(b.file), ".consumers-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(text)
	if err = errors.Join(err, temp.Close()); err == nil {
		err = os.Rename(temp.Name(), b.file)
	}
	if err != nil {
		_ = os.Remove(temp.Name()) // it may be renamed already
	}
	return err
}

// All returns the consumers, by project and client.
func (b *Book) All() ([]Consumer, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	all, err := b.load()
	if err != nil {
		return nil, err
	}
	return slices.SortedFunc(maps.Values(all), func(a, b Consumer) int {
		return cmp.Or(strings.Compare(a.Project, b.Project), strings.Compare(a.Client, b.Client), strings.Compare(a.Key, b.Key))
	}), nil
}
