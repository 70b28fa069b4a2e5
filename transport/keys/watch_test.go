package keys

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

// A notice of a change comes at once, mostly: in most rounds within promptly.
// Polling alone would be that quick in one round of four.
const (
	rounds   = 12
	most     = 8
	promptly = pollEvery / 4
)

var discard = slog.New(slog.DiscardHandler)

// hears runs a watch on one handle and makes changes through another one; no
// look-up helps the watch.
func hears(t *testing.T, heard func(id string) bool, watch func(context.Context) error, other Store) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { _ = watch(ctx) }) // nil
	defer wg.Wait()
	defer stop()
	quick := 0
	for try := 0; quick < most && try < 5; try++ { // the machine may be busy
		quick = countQuick(t, heard, other)
	}
	if quick < most {
		t.Errorf("%d of %d changes were heard within %v, want %d", quick, rounds, promptly, most)
	}
}

// countQuick makes changes and returns how many the watcher heard promptly.
func countQuick(t *testing.T, heard func(id string) bool, other Store) (quick int) {
	t.Helper()
	for round := range rounds {
		r, _, err := other.Create(t.Context(), Live, Settings{})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		for !heard(r.ID) {
			if time.Since(began) > 20*time.Second {
				t.Fatalf("round %d: nothing was heard", round)
			}
			time.Sleep(time.Millisecond)
		}
		if time.Since(began) < promptly {
			quick++
		}
	}
	return quick
}

// has looks without asking.
func (c *cache) has(id string) bool {
	r := c.last.Load()
	if r == nil {
		return false
	}
	_, err := r.get(id)
	return err == nil
}

func TestWatchOfAFileIsPrompt(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	open := func() *FileStore {
		s, err := OpenFile(dir, discard, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	watcher := open()
	hears(t, watcher.has, watcher.Watch, open()) // there is no folder at first
}

func TestWatchOfAServerIsPrompt(t *testing.T) {
	fake := miniredis.RunT(t)
	open := func() *ValkeyStore {
		client := redis.NewClient(&redis.Options{Addr: fake.Addr()})
		t.Cleanup(func() { _ = client.Close() }) // its server ends anyhow
		return OpenValkey(client, "", discard, time.Now)
	}
	watcher := open()
	hears(t, func(string) bool { // the last change is the only one
		return string(watcher.cached.known()) == fake.HGet(watcher.names.ring, valkeyVersion)
	}, watcher.Watch, open())
}
