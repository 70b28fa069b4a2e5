package quota_test

import (
	"context"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/transport/quota"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// A holding hook holds the first command for a key until it is released.
type holding struct {
	once    *sync.Once
	name    string
	reached chan struct{}
	release chan struct{}
}

func (h holding) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

func (h holding) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if slices.Contains(cmd.Args(), any(h.name)) {
			h.once.Do(func() {
				close(h.reached)
				<-h.release
			})
		}
		return next(ctx, cmd)
	}
}

func (h holding) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// An account is not forgotten while its lease is being asked for.
func TestAccountsWithWaitersStay(t *testing.T) {
	client := valkeytest.Client(t, "redis://"+miniredis.RunT(t).Addr())
	hold := holding{new(sync.Once), "triptych:quota:k", make(chan struct{}), make(chan struct{})}
	client.AddHook(hold)
	m := quota.NewValkey(client, "")
	m.SetMost(1)
	t.Cleanup(func() { _ = m.Close() })
	first := make(chan struct{})
	go func() {
		defer close(first)
		_, _ = m.Take(t.Context(), "k", leased, noon) // on a slow machine it is held too long
	}()
	<-hold.reached
	take(t, m, "other", leased, noon, 1)
	if !m.Knows("k") {
		t.Error("the account is forgotten whose lease is asked for")
	}
	close(hold.release)
	<-first
	take(t, m, "k", leased, noon, 1)
	take(t, m, "third", leased, noon, 1)
	if m.Knows("other") || m.Knows("k") {
		t.Error("more accounts are remembered than one")
	}
}

// Accounts are forgotten when their month is over and their lease is returned.
func TestAccountsOfOldMonthsAreForgotten(t *testing.T) {
	m := newMeter(t, "redis://"+miniredis.RunT(t).Addr())
	m.SetIdle(2 * time.Millisecond)
	take(t, m, "k", leased, time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), 1)
	until(t, "the account is forgotten", func() bool { return !m.Knows("k") })
}
