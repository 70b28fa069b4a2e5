package quota_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/transport/quota"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// twoNodes is a client of a cluster of two servers with half of the slots each.
func twoNodes(t *testing.T) (client *redis.ClusterClient, nodes [2]*miniredis.Miniredis) {
	t.Helper()
	var slots []redis.ClusterSlot
	for i := range nodes {
		nodes[i] = miniredis.RunT(t)
		slots = append(slots, redis.ClusterSlot{Start: i * 8192, End: i*8192 + 8191, Nodes: []redis.ClusterNode{{Addr: nodes[i].Addr()}}})
	}
	client = redis.NewClusterClient(&redis.ClusterOptions{
		ClusterSlots: func(context.Context) ([]redis.ClusterSlot, error) { return slots, nil },
	})
	t.Cleanup(func() { _ = client.Close() }) // its servers end anyhow
	return client, nodes
}

// All nodes of a cluster are asked for their counts. Handshakes are left out.
func TestReadCluster(t *testing.T) {
	client, nodes := twoNodes(t)
	m := quota.NewValkey(client, "")
	var want []quota.Count
	for i := range 20 {
		key := fmt.Sprintf("key_%02d", i)
		take(t, m, key, quota.Limits{Month: 100}, noon, i+1)
		want = append(want, quota.Count{Key: key, MonthEnd: march, Used: int64(i + 1)})
	}
	take(t, m, quota.Handshakes+"key_00", quota.Limits{Minute: 10}, noon, 1)
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	for i, node := range nodes {
		if len(node.Keys()) == 0 {
			t.Fatalf("node %d has no counts: one node could answer for all", i)
		}
	}
	got, err := quota.ReadValkey(t.Context(), client, "")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
}

// A month that is adopted, twice even, leaves the minute free; in the first minute of the
// month it is of that minute.
func TestAdopt(t *testing.T) {
	first := time.Date(2026, 2, 1, 0, 0, 30, 0, time.UTC)
	for name, open := range map[string]func() quota.Meter{
		"files": func() quota.Meter {
			m, err := quota.OpenLocal(t.Context(), t.TempDir(), quiet)
			if err != nil {
				t.Fatal(err)
			}
			return m
		},
		"a server": func() quota.Meter {
			return quota.NewValkey(valkeytest.Client(t, "redis://"+miniredis.RunT(t).Addr()), "")
		},
	} {
		for _, tc := range []struct {
			now    time.Time
			minute int64
		}{{noon, 0}, {first, 42}} {
			t.Run(fmt.Sprint(name, tc.now), func(t *testing.T) {
				m := open()
				defer func() {
					if err := m.Close(); err != nil {
						t.Error(err)
					}
				}()
				counts := []quota.Count{{Key: "k", MonthEnd: march, Used: 42}, {Key: "old", MonthEnd: tc.now, Used: 7}}
				for range 2 {
					if err := quota.Adopt(t.Context(), m, counts, tc.now); err != nil {
						t.Fatal(err)
					}
				}
				if u, err := m.Peek(t.Context(), "k", free, tc.now); err != nil || u.Month.Used != 42 || u.Minute.Used != tc.minute {
					t.Errorf("usage %+v, %v, want 42 in the month, %d in the minute", u, err, tc.minute)
				}
				if u, err := m.Peek(t.Context(), "old", free, tc.now); err != nil || u.Month.Used != 0 {
					t.Errorf("usage %+v, %v of a month that has ended, want none", u, err)
				}
				if tc.now == noon {
					take(t, m, "k", free, noon, 10)
				}
			})
		}
	}
}
