package valkeystore_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/rulesets/internal/storetest"
	"github.com/triptych-mcp/triptych/rulesets/internal/valkeystore"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

var quiet = slog.New(slog.DiscardHandler)

func open(t *testing.T, url string, now func() time.Time) *valkeystore.Store {
	t.Helper()
	s, err := valkeystore.Open(t.Context(), url, "", quiet, now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestContractOnAFake(t *testing.T) {
	storetest.Run(t, func(t *testing.T, clock *storetest.Clock) (ruleset.Store, func() ruleset.Store) {
		url := "valkey://" + miniredis.RunT(t).Addr()
		again := func() ruleset.Store { return open(t, url, clock.Now) }
		return again(), again
	})
}

func TestContractOnAServer(t *testing.T) {
	server := valkeytest.Start(t, "--databases", "64")
	db := 0
	storetest.Run(t, func(t *testing.T, clock *storetest.Clock) (ruleset.Store, func() ruleset.Store) {
		url := fmt.Sprintf("redis://%s/%d", server.Addr, db)
		db++ // a new, empty one
		again := func() ruleset.Store { return open(t, url, clock.Now) }
		return again(), again
	})
}

// TestDocumentedHash reads with a plain client what the store writes, and the
// other way round.
func TestDocumentedHash(t *testing.T) {
	at := time.Date(2025, 10, 29, 10, 30, 0, 0, time.UTC)
	addr := miniredis.RunT(t).Addr()
	client := redis.NewClient(&redis.Options{Addr: addr})
	defer func() { _ = client.Close() }() // the fake ends anyhow
	foreign := map[string]any{
		"description": "Go", "tags": `["go","style"]`, "markdown": "# Go", "created_at": "2025-10-29T12:30:00+02:00", "last_modified": "2025-10-29T15:45:00Z",
	}
	for key, fields := range map[string]map[string]any{"ruleset:go_style": foreign, "ruleset:Not-A-Name": foreign, "rulesetx": foreign} {
		if err := client.HSet(t.Context(), key, fields).Err(); err != nil {
			t.Fatal(err)
		}
	}
	if err := client.Set(t.Context(), "ruleset:a_string", "x", 0).Err(); err != nil {
		t.Fatal(err)
	}
	s := open(t, "valkey://"+addr, func() time.Time { return at })
	want := ruleset.Meta{Name: "go_style", Description: "Go", Tags: []string{"go", "style"}, CreatedAt: at, LastModified: at.Add(5*time.Hour + 15*time.Minute)}
	metas, _, err := s.List(t.Context(), ruleset.Page{})
	if err != nil {
		t.Fatal(err)
	}
	want.Summary = ruleset.Summary{Bytes: len("# Go"), Activation: "always"}
	if diff := cmp.Diff([]ruleset.Meta{want}, metas); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
	if _, err := s.Get(t.Context(), "a_string"); err == nil {
		t.Error("a string was read as a ruleset")
	}
	if _, err := ruleset.Create(t.Context(), s, ruleset.Draft{Name: "mine", Description: "d", Tags: []string{"a<b"}, Markdown: "m"}); err != nil {
		t.Fatal(err)
	}
	got, err := client.HGetAll(t.Context(), "ruleset:mine").Result()
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]string{
		"description": "d", "tags": `["a<b"]`, "markdown": "m", "created_at": "2025-10-29T10:30:00Z", "last_modified": "2025-10-29T10:30:00Z",
	}
	if diff := cmp.Diff(documented, got); diff != "" {
		t.Errorf("hash (-want +got):\n%s", diff)
	}
	if err := client.Del(t.Context(), "ruleset:go_style").Err(); err != nil {
		t.Fatal(err)
	}
	if metas, _, err := s.List(t.Context(), ruleset.Page{}); err != nil || len(metas) != 1 || metas[0].Name != "mine" {
		t.Errorf("after a deletion by another program the list is %v, %v", metas, err)
	}
}

func TestConnectFailures(t *testing.T) {
	server := valkeytest.Start(t, "--requirepass", "sesame")
	for _, url := range []string{
		"valkey://127.0.0.1:1", "redis://:wrongsecret@" + server.Addr, "redis://:wrongsecret@host:port", "redis://:wrongsecret@" + server.Addr + "/x",
	} {
		_, err := valkeystore.Open(t.Context(), url, "", quiet, time.Now)
		if err == nil || !strings.HasPrefix(err.Error(), "failed to connect to Valkey: ") || strings.Contains(err.Error(), "wrongsecret") {
			t.Errorf("%s: %v", url, err)
		}
	}
	open(t, "redis://:sesame@"+server.Addr, time.Now)
}

// TestServerThatGoesAndComesBack writes all the while: errors while it is
// away, recovery by itself, and nothing that was acknowledged is lost.
func TestServerThatGoesAndComesBack(t *testing.T) {
	server := valkeytest.Start(t, "--appendonly", "yes", "--appendfsync", "always")
	s := open(t, "valkey://"+server.Addr, time.Now)
	ctx, stop := context.WithCancel(t.Context())
	var mu sync.Mutex
	var kept []ruleset.Name
	failures := 0
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				name := ruleset.Name(fmt.Sprintf("n%d_%d", w, i))
				_, err := ruleset.Create(t.Context(), s, ruleset.Draft{Name: name})
				mu.Lock()
				if _, away := errors.AsType[*ruleset.UnavailableError](err); away {
					failures++
				} else if err == nil {
					kept = append(kept, name)
				} else { // also "exists": every name is tried once
					t.Errorf("Create: %v", err)
				}
				mu.Unlock()
				time.Sleep(time.Millisecond) // a load, not a flood
			}
		})
	}
	counted := func(is func() bool) func() bool {
		return func() bool {
			mu.Lock()
			defer mu.Unlock()
			return is()
		}
	}
	eventually(t, "some are acknowledged", counted(func() bool { return len(kept) >= 20 }))
	server.Stop()
	eventually(t, "some fail while the server is away", counted(func() bool { return failures >= 4 }))
	server.Run()
	eventually(t, "the store recovers", func() bool {
		_, err := ruleset.Search(t.Context(), s, "none")
		return err == nil
	})
	stop()
	wg.Wait()
	for _, name := range kept {
		if _, err := s.Get(t.Context(), name); err != nil {
			t.Fatalf("%s was acknowledged: %v", name, err)
		}
	}
	if _, err := ruleset.Create(t.Context(), s, ruleset.Draft{Name: "afterwards"}); err != nil {
		t.Errorf("after its return: %v", err)
	}
	t.Logf("%d acknowledged, %d failed", len(kept), failures)
}
