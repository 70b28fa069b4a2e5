package peers_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/peers"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// A server lists all of its store with what clients have open there, until they end; one
// that was killed for an hour.
func TestServers(t *testing.T) {
	mini, client := store(t)
	one, end := run(t, client, "one", "http://10.0.0.1:8443")
	busy := peers.Load{Sessions: 3, Streams: 2, Debugging: 1}
	two, _ := runWith(t, client, "two", "", busy)
	used := time.Date(2026, 11, 23, 8, 0, 0, 0, time.UTC)
	open := []streamable.SessionInfo{
		{ID: "s2", Principal: "key_b", Client: "editor 7", Revision: "2025-06-18", Used: used.Add(time.Minute), Listening: true},
		{ID: "s1", Principal: "key_a", Used: used, Running: 1, Streams: 2},
	}
	two.SetSessions(func() []streamable.SessionInfo { return []streamable.SessionInfo{open[1], open[0]} })
	if err := peers.Show(t.Context(), two.Registry); err != nil {
		t.Fatal(err)
	}
	list := func() (all []peers.Running) {
		t.Helper()
		all, err := one.Servers(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i := range all {
			if all[i].Seen > time.Minute {
				t.Errorf("%s was seen %s ago", all[i].Name, all[i].Seen)
			}
			all[i].Seen = 0
		}
		return all
	}
	want := []peers.Running{{Name: "one", URL: "http://10.0.0.1:8443", Self: true}, {Name: "two", Load: busy, Sessions: open}}
	if diff := cmp.Diff(want, list()); diff != "" {
		t.Error(diff)
	}
	end()
	if all, err := two.Servers(t.Context()); err != nil || len(all) != 1 || !all[0].Self {
		t.Errorf("after the end of one: %+v, %v", all, err)
	}
	killed, err := client.ZAdd(t.Context(), "team:triptych:servers", redis.Z{Score: float64(time.Now().Unix()), Member: "abcdefghijkl"}).Result()
	if err != nil || killed != 1 {
		t.Fatal(killed, err)
	}
	if all, err := two.Servers(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("an entry that has expired: %+v, %v", all, err)
	}
	mini.SetError("the store is away")
	if _, err := two.Servers(t.Context()); err == nil {
		t.Error("there is a list without the store")
	}
}
