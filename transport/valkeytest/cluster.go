package valkeytest

import (
	"context"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// clusters holds the clusters that this process has started. A cluster is not writable in the
// first two seconds, so one test after another uses the same.
var clusters struct {
	sync.Mutex
	free []string // addresses
	held []any    // what the servers and their ports live by, until the process ends
}

// StartCluster returns a cluster of one server, with the rules of one: a script may
// touch the keys of one slot only. With arguments it ends with the test. Without, the
// test must not stop it: another one may use it afterwards, without the data.
func StartCluster(t testing.TB, args ...string) *Server {
	t.Helper()
	if len(args) > 0 {
		s := Start(t, append([]string{"--cluster-enabled", "yes"}, args...)...)
		takeSlots(t, s.Addr)
		return s
	}
	clusters.Lock()
	defer clusters.Unlock()
	var addr string
	if last := len(clusters.free) - 1; last >= 0 {
		addr, clusters.free = clusters.free[last], clusters.free[:last]
	} else {
		addr = startUntilExit(t)
		takeSlots(t, addr)
	}
	t.Cleanup(func() { freeCluster(addr) })
	return &Server{Addr: addr, t: t}
}

// freeCluster lets another test use a cluster: empty, without clients, and without a limit
// of memory. If that fails, no test will use it.
func freeCluster(addr string) {
	client := redis.NewClient(&redis.Options{Addr: addr})
	defer func() { _ = client.Close() }() // nothing is under way
	_, err := client.Pipelined(context.Background(), func(p redis.Pipeliner) error {
		for _, command := range []string{"CLIENT KILL TYPE normal", "CLIENT KILL TYPE pubsub", "CONFIG SET maxmemory 0", "FLUSHALL SYNC", "SCRIPT FLUSH", "FUNCTION FLUSH"} {
			var words []any
			for word := range strings.FieldsSeq(command) {
				words = append(words, word)
			}
			p.Do(context.Background(), words...)
		}
		return nil
	})
	if err != nil {
		return
	}
	clusters.Lock()
	defer clusters.Unlock()
	clusters.free = append(clusters.free, addr)
}

// startUntilExit starts the server of a cluster and returns its address. It ends with
// this process, however that ends.
func startUntilExit(t testing.TB) string {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		t.Skip("redis-server is not installed")
	}
	addr, mark := reserveAddr(t)
	_, port, _ := net.SplitHostPort(addr)
	folder, err := os.MkdirTemp("", "cluster")
	if err != nil {
		t.Fatal(err)
	}
	const script = `"$@" & server=$!; cat >/dev/null; kill -9 $server; rm -r "$0"`
	cmd := exec.Command("sh", append([]string{"-c", script, folder, "redis-server"}, options(port, folder, "--cluster-enabled", "yes")...)...) //nolint:noctx // it outlives the test
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	clusters.held = append(clusters.held, input, mark)
	startServer(t, cmd, addr)
	return addr
}

// takeSlots makes a server a cluster of its own, and waits until it is writable.
func takeSlots(t testing.TB, addr string) {
	t.Helper()
	admin := Client(t, "redis://"+addr)
	if err := admin.ClusterAddSlotsRange(t.Context(), 0, 16383).Err(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if strings.Contains(admin.ClusterInfo(t.Context()).Val(), "cluster_state:ok") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the cluster is not whole after 20 s")
		}
	}
}

// Cluster is a client of the cluster that the server is. It ends with the test.
func (s *Server) Cluster(t testing.TB) *redis.ClusterClient {
	t.Helper()
	client := redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{s.Addr}})
	t.Cleanup(func() { _ = client.Close() }) // its server ends anyhow
	return client
}
