package audit

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// onStores runs a test on a fake, a server and a cluster.
// They run side by side: each record waits for its store.
func onStores(t *testing.T, test func(t *testing.T, client redis.UniversalClient)) {
	for name, open := range map[string]func(t *testing.T) redis.UniversalClient{
		"fake": func(t *testing.T) redis.UniversalClient {
			return valkeytest.Client(t, "redis://"+miniredis.RunT(t).Addr())
		},
		"server": func(t *testing.T) redis.UniversalClient {
			return valkeytest.Client(t, "redis://"+valkeytest.Start(t).Addr)
		},
		"cluster": func(t *testing.T) redis.UniversalClient { return valkeytest.StartCluster(t).Cluster(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

// A kept trail is the log of one server with a clock of the test.
type kept struct {
	t   *testing.T
	cfg ValkeyConfig
	n   int // records so far

	mu  sync.Mutex // the timers of logs read the clock, too
	now time.Time
}

func newKept(t *testing.T, client redis.UniversalClient, cfg ValkeyConfig) *kept {
	t.Helper()
	k := &kept{t: t, cfg: cfg, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	k.cfg.Client, k.cfg.KeyDir, k.cfg.Name = client, filepath.Join(t.TempDir(), "audit"), "one"
	k.cfg.Now = func() time.Time {
		k.mu.Lock()
		defer k.mu.Unlock()
		return k.now
	}
	return k
}

// pass lets the clock go on.
func (k *kept) pass(d time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.now = k.now.Add(d)
}

// open opens the log with small segments.
func (k *kept) open(segment int64) *Log {
	l := NewValkey(k.cfg)
	l.backend.(*valkeyBackend).policy.segment = segment
	return l
}

// add commits records of a key, each a second after the one before.
func (k *kept) add(l *Log, key string, n int) {
	k.t.Helper()
	for range n {
		k.n++
		k.pass(time.Second)
		seq, err := l.Append(Record{Key: key, Target: fmt.Sprint(k.n)})
		if err == nil {
			err = l.Commit(k.t.Context(), seq)
		}
		if err != nil {
			k.t.Fatal(err)
		}
	}
}

// found returns the targets of the records that a filter chooses.
func (k *kept) found(l *Log, f Filter) []string {
	k.t.Helper()
	var all []string
	for r, err := range l.Query(k.t.Context(), f) {
		if err != nil {
			k.t.Fatal(err)
		}
		all = append(all, r.Target)
	}
	return all
}

// whole verifies the trail.
func (k *kept) whole(l *Log) ChainReport {
	k.t.Helper()
	report, err := l.Verify(k.t.Context())
	if err != nil || report.Err() != nil || len(report.Chains) != 1 {
		k.t.Fatalf("%+v, %v, %v; want one whole chain", report, report.Err(), err)
	}
	return report.Chains[0]
}

// Segments older than a time are deleted, and the chain says so; so it is after a restart.
func TestStreamKeepsForATime(t *testing.T) {
	onStores(t, func(t *testing.T, client redis.UniversalClient) {
		k := newKept(t, client, ValkeyConfig{KeepFor: 100 * time.Second})
		k.cfg.Name = "gone"
		l := k.open(1 << 20) // a server that ends for good
		k.add(l, "k", 1)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		k.cfg.Name, k.n = "one", 0
		l = k.open(1 << 20)
		k.add(l, "k", 300)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		l = k.open(1 << 20)
		k.add(l, "k", 300)
		r := k.whole(l)
		// A segment begins every 25 s, and one goes whose last record is older than 100 s.
		if r.Last != 600 || r.Retired < 600-160 || r.Retired > 600-100 || r.Records != 600-r.Retired {
			t.Errorf("%+v, want that records are deleted that are older than 100 to 160 s", r)
		}
		if got := k.found(l, Filter{}); len(got) != int(r.Records) || got[len(got)-1] != "600" {
			t.Errorf("%d records are found, want %d", len(got), r.Records)
		}
		k.tidy(client, 8)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// tidy expects that there are so many segments at most, each with an index.
func (k *kept) tidy(client redis.UniversalClient, most int) {
	k.t.Helper()
	var names []string
	collect := func(ctx context.Context, c redis.UniversalClient) {
		names = append(names, c.Keys(ctx, "triptych:audit-index:*").Val()...)
	}
	if cluster, ok := client.(*redis.ClusterClient); ok {
		_ = cluster.ForEachMaster(k.t.Context(), func(ctx context.Context, node *redis.Client) error {
			collect(ctx, node)
			return nil
		})
	} else {
		collect(k.t.Context(), client)
	}
	if len(names) == 0 || len(names) > most {
		k.t.Errorf("there are %d indexes, want at most %d", len(names), most)
	}
}

// The bytes of a chain are limited.
func TestStreamKeepsBytes(t *testing.T) {
	onStores(t, func(t *testing.T, client redis.UniversalClient) {
		const keep = 40_000
		k := newKept(t, client, ValkeyConfig{KeepBytes: keep})
		l := NewValkey(k.cfg)
		k.add(l, "k", 500)
		r := k.whole(l)
		if r.Retired == 0 || r.Last != 500 || r.Records != 500-r.Retired {
			t.Errorf("%+v, want that records are deleted", r)
		}
		size := 0
		for at, err := range (&streamChain{client, streamNames{}, r.Chain}).lines(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			size += len(at.text)
		}
		if size > keep+keep/keptSegments+2000 || size < keep/2 {
			t.Errorf("%d bytes stay, want about %d", size, keep)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// A segment that is removed by others than the policy is missed.
func TestStreamThatWasTrimmedIsBroken(t *testing.T) {
	client := valkeytest.Client(t, "redis://"+valkeytest.Start(t).Addr)
	k := newKept(t, client, ValkeyConfig{})
	l := k.open(5_000)
	k.add(l, "k", 100)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	w := client.HGetAll(t.Context(), streamNames{}.segments(l.medium.(*streamWriter).id)).Val()
	x := stateOf(w)
	if len(x.segments) < 3 {
		t.Fatalf("%d segments", len(x.segments))
	}
	if err := client.XTrimMinID(t.Context(), l.medium.(*streamWriter).stream(), entryID(x.segments[1].line)).Err(); err != nil {
		t.Fatal(err)
	}
	report, err := NewValkey(k.cfg).Verify(t.Context())
	if err != nil || report.Err() == nil || !strings.Contains(report.Err().Error(), "are missing") {
		t.Errorf("%v, %v, want that segments are missing", err, report.Err())
	}
}

// Each key's records are found through the index as they are without it, in any period,
// whichever version has written the lines.
func TestIndexFindsWhatIsThere(t *testing.T) {
	t.Parallel() // it waits
	onStores(t, func(t *testing.T, client redis.UniversalClient) {
		k := newKept(t, client, ValkeyConfig{})
		l := k.open(20_000)
		keys := []string{"a", "b", `q"\uote`, "a\x01", "rare"}
		for i := range 12 {
			k.add(l, keys[i%4], 60)
			if i == 7 {
				k.add(l, "rare", 1)
			}
		}
		chain := l.medium.(*streamWriter).id
		check := func(name string) {
			t.Helper()
			for _, key := range keys {
				for _, f := range []Filter{
					{}, {From: k.now.Add(-300 * time.Second)}, {To: k.now.Add(-300 * time.Second)},
					{From: k.now.Add(-500 * time.Second), To: k.now.Add(-400 * time.Second)}, {From: k.now.Add(time.Hour)},
				} {
					f.Key = key
					want := k.scanned(l, client, chain, f)
					if got := k.found(l, f); !slices.Equal(got, want) {
						t.Errorf("%s: %q %+v: %d records %v, want %d %v", name, key, f, len(got), got, len(want), want)
					}
				}
			}
		}
		check("index")
		if got := k.found(l, Filter{Key: "rare"}); len(got) != 1 || got[0] != "481" {
			t.Errorf("rare: %v", got)
		}
		// Lines without an index, as in a chain that was restored, are entered by the first query.
		names := []string{streamNames{}.segments(chain)}
		for i := range 100 {
			names = append(names, streamNames{}.index(chain, i+1))
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if err := client.Del(t.Context(), names...).Err(); err != nil {
			t.Fatal(err)
		}
		check("no index")
		l = k.open(20_000)
		k.add(l, "b", 5)
		check("half an index")
		check("an index that a query has made")
		if from := client.HGet(t.Context(), streamNames{}.segments(chain), coveredFrom).Val(); from != "1" {
			t.Errorf("the index covers lines from %s on, want 1", from)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// scanned returns what a filter chooses of all lines.
func (k *kept) scanned(l *Log, client redis.UniversalClient, chain string, f Filter) []string {
	k.t.Helper()
	if err := l.finish(k.t.Context()); err != nil {
		k.t.Fatal(err)
	}
	var all []string
	for at, err := range (&streamChain{client, streamNames{}, chain}).lines(k.t.Context()) {
		if err != nil {
			k.t.Fatal(err)
		}
		if r, err := parseRecord(at.text); err == nil && f.wants(&r) {
			all = append(all, r.Target)
		}
	}
	return all
}

// Installations with other prefixes have trails of their own.
func TestPrefixesHaveTrailsOfTheirOwn(t *testing.T) {
	onStores(t, func(t *testing.T, client redis.UniversalClient) {
		one, two := newKept(t, client, ValkeyConfig{Prefix: "a:"}), newKept(t, client, ValkeyConfig{Prefix: "b:"})
		first, second := one.open(1000), two.open(1000)
		one.add(first, "k", 20)
		two.add(second, "k", 3)
		if r := one.whole(first); r.Records != 20 {
			t.Errorf("%+v", r)
		}
		if r := two.whole(second); r.Records != 3 {
			t.Errorf("%+v", r)
		}
		if got := two.found(second, Filter{Key: "k"}); len(got) != 3 {
			t.Errorf("found %v", got)
		}
		for _, l := range []*Log{first, second} {
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// A query that completes the index while segments are deleted leaves no entries of these
// behind, and does not make the index cover lines that are not in it.
func TestIndexThatIsCompletedWhileSegmentsGo(t *testing.T) {
	onStores(t, func(t *testing.T, client redis.UniversalClient) {
		k := newKept(t, client, ValkeyConfig{KeepFor: 100 * time.Second})
		l := k.open(1 << 20)
		k.add(l, "k", 90)
		chain := &streamChain{client, streamNames{}, l.medium.(*streamWriter).id}
		fields := func() map[string]string {
			return client.HGetAll(t.Context(), streamNames{}.segments(chain.name)).Val()
		}
		if err := client.HSet(t.Context(), streamNames{}.segments(chain.name), coveredFrom, 80).Err(); err != nil {
			t.Fatal(err)
		}
		before := stateOf(fields())
		page := client.XRange(t.Context(), streamNames{}.stream(chain.name), "1", "79").Val()
		k.add(l, "k", 200) // the query waits meanwhile
		after := stateOf(fields())
		if after.segments[0].line <= 80 || after.from != after.segments[0].line {
			t.Fatalf("%+v, want that the first segments are deleted, and the index covers the others", after)
		}
		if entered, err := chain.enter(t.Context(), before, page, 1); err != nil || entered {
			t.Errorf("entered %v, %v", entered, err)
		}
		before.from = after.from // as if it had read the hash in between
		if entered, err := chain.enter(t.Context(), before, page, 1); err != nil || !entered {
			t.Errorf("entered %v, %v", entered, err)
		}
		k.tidy(client, len(after.segments))
		if got := k.found(l, Filter{Key: "k"}); len(got) != int(k.whole(l).Records) {
			t.Errorf("%d records are found, want %d", len(got), k.whole(l).Records)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// From a checkpoint, records that were deleted by policy since are not counted.
func TestVerifyFromACheckpointAfterSegmentsWent(t *testing.T) {
	onStores(t, func(t *testing.T, client redis.UniversalClient) {
		k := newKept(t, client, ValkeyConfig{KeepFor: 100 * time.Second})
		l := k.open(1 << 20)
		from := Checkpoints{}
		incremental := 0
		for range 10 {
			k.add(l, "k", 30)
			whole := k.whole(l)
			r, err := l.VerifyFrom(t.Context(), from)
			if err != nil || r.Err() != nil || len(r.Chains) != 1 {
				t.Fatalf("%v, %v", err, r.Err())
			}
			if got := r.Chains[0]; got.Records != whole.Records || got.Retired != whole.Retired || got.Last != whole.Last {
				t.Errorf("from a checkpoint: %+v, want %+v", got, whole)
			}
			if !r.Chains[0].From.IsZero() {
				incremental++
			}
			from = r.Checkpoints()
		}
		if incremental != 9 {
			t.Errorf("%d verifications began at a checkpoint, want 9", incremental)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	})
}
