package keys_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/quota"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

var enterprise = keys.Settings{Name: "first", Plan: quota.Enterprise}

// Many servers that start together on an empty store make one key among them.
func TestFirstKeyIsMadeOnce(t *testing.T) {
	server := valkeytest.Start(t)
	client := valkeytest.Client(t, "redis://"+server.Addr)
	dir := t.TempDir()
	for name, open := range map[string]func() keys.Store{
		"valkey": func() keys.Store { return keys.OpenValkey(client, "", quiet, time.Now) },
		"file": func() keys.Store {
			s, err := keys.OpenFile(dir, quiet, time.Now)
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			var made atomic.Int64
			var starting sync.WaitGroup
			for range 8 {
				store := open()
				starting.Go(func() {
					r, _, err := store.CreateFirst(t.Context(), keys.Live, enterprise)
					if err != nil {
						t.Error(err)
					}
					if r.ID != "" {
						made.Add(1)
					}
				})
			}
			starting.Wait()
			all, err := open().List(t.Context())
			if made.Load() != 1 || len(all) != 1 || err != nil {
				t.Errorf("%d keys were made and there are %d, %v; want 1", made.Load(), len(all), err)
			}
		})
	}
}

// A store that has lost its ring is not given a first key, and a server that knew the
// ring says that keys cannot be looked up, not that they are unknown.
func TestLostRing(t *testing.T) {
	t.Parallel() // it waits
	server := valkeytest.Start(t)
	client := valkeytest.Client(t, "redis://"+server.Addr)
	store := keys.OpenValkey(client, "", quiet, time.Now)
	_, token, err := store.CreateFirst(t.Context(), keys.Live, enterprise)
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Del(t.Context(), "triptych:keys:ring").Err(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := keys.OpenValkey(client, "", quiet, time.Now).CreateFirst(t.Context(), keys.Live, enterprise); !errors.Is(err, keys.ErrLost) {
		t.Errorf("%v, want ErrLost", err)
	}
	time.Sleep(keys.MaxAge) // until the answer from memory is too old
	if _, err := store.Find(t.Context(), token); !errors.Is(err, keys.ErrUnavailable) {
		t.Errorf("%v, want ErrUnavailable", err)
	}
}

// A key that a server has seen revoked stays revoked when the store goes back to a
// state before that, and the server revokes it there again.
func TestRevokedStaysRevoked(t *testing.T) {
	t.Parallel() // it waits
	server := valkeytest.Start(t)
	client := valkeytest.Client(t, "redis://"+server.Addr)
	store := keys.OpenValkey(client, "", quiet, time.Now)
	r, token, err := store.Create(t.Context(), keys.Live, enterprise)
	if err != nil {
		t.Fatal(err)
	}
	before := client.HGetAll(t.Context(), "triptych:keys:ring").Val()
	if _, err := store.Revoke(t.Context(), r.ID); err != nil {
		t.Fatal(err)
	}
	before["version"] = "that of another primary"
	if err := client.HSet(t.Context(), "triptych:keys:ring", before).Err(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(keys.MaxAge) // until the answer from memory is too old
	found, err := store.Find(t.Context(), token)
	if err != nil || found.Revoked.IsZero() {
		t.Fatalf("%+v, %v, want that it is revoked", found, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var watching sync.WaitGroup
	watching.Go(func() { _ = store.Watch(ctx) }) // always nil
	defer watching.Wait()
	defer stop()
	other := keys.OpenValkey(client, "", quiet, time.Now)
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if again, err := other.Get(t.Context(), r.ID); err == nil && !again.Revoked.IsZero() {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("it is not revoked in the store again")
		}
	}
}

// A store at its limit of memory still takes revocations, and no new keys.
func TestRevokeWithoutMemory(t *testing.T) {
	server := valkeytest.Start(t)
	client := valkeytest.Client(t, "redis://"+server.Addr)
	store := keys.OpenValkey(client, "", quiet, time.Now)
	r, _, err := store.Create(t.Context(), keys.Live, enterprise)
	if err != nil {
		t.Fatal(err)
	}
	if err := client.ConfigSet(t.Context(), "maxmemory", "1").Err(); err != nil {
		t.Fatal(err)
	}
	if got, err := store.Revoke(t.Context(), r.ID); err != nil || got.Revoked.IsZero() {
		t.Errorf("%+v, %v, want that it is revoked", got, err)
	}
	if _, _, err := store.Create(t.Context(), keys.Live, enterprise); !errors.Is(err, keys.ErrUnavailable) {
		t.Errorf("%v, want ErrUnavailable", err)
	}
}
