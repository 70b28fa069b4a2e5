package quota_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/transport/quota"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// leased are limits with blocks of 75.
var leased = quota.Limits{Month: 1_000_000, Minute: 60_000}

const largestBlock = 75

// stores are a fake and a server.
func stores(t *testing.T, test func(t *testing.T, url string)) {
	t.Run("fake", func(t *testing.T) { test(t, "redis://"+miniredis.RunT(t).Addr()) })
	t.Run("server", func(t *testing.T) { test(t, "redis://"+valkeytest.Start(t).Addr) })
}

// newMeter returns a meter that is closed with the test. It holds its leases until then.
func newMeter(t *testing.T, url string) *quota.Valkey {
	t.Helper()
	m := quota.NewValkey(valkeytest.Client(t, url), "")
	m.SetIdle(time.Hour)
	t.Cleanup(func() { _ = m.Close() }) // its server may be gone
	return m
}

// usedIn returns the requests that count in the windows of noon.
func usedIn(t *testing.T, m quota.Meter, limits quota.Limits) (month, minute int64) {
	t.Helper()
	u, err := m.Peek(t.Context(), "k", limits, noon)
	if err != nil {
		t.Fatal(err)
	}
	return u.Month.Used, u.Minute.Used
}

// until polls a condition that holds sooner or later.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within 30 s", what)
		}
	}
}

// A counting hook counts the commands that are sent.
type counting struct{ sent *atomic.Int64 }

func (c counting) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

func (c counting) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		c.sent.Add(1)
		return next(ctx, cmd)
	}
}

