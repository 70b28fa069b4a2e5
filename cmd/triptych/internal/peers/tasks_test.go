package peers_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/peers"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// stores calls a test with a server of stores, and with a cluster.
func stores(t *testing.T, test func(*testing.T, redis.UniversalClient)) {
	t.Run("server", func(t *testing.T) { test(t, valkeytest.Client(t, "redis://"+valkeytest.Start(t).Addr)) })
	t.Run("cluster", func(t *testing.T) { test(t, valkeytest.StartCluster(t).Cluster(t)) })
}

func record(id string, size int) *host.TaskRecord {
	return &host.TaskRecord{Principal: "key with spaces {}", ID: id, Expires: time.Now().Add(time.Hour), Text: make([]byte, size)}
}

// A record is changed by one server at a time, and others hear of it.
func TestTasks(t *testing.T) {
	stores(t, func(t *testing.T, client redis.UniversalClient) {
		registry := peers.NewRegistry(client, "team:", "one")
		one, two := peers.NewTasks(client, registry), peers.NewTasks(client, peers.NewRegistry(client, "team:", "two"))
		ctx, stop := context.WithCancel(t.Context())
		var watching sync.WaitGroup
		defer watching.Wait()
		defer stop()
		heard := make(chan string, 1000)                                                                         // also what is saved before the loop below
		watching.Go(func() { _ = two.Watch(ctx, func(principal, id string) { heard <- principal + "|" + id }) }) // ends with ctx
		r := record("a", 10)
		if err := one.Save(ctx, r); err != nil || r.Version != 1 {
			t.Fatalf("version %d, %v", r.Version, err)
		}
		if err := one.Save(ctx, record("a", 10)); !errors.Is(err, host.ErrTaskChanged) {
			t.Errorf("a second new record: %v", err)
		}
		there, err := two.Load(ctx, r.Principal, "a")
		if err != nil || there.Version != 1 || there.Final || !there.Lost || len(there.Text) != 10 {
			t.Errorf("%+v, %v, want a lost record: its server is not registered", there, err)
		}
		if here, err := one.Load(ctx, r.Principal, "a"); err != nil || here.Lost {
			t.Errorf("%+v, %v: a server loses its own tasks", here, err)
		}
		if there.Text, there.Final = []byte("text"), true; two.Save(ctx, there) != nil {
			t.Error("the change of another server failed")
		}
		if err := one.Save(ctx, r); !errors.Is(err, host.ErrTaskChanged) {
			t.Errorf("a change of an old version: %v", err)
		}
		if got, err := one.Load(ctx, r.Principal, "a"); err != nil || got.Version != 2 || !got.Final || got.Lost || string(got.Text) != "text" {
			t.Errorf("%+v, %v", got, err)
		}
		for _, other := range []string{"key", ""} {
			if _, err := one.Load(ctx, other, "a"); !errors.Is(err, host.ErrNoTask) {
				t.Errorf("another principal: %v", err)
			}
		}
		for n := 0; ; n++ { // until the subscription is there
			if err := one.Save(ctx, record(fmt.Sprint("b", n), 1)); err != nil {
				t.Fatal(err)
			}
			select {
			case got := <-heard:
				switch {
				case strings.HasPrefix(got, r.Principal+"|b"):
					return
				case got != r.Principal+"|a":
					t.Errorf("heard %q", got)
				}
			case <-time.After(50 * time.Millisecond):
			}
		}
	})
}

// A principal has so many tasks and bytes at all servers; those that have ended make room
// for new ones, the oldest first.
func TestTasksAreBounded(t *testing.T) {
	stores(t, func(t *testing.T, client redis.UniversalClient) {
		stores := []*peers.Tasks{peers.NewTasks(client, peers.NewRegistry(client, "team:", "one")), peers.NewTasks(client, peers.NewRegistry(client, "team:", "two"))}
		for _, s := range stores {
			s.SetMaxBytes(2000)
		}
		save := func(n, size int, final bool) error {
			r := record(fmt.Sprint(n), size)
			r.Expires, r.Final = r.Expires.Add(time.Duration(n)*time.Second), final
			return stores[n%2].Save(t.Context(), r)
		}
		there := func(n int) bool {
			_, err := stores[0].Load(t.Context(), "key with spaces {}", fmt.Sprint(n))
			return err == nil
		}
		for n := range 200 {
			if err := save(n, 1, n == 7 || n == 9); err != nil {
				t.Fatal(err)
			}
		}
		if err := save(200, 1, false); err != nil || there(7) || !there(9) {
			t.Errorf("the 201st: %v; the oldest that has ended is there: %v, the next: %v", err, there(7), there(9))
		}
		if err := save(201, 1, false); err != nil || there(9) {
			t.Errorf("the 202nd: %v, %v", err, there(9))
		}
		if err := save(202, 1, false); !errors.Is(err, host.ErrNoRoom) {
			t.Errorf("one more than tasks that work: %v", err)
		}
		if err := stores[0].Remove(t.Context(), "key with spaces {}", "0"); err != nil || there(0) {
			t.Errorf("removed: %v, %v", err, there(0))
		}
		if err := save(203, 1802, true); !errors.Is(err, host.ErrNoRoom) {
			t.Errorf("more bytes than there are beside the others: %v", err)
		}
		if err := save(204, 1801, true); err != nil {
			t.Errorf("as many bytes as there are: %v", err)
		}
	})
}
