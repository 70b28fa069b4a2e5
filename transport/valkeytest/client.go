package valkeytest

import (
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// Client is a client of the server at that URL that tries nothing twice. It ends
// with the test.
func Client(t testing.TB, url string) *redis.Client {
	t.Helper()
	options, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	options.MaxRetries, options.DialerRetries, options.DialTimeout = -1, 1, 20*time.Second
	options.ReadTimeout, options.WriteTimeout = 20*time.Second, 20*time.Second // a busy machine may stand still
	client := redis.NewClient(options)
	t.Cleanup(func() { _ = client.Close() }) // its server ends anyhow
	return client
}

// StartCluster starts a cluster of one server, with the rules of one: a script
// may touch the keys of one slot only.
func StartCluster(t testing.TB, args ...string) *Server {
	t.Helper()
	s := Start(t, append([]string{"--cluster-enabled", "yes"}, args...)...)
	admin := Client(t, "redis://"+s.Addr)
	if err := admin.ClusterAddSlotsRange(t.Context(), 0, 16383).Err(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if strings.Contains(admin.ClusterInfo(t.Context()).Val(), "cluster_state:ok") {
			return s
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
