package consumers

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func at(t *time.Time) func() time.Time { return func() time.Time { return *t } }

// A contract is a test of a book. open opens the same one again.
type contract func(t *testing.T, now *time.Time, open func() Book)

// Both kinds of books keep the contract, the server also as a cluster.
func TestBooks(t *testing.T) {
	contracts := map[string]contract{
		"fifty consumers": fiftyConsumers, "reads add up": readsAddUp, "without news": withoutNews,
		"labels": labels, "add": add, "refuses": refuses,
	}
	t.Run("file", func(t *testing.T) {
		for name, test := range contracts {
			t.Run(name, func(t *testing.T) {
				now, file := noon, filepath.Join(t.TempDir(), "new", "consumers.json")
				test(t, &now, func() Book { return OpenFile(file, at(&now)) })
			})
		}
	})
	for kind, start := range map[string]func(t *testing.T) string{
		"server":  func(t *testing.T) string { return "valkey://" + valkeytest.Start(t).Addr },
		"cluster": func(t *testing.T) string { return "valkey+cluster://" + valkeytest.StartCluster(t).Addr },
	} {
		t.Run(kind, func(t *testing.T) {
			url := start(t)
			for name, test := range contracts {
				t.Run(name, func(t *testing.T) {
					now := noon
					test(t, &now, func() Book { return openValkey(t, url, strings.ReplaceAll(name, " ", "_")+":", &now) })
				})
			}
		})
	}
}

func openValkey(t *testing.T, url, prefix string, now *time.Time) *Valkey {
	t.Helper()
	b, err := OpenValkey(t.Context(), url, prefix, slog.New(slog.DiscardHandler), at(now))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() }) // its server ends anyhow
	b.wait = time.Minute                // many tries on a busy machine
	return b
}

