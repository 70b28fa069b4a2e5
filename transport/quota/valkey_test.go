package quota_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/triptych-mcp/triptych/transport/quota"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

func TestContractOnAFake(t *testing.T) {
	t.Parallel() // it waits
	contract(t, func(t *testing.T) func() quota.Meter {
		url := "redis://" + miniredis.RunT(t).Addr()
		return func() quota.Meter { return quota.NewValkey(valkeytest.Client(t, url), "") }
	})
}

func TestContractOnAServer(t *testing.T) {
	server, db := valkeytest.Start(t), 0
	contract(t, func(t *testing.T) func() quota.Meter {
		url := fmt.Sprintf("redis://%s/%d", server.Addr, db)
		db++ // a new, empty one
		return func() quota.Meter { return quota.NewValkey(valkeytest.Client(t, url), "") }
	})
}

func TestContractOnACluster(t *testing.T) {
	t.Parallel() // it waits
	server := valkeytest.StartCluster(t)
	contract(t, func(t *testing.T) func() quota.Meter {
		if err := server.Cluster(t).FlushAll(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		return func() quota.Meter { return quota.NewValkey(server.Cluster(t), "") }
	})
}

// TestServerAway: what cannot be counted is not granted, and is no limit that
// was met.
func TestServerAway(t *testing.T) {
	fake := miniredis.RunT(t)
	m := quota.NewValkey(valkeytest.Client(t, "redis://"+fake.Addr()), "")
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
	take(t, quota.NewValkey(valkeytest.Client(t, "redis://"+fake.Addr()), ""), "k", free, noon, 1)
	fake.FastForward(31 * 24 * time.Hour)
	if !fake.Exists("triptych:quota:k") {
		t.Error("the counts of a month left before it ended")
	}
	fake.FastForward(31 * 24 * time.Hour)
	if fake.Exists("triptych:quota:k") {
		t.Error("the counts stay")
	}
}
