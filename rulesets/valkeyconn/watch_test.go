package valkeyconn

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"
)

// A slowServer executes one command at a time, as Redis does, and answers pings in
// between.
type slowServer struct{ busy sync.Mutex }

// await returns when the server has time, or with an error when the context ends.
func (s *slowServer) await(ctx context.Context) error {
	for !s.busy.TryLock() {
		if err := ctx.Err(); err != nil {
			return err
		}
		time.Sleep(time.Millisecond)
	}
	s.busy.Unlock()
	return nil
}

// send sends a command of that many bytes which the server works on for some time, and
// returns an error that the client would return.
func (s *slowServer) send(l *link, bytes int, work time.Duration) error {
	ctx, stop := context.WithTimeout(context.Background(), ioTimeout)
	defer stop()
	next := func(ctx context.Context, _ redis.Cmder) error {
		for !s.busy.TryLock() {
			if err := ctx.Err(); err != nil {
				return err
			}
			time.Sleep(time.Millisecond)
		}
		defer s.busy.Unlock()
		time.Sleep(work)
		return nil
	}
	return l.ProcessHook(next)(ctx, redis.NewStatusCmd(ctx, "set", "key", strings.Repeat("x", bytes)))
}

func linkTo(s *slowServer) *link {
	l := newLink(slog.New(slog.DiscardHandler))
	l.ping = s.await
	return l
}

// A server that works on large commands is not taken for hung, neither by those nor by
// the small ones that wait behind them.
func TestBusyIsNotHung(t *testing.T) {
	for name, tt := range map[string]struct {
		bytes int
		work  time.Duration
	}{
		"one of 16 MiB":   {16 << 20, 3 * time.Second},
		"one of 8 MiB":    {8 << 20, 1900 * time.Millisecond},
		"just above":      {3 << 20, 1200 * time.Millisecond},
		"a small command": {1, 900 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var s slowServer
				l := linkTo(&s)
				var wg sync.WaitGroup
				send := func(bytes int, work time.Duration) {
					wg.Go(func() {
						if err := s.send(l, bytes, work); err != nil {
							t.Errorf("a command of %d bytes: %v", bytes, err)
						}
					})
				}
				send(tt.bytes, tt.work)
				synctest.Wait()
				for range 5 {
					send(1, 0)
					time.Sleep(100 * time.Millisecond)
				}
				wg.Wait()
			})
		})
	}
}

// A large command that is sent while a ping is on its way excuses the server, too.
func TestBusySinceThePing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s slowServer
		l := linkTo(&s)
		var wg sync.WaitGroup
		wg.Go(func() { _ = s.send(l, 1, 1100*time.Millisecond) }) // the ping is sent after a second
		time.Sleep(1050 * time.Millisecond)
		wg.Go(func() {
			if err := s.send(l, 8<<20, 1900*time.Millisecond); err != nil {
				t.Error(err)
			}
		})
		wg.Wait()
	})
}

// A server that hangs is found to do so: within two seconds, or, while large commands
// are under way, when they excuse it no more, however many follow.
func TestHungAllTheSame(t *testing.T) {
	const mib = 1 << 20
	for name, tt := range map[string]struct {
		large  int // the bytes of each of the large commands, one every second
		within time.Duration
	}{
		"small commands":   {0, hungAfter + pingWait},
		"large commands":   {8 * mib, mostExcused + pingWait},
		"largest commands": {16 * mib, mostExcused + pingWait},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var s slowServer
				l := linkTo(&s)
				s.busy.Lock() // for ever
				var wg sync.WaitGroup
				defer wg.Wait()
				began := time.Now()
				wg.Go(func() { _ = s.send(l, 1, 0) })
				for !l.refuses() {
					if time.Since(began) > tt.within+time.Second {
						t.Fatalf("not found within %v", tt.within)
					}
					if tt.large > 0 {
						wg.Go(func() { _ = s.send(l, tt.large, 0) })
					}
					for range 100 {
						if time.Sleep(10 * time.Millisecond); l.refuses() {
							break
						}
					}
				}
				if took := time.Since(began); took > tt.within+10*time.Millisecond {
					t.Errorf("found after %v, want %v", took, tt.within)
				}
				if err := s.send(l, 1, 0); !errors.Is(err, ErrHung) {
					t.Errorf("%v, want ErrHung", err)
				}
				s.busy.Unlock()
				time.Sleep(pingWait + time.Second) // the ping under way ends
			})
		})
	}
}
