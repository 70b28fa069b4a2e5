package webhook

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/rulesets/internal/memstore"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// A contract is a test of a record. open opens the same one again.
type contract func(t *testing.T, open func() Record)

// Records in a file, on a server and on a cluster keep the contract.
func TestSharedRecords(t *testing.T) {
	contracts := map[string]contract{
		"what is recorded": whatIsRecorded, "nothing at first": nothingAtFirst, "one leads": oneLeads, "one sends": oneSends,
	}
	for name, test := range contracts {
		t.Run("file/"+name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "new", "webhook.json")
			test(t, func() Record {
				f := OpenFile(file)
				f.every = time.Millisecond
				return f
			})
		})
	}
	for kind, url := range map[string]string{
		"server": "valkey://" + valkeytest.Start(t).Addr, "cluster": "valkey+cluster://" + valkeytest.StartCluster(t).Addr,
	} {
		for name, test := range contracts {
			t.Run(kind+"/"+name, func(t *testing.T) {
				test(t, func() Record { return openValkey(t, url, name) })
			})
		}
	}
}

// openValkey opens a record whose process loses the lead only if the test says so.
func openValkey(t *testing.T, url, target string) *Valkey {
	t.Helper()
	v, err := OpenValkey(t.Context(), url, "team:", target, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = v.Close() }) // its server ends anyhow
	v.life, v.every = time.Hour, time.Millisecond
	return v
}

