package quota_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/transport/quota"
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

// The counts of a cluster are those of all its nodes, without handshakes.
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
