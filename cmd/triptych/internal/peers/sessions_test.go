package peers_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/peers"
)

// The sessions of a principal are counted at all servers, until they end or are not used.
func TestSessions(t *testing.T) {
	stores(t, func(t *testing.T, client redis.UniversalClient) {
		log := slog.New(slog.DiscardHandler)
		servers := []*peers.Sessions{peers.NewSessions(client, "team:", log), peers.NewSessions(client, "team:", log)}
		begin := func(n int, principal, id string, idle time.Duration, want bool) {
			t.Helper()
			if ok, err := servers[n%2].Begin(t.Context(), principal, id, idle, 3); ok != want || err != nil {
				t.Errorf("%s of %s: %v, %v, want %v", id, principal, ok, err, want)
			}
		}
		for n := range 3 {
			begin(n, "anna", fmt.Sprint("s", n), time.Hour, true)
		}
		begin(0, "anna", "s3", time.Hour, false)
		begin(0, "anna", "s1", time.Hour, true) // it is there already
		begin(0, "bob", "s3", time.Hour, true)
		if err := servers[1].End(t.Context(), "anna", "s1"); err != nil {
			t.Error(err)
		}
		if ended, err := servers[0].Ended(t.Context(), "s1"); !ended || err != nil {
			t.Errorf("ended is %v, %v", ended, err)
		}
		begin(1, "anna", "s4", time.Millisecond, true)
		time.Sleep(2 * time.Millisecond)
		begin(1, "anna", "s5", time.Hour, true) // s4 was not used
		begin(1, "anna", "s6", time.Hour, false)
		begin(0, "anna", "s5", time.Millisecond, true) // another server has it for longer
		time.Sleep(2 * time.Millisecond)
		begin(1, "anna", "s6", time.Hour, false)
	})
}

// Servers hear the events of the others, not their own.
func TestEvents(t *testing.T) {
	stores(t, func(t *testing.T, client redis.UniversalClient) {
		log := slog.New(slog.DiscardHandler)
		one, two := peers.NewSessions(client, "team:", log), peers.NewSessions(client, "team:", log)
		ctx, stop := context.WithCancel(t.Context())
		var listening sync.WaitGroup
		defer listening.Wait()
		defer stop()
		heard := make(chan string, 1000)
		for name, s := range map[string]*peers.Sessions{"one": one, "two": two} {
			listening.Go(func() {
				_ = s.Listen(ctx, func(_ context.Context, event []byte) { heard <- name + " heard " + string(event) }) // ends with ctx
			})
		}
		got := map[string]bool{}
		for deadline := time.Now().Add(20 * time.Second); len(got) < 2; { // until the subscriptions are there
			one.Publish(ctx, []byte("of one"))
			two.Publish(ctx, []byte("of two"))
			select {
			case text := <-heard:
				got[text] = true
			case <-time.After(20 * time.Millisecond):
			}
			if time.Now().After(deadline) {
				break
			}
		}
		if len(got) != 2 || !got["one heard of two"] || !got["two heard of one"] {
			t.Errorf("got %v", got)
		}
	})
}
