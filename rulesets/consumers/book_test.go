package consumers

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/rulesets/internal/memstore"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func at(t *time.Time) func() time.Time { return func() time.Time { return *t } }

// Fifty consumers report through two processes at once; the book knows who is behind.
func TestFiftyConsumers(t *testing.T) {
	now := noon
	store := memstore.New(at(&now))
	if _, err := store.Create(t.Context(), ruleset.Draft{Name: "a", Markdown: "1"}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "new", "consumers.json")
	books := []*Book{Open(file, at(&now)), Open(file, at(&now))}
	var group sync.WaitGroup
	for n := range 50 {
		group.Go(func() {
			r := Report{Project: fmt.Sprintf("p%02d", n/2), Client: []string{"cursor", "claude"}[n%2], Key: "k", Rulesets: map[ruleset.Name]int{"a": 1, "gone": 3}}
			if err := books[n%2].Report(r); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	now = noon.Add(time.Hour)
	text := "2"
	if _, err := store.Update(t.Context(), "a", ruleset.Patch{Markdown: &text}); err != nil {
		t.Fatal(err)
	}
	for _, client := range []string{"cursor", "claude"} {
		if err := books[0].Report(Report{Project: "p00", Client: client, Key: "k", Rulesets: map[ruleset.Name]int{"a": 2}}); err != nil {
			t.Fatal(err)
		}
	}
	all, err := books[1].All()
	if err != nil || len(all) != 50 {
		t.Fatalf("%d consumers, %v", len(all), err)
	}
	standings, err := Standings(t.Context(), store, all)
	if err != nil {
		t.Fatal(err)
	}
	want := []Standing{
		{Project: "p00", Client: "claude", Key: "k", Name: "a", Rev: 2, Newest: 2, Seen: now},
		{Project: "p00", Client: "cursor", Key: "k", Name: "a", Rev: 2, Newest: 2, Seen: now},
		{Project: "p01", Client: "claude", Key: "k", Name: "a", Rev: 1, Newest: 2, Seen: noon, Since: now},
		{Project: "p01", Client: "claude", Key: "k", Name: "gone", Rev: 3, Newest: 0, Seen: noon},
	}
	if diff := cmp.Diff(want, standings[:4]); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if lag := LagOf(standings, now.Add(time.Minute)); lag != (Lag{Consumers: 50, Behind: 48, Longest: time.Minute}) {
		t.Errorf("%+v", lag)
	}
}

// Reads of a client add up; reports without news are not written.
func TestReadsAddUp(t *testing.T) {
	now := noon
	b := Open(filepath.Join(t.TempDir(), "c.json"), at(&now))
	for _, name := range []ruleset.Name{"a", "b", "a"} {
		if err := b.Report(Report{Client: "claude-code", Key: "k", Rulesets: map[ruleset.Name]int{name: 1}, Adds: true}); err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Minute)
	}
	all, err := b.All()
	want := []Consumer{{Client: "claude-code", Key: "k", Seen: noon.Add(time.Minute), Rulesets: map[ruleset.Name]int{"a": 1, "b": 1}}}
	if diff := cmp.Diff(want, all); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

// Paths, contents and what is too much are refused.
func TestReportRefuses(t *testing.T) {
	b := Open(filepath.Join(t.TempDir(), "c.json"), time.Now)
	many := map[ruleset.Name]int{}
	for n := range MaxRulesets + 1 {
		many[ruleset.Name(fmt.Sprint("r", n))] = 1
	}
	for _, r := range []Report{{Project: "/home/me/x"}, {Project: `C:\x`}, {Client: "a\nb"}, {Project: string(make([]byte, 200))}, {Rulesets: many}} {
		if err := b.Report(r); err == nil {
			t.Errorf("%.60v was recorded", r)
		}
	}
	if all, err := b.All(); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
}