func allOf(t *testing.T, b Book) []Consumer {
	t.Helper()
	all, err := b.All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func report(t *testing.T, b Book, r Report) {
	t.Helper()
	if err := b.Report(t.Context(), r); err != nil {
		t.Fatal(err)
	}
}

// Fifty consumers report to two servers at once; both know who is behind.
func fiftyConsumers(t *testing.T, now *time.Time, open func() Book) {
	books := []Book{open(), open()}
	var group sync.WaitGroup
	for n := range 50 {
		group.Go(func() {
			r := Report{Project: fmt.Sprintf("p%02d", n/2), Client: []string{"cursor", "claude"}[n%2], Key: "k", Rulesets: map[ruleset.Name]int{"a": 1, "gone": 3}}
			if err := books[n%2].Report(t.Context(), r); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	*now = noon.Add(time.Hour)
	for i, client := range []string{"cursor", "claude"} {
		report(t, books[i], Report{Project: "p00", Client: client, Key: "other", Rulesets: map[ruleset.Name]int{"a": 2}})
	}
	newest := func(_ context.Context, name ruleset.Name, _ ruleset.Label) (Revision, error) {
		return map[ruleset.Name]Revision{"a": {Number: 2, Since: *now}}[name], nil
	}
	want := []Standing{
		{Project: "p00", Client: "claude", Key: "other", Name: "a", Rev: 2, Newest: 2, Seen: *now},
		{Project: "p00", Client: "cursor", Key: "other", Name: "a", Rev: 2, Newest: 2, Seen: *now},
		{Project: "p01", Client: "claude", Key: "k", Name: "a", Rev: 1, Newest: 2, Seen: noon, Since: *now},
		{Project: "p01", Client: "claude", Key: "k", Name: "gone", Rev: 3, Newest: 0, Seen: noon},
	}
	for _, b := range books {
		standings, err := Standings(t.Context(), newest, allOf(t, b))
		if err != nil || len(standings) != 2+2*48 {
			t.Fatalf("%d standings, %v", len(standings), err)
		}
		if diff := cmp.Diff(want, standings[:4]); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if lag := LagOf(standings, now.Add(time.Minute)); lag != (Lag{Consumers: 50, Behind: 48, Longest: time.Minute}) {
			t.Errorf("%+v", lag)
		}
	}
}

// Reads of a client add up, also those that arrive at two servers at the same time.
func readsAddUp(t *testing.T, _ *time.Time, open func() Book) {
	books := []Book{open(), open()}
	want := map[ruleset.Name]int{}
	var group sync.WaitGroup
	for n := range 20 {
		name := ruleset.Name(fmt.Sprint("r", n))
		want[name] = n + 1
		group.Go(func() {
			if err := books[n%2].Report(t.Context(), Report{Client: "claude-code", Key: "k", Rulesets: map[ruleset.Name]int{name: n + 1}, Adds: true}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if diff := cmp.Diff([]Consumer{{Client: "claude-code", Key: "k", Seen: noon, Rulesets: want}}, allOf(t, books[0])); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A report without news is not written before an hour has passed; one with an older
// revision is news.
func withoutNews(t *testing.T, now *time.Time, open func() Book) {
	b := open()
	for _, step := range []struct {
		after time.Duration
		rev   int
		seen  time.Time
	}{
		{0, 2, noon},
		{time.Hour, 2, noon},
		{time.Hour + time.Second, 2, noon.Add(time.Hour + time.Second)},
		{2 * time.Hour, 1, noon.Add(2 * time.Hour)},
	} {
		*now = noon.Add(step.after)
		report(t, b, Report{Client: "c", Key: "k", Rulesets: map[ruleset.Name]int{"a": step.rev}, Adds: true})
		want := []Consumer{{Client: "c", Key: "k", Seen: step.seen, Rulesets: map[ruleset.Name]int{"a": step.rev}}}
		if diff := cmp.Diff(want, allOf(t, open())); diff != "" {
			t.Errorf("after %s, -want +got:\n%s", step.after, diff)
		}
	}
}

// A consumer that reads at a label is compared with the revision at the label. A project
// has one label, a caller may read at several.
func labels(t *testing.T, _ *time.Time, open func() Book) {
	b := open()
	old, fresh := map[ruleset.Name]int{"a": 1}, map[ruleset.Name]int{"a": 2}
	report(t, b, Report{Project: "p", Client: "cursor", Rulesets: fresh})
	report(t, b, Report{Project: "p", Client: "cursor", Label: "production", Rulesets: old})
	report(t, b, Report{Client: "c", Key: "k", Label: "production", Rulesets: old, Adds: true})
	report(t, b, Report{Client: "c", Key: "k", Rulesets: old, Adds: true})
	newest := func(_ context.Context, _ ruleset.Name, label ruleset.Label) (Revision, error) {
		if label == "production" {
			return Revision{Number: 1, Since: noon}, nil
		}
		return Revision{Number: 2, Since: noon}, nil
	}
	standings, err := Standings(t.Context(), newest, allOf(t, b))
	if err != nil {
		t.Fatal(err)
	}
	want := []Standing{
		{Client: "c", Key: "k", Name: "a", Rev: 1, Newest: 2, Seen: noon, Since: noon},
		{Client: "c", Key: "k", Label: "production", Name: "a", Rev: 1, Newest: 1, Seen: noon},
		{Project: "p", Client: "cursor", Label: "production", Name: "a", Rev: 1, Newest: 1, Seen: noon},
	}
	if diff := cmp.Diff(want, standings); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if lag := LagOf(standings, noon); lag.Consumers != 3 || lag.Behind != 1 {
		t.Errorf("%+v", lag)
	}
}

// Consumers of another book are added where this one has no later report.
func add(t *testing.T, now *time.Time, open func() Book) {
	b := open()
	known := Consumer{Client: "known", Key: "k", Seen: noon, Rulesets: map[ruleset.Name]int{"a": 2}}
	report(t, b, Report{Client: "known", Key: "k", Rulesets: known.Rulesets})
	stale := Consumer{Client: "known", Key: "k", Seen: noon.Add(-time.Hour), Rulesets: map[ruleset.Name]int{"a": 1}}
	other := Consumer{Client: "other", Key: "k", Seen: noon.Add(-time.Hour), Rulesets: map[ruleset.Name]int{"b": 1}}
	if err := b.Add(t.Context(), []Consumer{stale, other}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Consumer{known, other}, allOf(t, open())); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Paths, contents and what is too much are refused.
func refuses(t *testing.T, _ *time.Time, open func() Book) {
	b := open()
	many := map[ruleset.Name]int{}
	for n := range MaxRulesets + 1 {
		many[ruleset.Name(fmt.Sprint("r", n))] = 1
	}
	for _, r := range []Report{{Project: "/home/me/x"}, {Project: `C:\x`}, {Client: "a\nb"}, {Project: string(make([]byte, 200))}, {Rulesets: many}} {
		if err := b.Report(t.Context(), r); err == nil {
			t.Errorf("%.60v was recorded", r)
		}
	}
	if all := allOf(t, b); len(all) != 0 {
		t.Errorf("%v", all)
	}
}

// The consumers with the oldest reports make room, by number and by bytes, and no key is
// left of them.
func TestServerIsBounded(t *testing.T) {
	for name, limit := range map[string]func(*Valkey){
		"number": func(b *Valkey) { b.most = 3 },
		"bytes":  func(b *Valkey) { b.bytes = 250 }, // each has 74
	} {
		t.Run(name, func(t *testing.T) {
			now := noon
			b := openValkey(t, "valkey://"+valkeytest.Start(t).Addr, "", &now)
			limit(b)
			for n := range 10 {
				now = now.Add(time.Second)
				report(t, b, Report{Client: fmt.Sprint("c", n), Key: "k", Rulesets: map[ruleset.Name]int{"a": 1}})
			}
			var left []string
			for _, c := range allOf(t, b) {
				left = append(left, c.Client)
			}
			if diff := cmp.Diff([]string{"c7", "c8", "c9"}, left); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			times, err := b.client.ZCard(t.Context(), b.keys[1]).Result()
			if err != nil || times != 3 {
				t.Errorf("%d times, %v", times, err)
			}
			bytes, err := b.client.Get(t.Context(), b.keys[2]).Int()
			if want := 3 * len(`{"client":"c7","key":"k","seen":"2026-11-22T12:00:08Z","rulesets":{"a":1}}`); bytes != want || err != nil {
				t.Errorf("%d bytes, want %d; %v", bytes, want, err)
			}
		})
	}
}