// lead calls do while the record's process leads.
func lead(t *testing.T, r Record, do func(ctx context.Context)) {
	t.Helper()
	err := r.Lead(t.Context(), func(ctx context.Context) error {
		do(ctx)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// The next process knows the revisions that the one before has recorded.
func whatIsRecorded(t *testing.T, open func() Record) {
	want := map[ruleset.Name]int{}
	for n := range fieldsAtOnce + 1 {
		want[ruleset.Name(fmt.Sprint("r", n))] = n + 1
	}
	lead(t, open(), func(ctx context.Context) {
		first := open()
		if known, err := first.Known(ctx); known != nil || err != nil {
			t.Errorf("before the beginning: %v, %v", known, err)
		}
	})
	r := open()
	lead(t, r, func(ctx context.Context) {
		check(t, r.Begin(ctx, want))
		if before, err := r.Signer(ctx, "a"); before != "" || err != nil {
			t.Errorf("signer %q, %v", before, err)
		}
		check(t, r.Accepted(ctx, Message{Name: "r5", Rev: 77}))
		check(t, r.Accepted(ctx, Message{Name: "new", Rev: 1}))
		check(t, r.Accepted(ctx, Message{Name: "r6"}))
	})
	want["r5"], want["new"] = 77, 1
	delete(want, "r6")
	next := open()
	lead(t, next, func(ctx context.Context) {
		known, err := next.Known(ctx)
		if diff := cmp.Diff(want, known); diff != "" || err != nil {
			t.Errorf("%v, -want +got:\n%s", err, diff)
		}
		if before, err := next.Signer(ctx, "b"); before != "a" || err != nil {
			t.Errorf("signer %q, %v", before, err)
		}
	})
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

// An empty store has a beginning, too.
func nothingAtFirst(t *testing.T, open func() Record) {
	r := open()
	lead(t, r, func(ctx context.Context) { check(t, r.Begin(ctx, map[ruleset.Name]int{})) })
	if known, err := open().Known(t.Context()); known == nil || len(known) != 0 || err != nil {
		t.Errorf("%v, %v", known, err)
	}
}

// One process at a time leads, and all that wait do in the end.
func oneLeads(t *testing.T, open func() Record) {
	var mu sync.Mutex
	leading, led := 0, 0
	var group sync.WaitGroup
	for range 5 {
		r := open()
		group.Go(func() {
			lead(t, r, func(context.Context) {
				mu.Lock()
				leading++
				led++
				if leading != 1 {
					t.Errorf("%d lead", leading)
				}
				mu.Unlock()
				time.Sleep(time.Millisecond)
				mu.Lock()
				leading--
				mu.Unlock()
			})
		})
	}
	group.Wait()
	if led != 5 {
		t.Errorf("%d have led", led)
	}
}

// A process that another one has succeeded records nothing, and waits for its turn.
func TestLostLease(t *testing.T) {
	url := "valkey://" + valkeytest.Start(t).Addr
	r := openValkey(t, url, "hook")
	r.renew = time.Millisecond
	leads := 0
	lead(t, r, func(ctx context.Context) {
		if leads++; leads > 1 {
			return
		}
		check(t, r.Begin(ctx, map[ruleset.Name]int{"a": 1}))
		check(t, r.client.Set(ctx, r.keys[1], "another", 0).Err())
		if err := r.Accepted(ctx, Message{Name: "a", Rev: 2}); !errors.Is(err, errLostLease) {
			t.Errorf("recording without the lease: %v", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Minute):
			t.Error("it goes on")
		}
		check(t, r.client.Del(t.Context(), r.keys[1]).Err())
	})
	known, err := r.Known(t.Context())
	if diff := cmp.Diff(map[ruleset.Name]int{"a": 1}, known); diff != "" || err != nil || leads != 2 {
		t.Errorf("it has led %d times; %v, -want +got:\n%s", leads, err, diff)
	}
}

// A process that does not reach the server ends its turn before the lease ends.
func TestLeaseThatCannotBeRenewed(t *testing.T) {
	server := valkeytest.Start(t)
	r := openValkey(t, "valkey://"+server.Addr, "hook")
	r.life, r.renew = time.Second, time.Millisecond
	ctx, stop := context.WithCancel(t.Context())
	err := r.Lead(ctx, func(turn context.Context) error {
		check(t, r.client.Close()) // as good as a server that is away
		select {
		case <-turn.Done():
		case <-time.After(time.Minute):
			t.Error("it goes on")
		}
		if !errors.Is(context.Cause(turn), errLostLease) {
			t.Errorf("cause %v", context.Cause(turn))
		}
		stop()
		return turn.Err()
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Of two servers with one store one sends, and the other one when that ends.
func oneSends(t *testing.T, open func() Record) {
	store := memstore.New(time.Now)
	to := newReceiver(t)
	create := func(names ...string) {
		for _, name := range names {
			if _, err := ruleset.Create(t.Context(), store, ruleset.Draft{Name: ruleset.Name(name), Markdown: "A"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	create("known")
	first := begin(t, store, to.URL, open())
	waitKnown(t, open(), 1)
	second := begin(t, store, to.URL, open())
	create("a", "b", "c", "d", "e")
	got := map[ruleset.Name]int{}
	for range 5 {
		got[to.next(t).Name]++
	}
	waitKnown(t, open(), 6)
	first()
	create("f", "g")
	for range 2 {
		got[to.next(t).Name]++
	}
	waitKnown(t, open(), 8)
	second()
	if want := map[ruleset.Name]int{"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1, "g": 1}; cmp.Diff(want, got) != "" || len(to.accepted) != 0 {
		t.Errorf("it was told %v, and %d times more", got, len(to.accepted))
	}
}

// waitKnown waits until a record has a number of rulesets.
func waitKnown(t *testing.T, r Record, want int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		known, err := r.Known(t.Context())
		maps.DeleteFunc(known, func(name ruleset.Name, _ int) bool { return isCount(name) })
		if len(known) == want && err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d rulesets are known, want %d; %v", len(known), want, err)
		}
	}
}

// A record on a server begins with the file of an installation that has moved there, once.
func TestRecordsAreInherited(t *testing.T) {
	url := "valkey://" + valkeytest.Start(t).Addr
	name := filepath.Join(t.TempDir(), "webhook.json")
	old := OpenFile(name)
	want := map[ruleset.Name]int{"a": 3, "b": 1}
	check(t, old.Begin(t.Context(), want))
	if _, err := old.Signer(t.Context(), "signer"); err != nil {
		t.Fatal(err)
	}
	for i, tt := range []struct {
		target string
		want   map[ruleset.Name]int
	}{{"first", want}, {"first", want}, {"second", nil}} {
		r := Inherit(openValkey(t, url, tt.target), OpenFile(name))
		lead(t, r, func(ctx context.Context) {
			got, err := r.Known(ctx)
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
				t.Errorf("%d: %v, -want +got:\n%s", i, err, diff)
			}
			if tt.want == nil {
				return
			}
			if before, err := r.Signer(ctx, "signer"); before != "signer" || err != nil {
				t.Errorf("%d: signer %q, %v", i, before, err)
			}
		})
	}
}
