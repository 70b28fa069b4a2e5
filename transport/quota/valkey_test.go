package quota_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/transport/quota"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

func dial(t *testing.T, url string) *redis.Client {
	t.Helper()
	options, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(options)
	t.Cleanup(func() { _ = client.Close() }) // its server ends anyhow
	return client
}

func TestContractOnAFake(t *testing.T) {
	contract(t, func(t *testing.T) func() quota.Meter {
		url := "redis://" + miniredis.RunT(t).Addr()
		return func() quota.Meter { return quota.NewValkey(dial(t, url)) }
	})
}

func TestContractOnAServer(t *testing.T) {
	server, db := valkeytest.Start(t), 0
	contract(t, func(t *testing.T) func() quota.Meter {
		url := fmt.Sprintf("redis://%s/%d", server.Addr, db)
		db++ // a new, empty one
		return func() quota.Meter { return quota.NewValkey(dial(t, url)) }
	})
}

// TestContractOnACluster has a cluster of one server, with the rules of one:
// a script may touch the keys of one slot only.
func TestContractOnACluster(t *testing.T) {
	server := valkeytest.Start(t, "--cluster-enabled", "yes")
	admin := dial(t, "redis://"+server.Addr)
	if err := admin.ClusterAddSlotsRange(t.Context(), 0, 16383).Err(); err != nil {
		t.Fatal(err)
	}
	for !strings.Contains(admin.ClusterInfo(t.Context()).Val(), "cluster_state:ok") {
		time.Sleep(10 * time.Millisecond) // until it has made up its mind
	}
	contract(t, func(t *testing.T) func() quota.Meter {
		if err := admin.FlushAll(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		return func() quota.Meter {
			client := redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{server.Addr}})
			t.Cleanup(func() { _ = client.Close() }) // its server ends anyhow
			return quota.NewValkey(client)
		}
	})
}

// TestServerAway: what cannot be counted is not granted, and is no limit that
// was met.
func TestServerAway(t *testing.T) {
	fake := miniredis.RunT(t)
	m := quota.NewValkey(dial(t, "redis://"+fake.Addr()))
	take(t, m, "k", free, noon, 3)
	fake.SetError("LOADING the server is busy")
	for range 20 { // more often than the limit
		if _, err := m.Take(t.Context(), "k", free, noon); !errors.Is(err, quota.ErrUnavailable) {
			t.Errorf("Take: %v", err)
		}
	}
	if _, err := m.Peek(t.Context(), "k", free, noon); !errors.Is(err, quota.ErrUnavailable) {
		t.Errorf("Peek: %v", err)
	}
	fake.SetError("")
	same(t, take(t, m, "k", free, noon, 1), windows(free, 4, 4))
}

// TestCountsThatNobodyNeeds: they leave the server some days after their month.
func TestCountsThatNobodyNeeds(t *testing.T) {
	fake := miniredis.RunT(t)
	take(t, quota.NewValkey(dial(t, "redis://"+fake.Addr())), "k", free, noon, 1)
	fake.FastForward(31 * 24 * time.Hour)
	if !fake.Exists("triptych:quota:k") {
		t.Error("the counts of a month left before it ended")
	}
	fake.FastForward(31 * 24 * time.Hour)
	if fake.Exists("triptych:quota:k") {
		t.Error("the counts stay")
	}
}