func (c counting) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// Most requests of a busy key ask the server nothing, and each says how many are used.
func TestLeasesSpareTheServer(t *testing.T) {
	stores(t, func(t *testing.T, url string) {
		client := valkeytest.Client(t, url)
		var sent atomic.Int64
		client.AddHook(counting{&sent})
		m := quota.NewValkey(client, "")
		m.SetIdle(time.Hour)
		const n = 1500
		for i := range int64(n) {
			same(t, take(t, m, "k", leased, noon, 1), windows(leased, i+1, i+1))
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		// A block is asked for when a quarter of the one before is left; the first run
		// of a script sends it twice; Close returns one lease.
		if most := int64(n/(largestBlock*3/4) + 5); sent.Load() > most {
			t.Errorf("%d commands for %d requests, want at most %d", sent.Load(), n, most)
		}
	})
}

// What a process has not used of a lease, another one gets when the first closes its meter.
func TestLeasesAreReturned(t *testing.T) {
	stores(t, func(t *testing.T, url string) {
		one, two := newMeter(t, url), newMeter(t, url)
		take(t, one, "k", leased, noon, 1)
		if month, minute := usedIn(t, two, leased); month != largestBlock+1 || minute != largestBlock+1 {
			t.Errorf("%d and %d count while a lease is out, want %d", month, minute, largestBlock+1)
		}
		take(t, one, "k", leased, noon, 1)
		if err := one.Close(); err != nil {
			t.Fatal(err)
		}
		if month, minute := usedIn(t, two, leased); month != 2 || minute != 2 {
			t.Errorf("%d and %d count after a meter was closed, want 2", month, minute)
		}
		if _, err := one.Take(t.Context(), "k", leased, noon); !errors.Is(err, quota.ErrClosed) {
			t.Errorf("a closed meter: %v", err)
		}
	})
}

// Close waits for the requests that are being answered: what they were granted counts, and
// nothing else does.
func TestCloseAmongRequests(t *testing.T) {
	stores(t, func(t *testing.T, url string) {
		var granted atomic.Int64
		for range 20 {
			m := newMeter(t, url)
			m.SetIdle(time.Millisecond)
			var takers sync.WaitGroup
			for range 4 {
				takers.Go(func() {
					for range 300 {
						if _, err := m.Take(t.Context(), "k", leased, noon); errors.Is(err, quota.ErrClosed) {
							return
						} else if err != nil {
							t.Error(err)
							return
						}
						granted.Add(1)
					}
				})
			}
			time.Sleep(2 * time.Millisecond) // any point will do
			if err := m.Close(); err != nil {
				t.Error(err)
			}
			takers.Wait()
		}
		if month, minute := usedIn(t, newMeter(t, url), leased); month != granted.Load() || minute != granted.Load() {
			t.Errorf("%d and %d count, want %d", month, minute, granted.Load())
		}
	})
}

// What a process has not used of a lease for a while, another one gets.
func TestIdleLeasesAreReturned(t *testing.T) {
	stores(t, func(t *testing.T, url string) {
		one, two := newMeter(t, url), newMeter(t, url)
		one.SetIdle(20 * time.Millisecond)
		take(t, one, "k", leased, noon, 3)
		until(t, "the lease is returned", func() bool {
			month, minute := usedIn(t, two, leased)
			return month == 3 && minute == 3
		})
	})
}

// A lease ends with its minute: what it has left counts in the month no more, and never in
// the next minute.
func TestLeasesEndWithTheirMinute(t *testing.T) {
	stores(t, func(t *testing.T, url string) {
		m := newMeter(t, url)
		take(t, m, "k", leased, noon, 3)
		u := take(t, m, "k", leased, nextMinute, 1)
		if u.Month.Used != 4 || u.Minute.Used != 1 {
			t.Errorf("in the next minute: %+v", u)
		}
		u = take(t, m, "k", leased, march, 1)
		if u.Month.Used != 1 || u.Minute.Used != 1 {
			t.Errorf("in the next month: %+v", u)
		}
	})
}

// A lease grants nothing under limits that are others than its own.
func TestLeasesFollowTheLimits(t *testing.T) {
	stores(t, func(t *testing.T, url string) {
		m := newMeter(t, url)
		take(t, m, "k", leased, noon, 3)
		low := quota.Limits{Month: 3}
		if got := refused(t, m, "k", low, noon); got.Used != 3 {
			t.Errorf("refused: %+v", got)
		}
		same(t, take(t, m, "k", leased, noon, 1), windows(leased, 4, 4))
	})
}

// Meters that share a server grant all that there is and nothing more, though each holds
// leases: of the month and of the minute.
func TestLeasesGrantTheLimit(t *testing.T) {
	t.Parallel() // it waits
	stores(t, func(t *testing.T, url string) {
		for i, limits := range []quota.Limits{{Month: 2_000}, {Minute: 2_000}, {Month: 100_000, Minute: 2_000}} {
			key := fmt.Sprint("k", i)
			meters := []*quota.Valkey{newMeter(t, url), newMeter(t, url), newMeter(t, url)}
			granted := int64(0)
			one := func(m *quota.Valkey) {
				_, err := m.Take(t.Context(), key, limits, noon)
				if _, full := errors.AsType[*quota.ExceededError](err); err == nil {
					granted++
				} else if !full {
					t.Fatal(err)
				}
			}
			until(t, "all is granted", func() bool { // also what an idle lease has left
				for j := range 300 {
					one(meters[j%len(meters)])
				}
				return granted >= 2_000
			})
			for range 100 {
				for _, m := range meters {
					one(m)
				}
			}
			if granted != 2_000 {
				t.Errorf("%+v: %d granted", limits, granted)
			}
		}
	})
}

// Many goroutines of several meters get exactly the limit together.
func TestLeasesUnderLoad(t *testing.T) {
	url := "redis://" + valkeytest.Start(t).Addr
	limits := quota.Limits{Month: 100_000, Minute: 1_000}
	meters := []*quota.Valkey{newMeter(t, url), newMeter(t, url)}
	granted := int64(0)
	until(t, "all is granted", func() bool {
		results := make(chan int64)
		for _, m := range meters {
			go func() { results <- contend(t.Context(), t, m, limits, noon, 8, 50) }()
		}
		for range meters {
			granted += <-results
		}
		return granted >= limits.Minute
	})
	if granted != limits.Minute {
		t.Errorf("%d granted, want %d", granted, limits.Minute)
	}
}

// A process that is killed costs the key what its lease had left, and what it was granted
// counts.
func TestKilledProcessesLoseTheirLease(t *testing.T) {
	server := valkeytest.Start(t)
	m := newMeter(t, "redis://"+server.Addr)
	granted := int64(0)
	for crashes, limit := range []int{1, 5, 10, 11, 99, 300} {
		granted += int64(runChild(t, childServer+"="+server.Addr, limit))
		month, minute := usedIn(t, m, crashLimits)
		// A lease, and a request whose answer the child had no time to tell.
		most := granted + int64(crashes+1)*(crashBlock+1)
		if month < granted || month > most || minute != month {
			t.Errorf("after %d crashes %d and %d count, want %d to %d", crashes+1, month, minute, granted, most)
		}
	}
}

// At no moment more than one block is out, so a crash costs no more.
func TestOneBlockIsOut(t *testing.T) {
	stores(t, func(t *testing.T, url string) {
		m, other := newMeter(t, url), newMeter(t, url)
		for granted := int64(1); granted <= 4*largestBlock; granted++ {
			take(t, m, "k", leased, noon, 1)
			if month, _ := usedIn(t, other, leased); month < granted || month > granted+largestBlock {
				t.Fatalf("%d are granted and %d count, want at most %d more", granted, month, largestBlock)
			}
		}
	})
}

// A store that forgets a lease does not grant it again while its process knows of it.
func TestLeasesThatAreLost(t *testing.T) {
	stores(t, func(t *testing.T, url string) {
		m := newMeter(t, url)
		take(t, m, "k", leased, noon, 10)
		if err := valkeytest.Client(t, url).Del(t.Context(), "triptych:quota:k").Err(); err != nil {
			t.Fatal(err)
		}
		take(t, m, "k", leased, noon, 90) // asks the server
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		if month, minute := usedIn(t, newMeter(t, url), leased); month != 100 || minute != 100 {
			t.Errorf("%d and %d count, want 100", month, minute)
		}
	})
}

// Counts that an earlier version has written, which knew no leases, go on.
func TestCountsOfEarlierVersions(t *testing.T) {
	stores(t, func(t *testing.T, url string) {
		if err := valkeytest.Client(t, url).HSet(t.Context(), "triptych:quota:k",
			"month_end", march.Unix(), "used", 42, "minute_end", nextMinute.Unix(), "burst", 7).Err(); err != nil {
			t.Fatal(err)
		}
		m := newMeter(t, url)
		same(t, take(t, m, "k", leased, noon, 1), windows(leased, 43, 8))
	})
}

// Installations with other prefixes count apart.
func TestPrefixesCountApart(t *testing.T) {
	stores(t, func(t *testing.T, url string) {
		one, two := quota.NewValkey(valkeytest.Client(t, url), "a:"), quota.NewValkey(valkeytest.Client(t, url), "b:")
		same(t, take(t, one, "k", free, noon, 3), windows(free, 3, 3))
		same(t, take(t, two, "k", free, noon, 1), windows(free, 1, 1))
		if n, err := valkeytest.Client(t, url).Exists(t.Context(), "a:triptych:quota:k", "b:triptych:quota:k").Result(); n != 2 || err != nil {
			t.Errorf("%d of 2 hashes, %v", n, err)
		}
	})
}
