//go:build unix

package scale_test

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// startCluster starts a cluster of three primaries, and a replica of the one that holds
// a key. It returns that primary, its replica, and a primary that stays.
func startCluster(t *testing.T, key string) (holder, replica, other *node) {
	t.Helper()
	var nodes []*node
	for range 4 {
		nodes = append(nodes, startNode(t, "--cluster-enabled", "yes", "--cluster-node-timeout", "1000",
			"--cluster-replica-validity-factor", "0", "--repl-diskless-sync-delay", "0"))
	}
	ctx := t.Context()
	bounds := []int{0, 5461, 10923, 16384}
	slot := int(nodes[0].client.ClusterKeySlot(ctx, key).Val())
	for i := range 3 {
		if err := nodes[i].client.ClusterAddSlotsRange(ctx, bounds[i], bounds[i+1]-1).Err(); err != nil {
			t.Fatal(err)
		}
		if slot >= bounds[i] && slot < bounds[i+1] {
			holder, other = nodes[i], nodes[(i+1)%3]
		}
	}
	for i, n := range nodes {
		if err := n.client.Do(ctx, "CLUSTER", "SET-CONFIG-EPOCH", i+1).Err(); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range nodes[1:] {
		host, port, _ := net.SplitHostPort(n.Addr)
		if err := nodes[0].client.ClusterMeet(ctx, host, port).Err(); err != nil {
			t.Fatal(err)
		}
	}
	replica = nodes[3]
	id := holder.client.Do(ctx, "CLUSTER", "MYID").String()
	id = id[strings.LastIndexByte(id, ' ')+1:]
	until(t, patience, "the replica follows", func() error { return replica.client.ClusterReplicate(ctx, id).Err() })
	until(t, patience, "the cluster is whole", func() error {
		for _, n := range nodes {
			if info := n.client.ClusterInfo(ctx).Val(); !strings.Contains(info, "cluster_state:ok") || !strings.Contains(info, "cluster_known_nodes:4") {
				return fmt.Errorf("%s says %s", n.Addr, info)
			}
		}
		if replica.info(t, "master_link_status") != "up" {
			return fmt.Errorf("the replica has no link")
		}
		if nodes := other.client.ClusterNodes(ctx).Val(); strings.Count(nodes, "slave") != 1 {
			return fmt.Errorf("another node does not know the replica: %s", nodes)
		}
		return nil
	})
	return holder, replica, other
}

// The primary that holds the keys dies, and its replica takes its slots.
func TestClusterFailover(t *testing.T) {
	t.Parallel()
	holder, replica, other := startCluster(t, "triptych:keys:ring")
	store := "valkey+cluster://" + holder.Addr + "/?addr=" + other.Addr
	c := newCaller(newKey(t, store))
	s := start(t, store)
	try := calls(t, c, s)
	until(t, patience, "calls before the failover", try)
	holder.Stop()
	left := valkeytest.Client(t, "redis://"+other.Addr)
	until(t, patience, "the replica takes the slots", func() error {
		if info := left.ClusterInfo(t.Context()).Val(); replica.info(t, "role") != "master" || !strings.Contains(info, "cluster_state:ok") {
			return fmt.Errorf("it is a %s: %s", replica.info(t, "role"), info)
		}
		return nil
	})
	recovers(t, "failover in a cluster", try)
}
